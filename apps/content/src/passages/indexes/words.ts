import type { Span } from '../domain/search.ts';
import type { QueryTerm } from './keyword-index.ts';
import { LANGUAGES, languageOf, type Language } from './languages.ts';

export interface Word extends Span {
  /** As it is compared: without accents and endings, in small letters, and told apart from those of other languages. */
  readonly term: string;
}

/** Scripts that put no spaces between words, apart from those that do: in `GPT技術` either part is found by itself. */
const UNSPACED = String.raw`\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}`;
const WORD = new RegExp(String.raw`[[\p{L}\p{N}\p{M}]&&[${UNSPACED}]]+|[[\p{L}\p{N}\p{M}]--[${UNSPACED}]]+`, 'gv');
const IS_UNSPACED = new RegExp(`^[${UNSPACED}]`, 'u');
/** What is longer is no word that anybody looks for. */
const MAX_WORD_LENGTH = 64;

/** The language of a text as far as its words tell, for parts of it that tell none, as tables. */
export const languageOfText = (text: string): Language => languageOf([...text.matchAll(WORD)].map(([run]) => run));

/**
 * The words of a text and where they stand, in the language that is `around` it where it tells none itself. Scripts that put no spaces
 * between words are taken by pairs of letters.
 */
export function* wordsOf(text: string, around?: Language): Generator<Word> {
  const runs = [...text.matchAll(WORD)];
  const language = languageOf(
    runs.map(([run]) => run),
    around,
  );
  for (const { 0: run, index } of runs) {
    if (IS_UNSPACED.test(run)) yield* pairsOf(run, index);
    else if (run.length <= MAX_WORD_LENGTH)
      yield { term: termOf(run, language), start: index, end: index + run.length };
  }
}

function* pairsOf(run: string, offset: number): Generator<Word> {
  const letters = Array.from(run);
  let start = offset;
  for (const [at, letter] of letters.entries()) {
    const next = letters[at + 1];
    if (next !== undefined || letters.length === 1) {
      const pair = letter + (next ?? '');
      yield { term: pair.normalize('NFKC'), start, end: start + pair.length };
    }
    start += letter.length;
  }
}

/** Shorter ones have no ending to take off, and numbers none at all. */
const HAS_ENDING = /^\p{Script=Latin}{3,}$/u;

/** For each language the terms of words that were met lately, since most words are met again. */
const MAX_KNOWN = 100_000;
const known = new Map<Language, Map<string, string>>(LANGUAGES.map((language) => [language, new Map()]));

function termOf(word: string, language: Language): string {
  const terms = known.get(language) ?? new Map<string, string>();
  const found = terms.get(word);
  if (found !== undefined) return found;
  const composed = word.normalize('NFKC').toLowerCase();
  const term = HAS_ENDING.test(composed) ? language.prefix + plain(language.stem(composed)) : plain(composed);
  if (terms.size >= MAX_KNOWN) terms.clear();
  terms.set(word, term);
  return term;
}

const plain = (word: string): string => word.normalize('NFKD').replaceAll(/\p{M}/gu, '');

/** A word that a query asks for, as it is written there, and the forms in which a text may have it. */
export interface QueryWord {
  readonly written: string;
  readonly forms: QueryTerm;
}

/**
 * What a query is looked up by: each word once, in every form that a language of texts may give it, and none that says
 * nothing unless there are only such.
 */
export const queryTerms = (query: string): readonly QueryTerm[] => queryWords(query).map(({ forms }) => forms);

/** The same with the words as they are written, in the same order. */
export function queryWords(query: string): readonly QueryWord[] {
  const words = [...wordsOf(query)];
  const written = ({ start, end }: Span): string => query.slice(start, end);
  const { stopWords } = languageOf(words.map(written));
  const telling = words.filter((word) => !stopWords.has(written(word).toLowerCase()));
  const chosen = new Map((telling.length > 0 ? telling : words).map((word) => [word.term, word]));
  return [...chosen.values()].map((word) => ({
    written: written(word),
    forms: IS_UNSPACED.test(written(word))
      ? [word.term]
      : [...new Set([word.term, ...LANGUAGES.map((language) => termOf(written(word), language))])],
  }));
}
