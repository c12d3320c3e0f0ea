import { CompoundWords } from './compound-words.ts';
import { COMPOUND_PREFIXES } from './languages.ts';
import {
  linesIn,
  numbersIn,
  piecesOfLines,
  piecesOfNumbers,
  type Snapshot,
  type SnapshotParts,
} from './snapshot-file.ts';

/** Okapi BM25 with its usual parameters: how soon repetition stops to count, and how much length does. */
const K1 = 1.2;
const B = 0.75;

/** A posting is one small integer: the slot of the text, below 2^22, and how often the term is in it. */
const MAX_COUNTED = 255;
const SLOT_SHIFT = 8;

export interface KeywordScores {
  /** By slot. */
  readonly scores: Float32Array;
  /** By slot: which part of what the query says is in the text at all, 0 to 1, rare words counting more. */
  readonly coverage: Float32Array;
  /** By slot: how many of the terms are in the text. */
  readonly shared: Uint16Array;
}

/** A word of a query: the forms in which a text may have it, one for each language that has an ending of its own for it. */
export type QueryTerm = readonly string[];

/** What the weight of terms follows from; of several indexes that are searched as one, that of all of them. */
export interface TermStatistics {
  readonly texts: number;
  /** Of all texts together. */
  readonly words: number;
  /** In how many texts each term is, in the order of the terms. */
  readonly found: readonly number[];
}

export const combinedStatistics = (all: readonly TermStatistics[], terms: readonly QueryTerm[]): TermStatistics => ({
  texts: all.reduce((sum, { texts }) => sum + texts, 0),
  words: all.reduce((sum, { words }) => sum + words, 0),
  found: terms.map((_, at) => all.reduce((sum, { found }) => sum + (found[at] ?? 0), 0)),
});

/**
 * Texts found by their words. A text has a slot, a small number that its owner gives out; forgetting one only takes it out
 * of the counts, and its postings go when `compact` is called.
 */
export class KeywordIndex {
  readonly #postings = new Map<string, number[]>();
  readonly #compounds = new Map(COMPOUND_PREFIXES.map((prefix) => [prefix, new CompoundWords()]));
  readonly #lengths: number[] = [];
  #texts = 0;
  #words = 0;
  #stored = 0;

  /** Numbers that are kept in all, for the limit of memory. */
  get size(): number {
    return this.#stored;
  }

  add(slot: number, terms: Iterable<string>): void {
    const counts = new Map<string, number>();
    let length = 0;
    for (const term of terms) {
      counts.set(term, (counts.get(term) ?? 0) + 1);
      length += 1;
    }
    for (const [term, count] of counts) {
      const posting = (slot << SLOT_SHIFT) | Math.min(count, MAX_COUNTED);
      const postings = this.#postings.get(term);
      if (postings) postings.push(posting);
      else {
        this.#postings.set(term, [posting]);
        this.#compounds.get(prefixOf(term))?.add(term.slice(prefixOf(term).length));
      }
    }
    this.#lengths[slot] = length;
    this.#texts += 1;
    this.#words += length;
    this.#stored += counts.size;
  }

  /** The caller makes sure that the slot is asked for no more. */
  forget(slot: number): void {
    this.#texts -= 1;
    this.#words -= this.#lengths[slot] ?? 0;
  }

