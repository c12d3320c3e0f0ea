import { stemmer } from 'stemmer';
import type { Span } from '../domain/search.ts';

export interface Word extends Span {
  /** As it is compared: without accents and endings, in small letters. */
  readonly term: string;
}

const WORD = /[\p{L}\p{N}\p{M}]+/gu;
const UNSPACED = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}]/u;
const LATIN = /^[a-z]{3,}$/;
/** What is longer is no word that anybody looks for. */
const MAX_WORD_LENGTH = 64;

/** The words of a text and where they stand. Scripts that put no spaces between words are taken by pairs of letters. */
export function* wordsOf(text: string): Generator<Word> {
  for (const { 0: word, index } of text.matchAll(WORD)) {
    if (UNSPACED.test(word)) yield* pairsOf(word, index);
    else if (word.length <= MAX_WORD_LENGTH) yield { term: termOf(word), start: index, end: index + word.length };
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

const MAX_KNOWN = 100_000;
const known = new Map<string, string>();

function termOf(word: string): string {
  const found = known.get(word);
  if (found !== undefined) return found;
  const plain = word.normalize('NFKD').replaceAll(/\p{M}/gu, '').toLowerCase();
  const term = LATIN.test(plain) ? stemmer(plain) : plain;
  if (known.size >= MAX_KNOWN) known.clear();
  known.set(word, term);
  return term;
}

const STOP_WORDS = `a about after all also an and any are as at be because been before being between both but by can could did do does
  doing done down during each else every few for from get gets give given go goes had has have having he her here hers him
  his how i if in into is it its itself just kind like made make makes many may me might more most much must my no nor not of off on
  once one only or other our out over own same shall she should so some such than that the their them then there these
  they this those through to too under until up upon us use used very was we were what when where which while who whom whose
  why will with within without would you your`;
const stopWords = new Set(STOP_WORDS.split(/\s+/));

/** What a query is looked up by: each term once, and none that says nothing unless there are only such. */
export function queryTerms(query: string): readonly string[] {
  const words = [...wordsOf(query)];
  const telling = words.filter(({ start, end }) => !stopWords.has(query.slice(start, end).toLowerCase()));
  return [...new Set((telling.length > 0 ? telling : words).map(({ term }) => term))];
}
