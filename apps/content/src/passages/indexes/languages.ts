import { stemmer as danish } from '@orama/stemmers/danish';
import { stemmer as dutch } from '@orama/stemmers/dutch';
import { stemmer as english } from '@orama/stemmers/english';
import { stemmer as french } from '@orama/stemmers/french';
import { stemmer as german } from '@orama/stemmers/german';
import { stemmer as italian } from '@orama/stemmers/italian';
import { stemmer as portuguese } from '@orama/stemmers/portuguese';
import { stemmer as spanish } from '@orama/stemmers/spanish';
import { stemmer as swedish } from '@orama/stemmers/swedish';
import { stopwords as danishStopWords } from '@orama/stopwords/danish';
import { stopwords as dutchStopWords } from '@orama/stopwords/dutch';
import { stopwords as frenchStopWords } from '@orama/stopwords/french';
import { stopwords as germanStopWords } from '@orama/stopwords/german';
import { stopwords as italianStopWords } from '@orama/stopwords/italian';
import { stopwords as portugueseStopWords } from '@orama/stopwords/portuguese';
import { stopwords as spanishStopWords } from '@orama/stopwords/spanish';
import { stopwords as swedishStopWords } from '@orama/stopwords/swedish';

/** What a language does to its words, and which of them say nothing by themselves; all in small letters. */
export interface Language {
  /** Set before its terms, so that a stem never stands for a word of another language that looks the same. */
  readonly prefix: string;
  readonly stem: (word: string) => string;
  readonly stopWords: ReadonlySet<string>;
  /** It writes what is put together of several words as one. */
  readonly hasCompounds?: true;
}

/** Beyond the usual list what questions are asked with: they say nothing of what is looked for. */
const ENGLISH_STOP_WORDS = `a about after all also an and any are as at be because been before being between both but by can could did do does
  doing done down during each else every few for from get gets give given go goes had has have having he her here hers him
  his how i if in into is it its itself just kind like made make makes many may me might more most much must my no nor not of off on
  once one only or other our out over own same shall she should so some such than that the their them then there these
  they this those through to too under until up upon us use used very was we were what when where which while who whom whose
  why will with within without would you your`;

export const ENGLISH: Language = { prefix: '', stem: english, stopWords: new Set(ENGLISH_STOP_WORDS.split(/\s+/)) };

/** Those whose words are known without their endings. A word of any other is found as it is written, or as English has it. */
export const LANGUAGES: readonly Language[] = [
  ENGLISH,
  { prefix: 'de:', stem: german, stopWords: new Set(germanStopWords), hasCompounds: true },
  { prefix: 'fr:', stem: french, stopWords: new Set(frenchStopWords) },
  { prefix: 'es:', stem: spanish, stopWords: new Set(spanishStopWords) },
  { prefix: 'it:', stem: italian, stopWords: new Set(italianStopWords) },
  { prefix: 'pt:', stem: portuguese, stopWords: new Set(portugueseStopWords) },
  { prefix: 'nl:', stem: dutch, stopWords: new Set(dutchStopWords), hasCompounds: true },
  { prefix: 'sv:', stem: swedish, stopWords: new Set(swedishStopWords), hasCompounds: true },
  { prefix: 'da:', stem: danish, stopWords: new Set(danishStopWords), hasCompounds: true },
];

/** Words that tell what language a passage is in, long before its end. */
const MAX_SAMPLE = 200;

/** By the words that are in every text of a language: the one that most are of; where none stands out, what else is around. */
export function languageOf(words: readonly string[], otherwise = ENGLISH): Language {
  const sample = words.slice(0, MAX_SAMPLE).map((word) => word.toLowerCase());
  // One word alone may be a name, or of several languages.
  let [best, bestCount] = [otherwise, 1];
  for (const language of LANGUAGES) {
    const own = sample.filter((word) => language.stopWords.has(word)).length;
    if (own > bestCount) [best, bestCount] = [language, own];
  }
  return best;
}

/** What is set before the terms of languages that write compounds as one word. */
export const COMPOUND_PREFIXES: readonly string[] = LANGUAGES.flatMap(({ prefix, hasCompounds }) =>
  hasCompounds ? [prefix] : [],
);