  /** Gives each text another slot, or none: -1. Postings keep their order. */
  compact(slots: Int32Array): void {
    const lengths = [...this.#lengths];
    this.#lengths.length = 0;
    for (const [slot, moved] of slots.entries()) if (moved >= 0) this.#lengths[moved] = lengths[slot] ?? 0;
    this.#stored = 0;
    for (const compounds of this.#compounds.values()) compounds.clear();
    for (const [term, postings] of this.#postings) {
      const kept = postings.flatMap((posting) => {
        const moved = slots[posting >>> SLOT_SHIFT] ?? -1;
        return moved < 0 ? [] : [(moved << SLOT_SHIFT) | (posting & MAX_COUNTED)];
      });
      if (kept.length === 0) this.#postings.delete(term);
      else this.#postings.set(term, kept);
      if (kept.length > 0) this.#compounds.get(prefixOf(term))?.add(term.slice(prefixOf(term).length));
      this.#stored += kept.length;
    }
  }

  /** Of an index that is compact. */
  snapshot(): SnapshotParts {
    const postings = this.#postings;
    return {
      terms: piecesOfLines(postings.keys()),
      found: piecesOfNumbers([Array.from(postings.values(), ({ length }) => length)]),
      postings: piecesOfNumbers(postings.values()),
      lengths: piecesOfNumbers([this.#lengths]),
    };
  }

  /** Of what another one has said, into one that is empty. */
  restore(part: Snapshot['part']): void {
    const [found, postings, lengths] = [
      numbersIn(part('found')),
      numbersIn(part('postings')),
      numbersIn(part('lengths')),
    ];
    let [at, from] = [0, 0];
    for (const term of linesIn(part('terms'))) {
      const to = from + (found[at] ?? 0);
      this.#postings.set(term, Array.from(postings.subarray(from, to)));
      this.#compounds.get(prefixOf(term))?.add(term.slice(prefixOf(term).length));
      [at, from] = [at + 1, to];
    }
    if (this.#postings.size !== found.length) throw new Error('two words of a snapshot are the same');
    for (const length of lengths) {
      this.#lengths.push(length);
      this.#words += length;
    }
    this.#texts = lengths.length;
    this.#stored = postings.length;
  }

  /** `readable` says by slot what counts; absent: everything. */
  statistics(terms: readonly QueryTerm[], readable?: Uint8Array): TermStatistics {
    const countOf = (form: string): number => {
      const postings = this.#postings.get(form) ?? [];
      if (!readable) return postings.length;
      return postings.reduce((sum, posting) => sum + (readable[posting >>> SLOT_SHIFT] ?? 0), 0);
    };
    let [texts, words] = [this.#texts, this.#words];
    if (readable) {
      [texts, words] = [0, 0];
      for (const [slot, counts] of readable.entries())
        if (counts) {
          texts += 1;
          words += this.#lengths[slot] ?? 0;
        }
    }
    const found = terms.map((term) =>
      Math.min(
        texts,
        term.reduce((sum, form) => sum + countOf(form), 0),
      ),
    );
    return { texts, words, found };
  }

  /** Whether a text that counts has the word in this form. */
  has(form: string, readable?: Uint8Array): boolean {
    const postings = this.#postings.get(form) ?? [];
    return readable ? postings.some((posting) => readable[posting >>> SLOT_SHIFT]) : postings.length > 0;
  }

  /** The compounds that have this word as their first or last part, in the form in which texts have them. */
  *compoundsOf(form: string): Generator<string> {
    const prefix = prefixOf(form);
    for (const word of this.#compounds.get(prefix)?.with(form.slice(prefix.length)) ?? []) yield prefix + word;
  }

  /** Of the slots below `slots`. */
  score(terms: readonly QueryTerm[], slots: number, { texts, words, found }: TermStatistics): KeywordScores {
    const scores = new Float32Array(slots);
    const coverage = new Float32Array(slots);
    const shared = new Uint16Array(slots);
    const average = words / Math.max(1, texts);
    const weights = terms.map((_, at) => weightOf(found[at] ?? 0, texts));
    const sum = weights.reduce((all, weight) => all + weight, 0);
    for (const [at, term] of terms.entries()) {
      const weight = weights[at] ?? 0;
      for (const [slot, count] of this.#countsOf(term)) {
        const norm = K1 * (1 - B + (B * (this.#lengths[slot] ?? 0)) / average);
        scores[slot] = (scores[slot] ?? 0) + (weight * count * (K1 + 1)) / (count + norm);
        coverage[slot] = (coverage[slot] ?? 0) + weight / sum;
        shared[slot] = (shared[slot] ?? 0) + 1;
      }
    }
    return { scores, coverage, shared };
  }

  /** In which slots a word is in any of its forms, and how often. */
  *#countsOf(term: QueryTerm): Generator<readonly [slot: number, count: number]> {
    const [only = [], ...others] = term.flatMap((form) => {
      const postings = this.#postings.get(form);
      return postings ? [postings] : [];
    });
    if (others.length === 0) {
      for (const posting of only) yield [posting >>> SLOT_SHIFT, posting & MAX_COUNTED];
      return;
    }
    const counts = new Map<number, number>();
    for (const postings of [only, ...others])
      for (const posting of postings) {
        const slot = posting >>> SLOT_SHIFT;
        counts.set(slot, (counts.get(slot) ?? 0) + (posting & MAX_COUNTED));
      }
    yield* counts;
  }
}

/** Inverse document frequency. A word that is nowhere weighs most: all the less is what the others cover. */
const weightOf = (found: number, texts: number): number => Math.log(1 + (texts - found + 0.5) / (found + 0.5));

/** Of the language of a term; empty for English. */
export const prefixOf = (term: string): string => term.slice(0, term.indexOf(':') + 1);
