import type { Source, SourceKind } from '../domain/passage.ts';
import type { SearchMode, SearchQuery } from '../domain/search.ts';
import { KeywordIndex, type KeywordScores } from './keyword-index.ts';
import { mergeScores } from './merge-scores.ts';
import { VectorIndex } from './vector-index.ts';
import { queryTerms, wordsOf } from './words.ts';

/** What the index has to know of a source, in a form that threads can send each other. */
export interface IndexedSource extends Omit<Source, 'createdAt'> {
  /** Names the set of its passages. */
  readonly generation: string;
  /** Milliseconds since 1970. */
  readonly createdAt: number;
}

export interface IndexedPassage {
  readonly ordinal: number;
  readonly text: string;
  /** Of the model in use; absent where it has not been embedded by it. */
  readonly vector?: Float32Array;
}

export interface IndexQuery extends SearchQuery {
  readonly vector?: Float32Array;
  /** From which cosine on a passage is about what was asked; absent: nobody knows, and any may be. */
  readonly similarityThreshold?: number | undefined;
}

/** Where a passage is; the store has the rest. */
export interface Found {
  readonly kind: SourceKind;
  readonly id: string;
  readonly generation: string;
  readonly ordinal: number;
  readonly score: number;
  readonly isRelevant: boolean;
}

interface Entry {
  readonly source: IndexedSource;
  readonly slots: readonly number[];
}

/** A number in an array, and what a map of small arrays costs besides. */
const BYTES_OF_POSTING = 12;
const BYTES_OF_PASSAGE = 200;

/** What part of the slots may be unused before they are given out anew. */
const WASTE = 0.25;

/** A query as the scores go by it. */
interface IndexQuestion {
  readonly words: KeywordScores;
  readonly mode: SearchMode;
  /** Absent where it goes by words alone. */
  readonly vector: Float32Array | undefined;
}

interface Scored {
  readonly slot: number;
  readonly score: number;
}

/** Of the terms of a question a text that is about it has half, and two: one of several words may be there by chance. */
const sharesEnough = (shared: number, terms: number): boolean => shared >= Math.min(2, terms) && 2 * shared >= terms;

const keyOf = ({ kind, id }: { kind: SourceKind; id: string }): string => `${kind}:${id}`;

/**
 * The passages of one organisation, found by their words and by their vectors. It holds where they are and not their text. Beyond
 * its limit the passages of the oldest sources are left out.
 */
export class OrganisationIndex {
  readonly #maxPassages: number;
  readonly #entries = new Map<string, Entry>();
  readonly #words = new KeywordIndex();
  readonly #vectors = new VectorIndex();
  /** By slot; undefined where nothing is any more. */
  #owners: (Entry | undefined)[] = [];
  #ordinals: number[] = [];
  #hasVector: boolean[] = [];
  #passages = 0;
  #isComplete = true;

  constructor({ maxPassages }: { maxPassages: number }) {
    this.#maxPassages = maxPassages;
  }

  get passages(): number {
    return this.#passages;
  }

  /** False once something was left out. */
  get isComplete(): boolean {
    return this.#isComplete;
  }

  /** About what it occupies. */
  get bytes(): number {
    return this.#vectors.bytes + this.#words.size * BYTES_OF_POSTING + this.#owners.length * BYTES_OF_PASSAGE;
  }

  put(source: IndexedSource, passages: readonly IndexedPassage[]): void {
    this.drop(source.kind, source.id);
    const title = [...wordsOf(source.title)].map(({ term }) => term);
    const slots = passages.map((_, at) => this.#owners.length + at);
    const entry: Entry = { source, slots };
    for (const { ordinal, text, vector } of passages) {
      const slot = this.#owners.length;
      this.#owners.push(entry);
      this.#ordinals.push(ordinal);
      this.#words.add(slot, [...title, ...[...wordsOf(text)].map(({ term }) => term)]);
      this.#hasVector.push(vector !== undefined && this.#vectors.set(slot, vector));
    }
    this.#entries.set(keyOf(source), entry);
    this.#passages += slots.length;
    if (this.#passages > this.#maxPassages) this.#leaveOut();
  }

  drop(kind: SourceKind, id: string): void {
    const key = keyOf({ kind, id });
    const entry = this.#entries.get(key);
    if (!entry) return;
    this.#entries.delete(key);
    for (const slot of entry.slots) {
      this.#owners[slot] = undefined;
      this.#words.forget(slot);
    }
    this.#passages -= entry.slots.length;
    if (this.#owners.length - this.#passages > Math.max(1000, this.#owners.length * WASTE)) this.#compact();
  }

  search(query: IndexQuery): Found[] {
    const { text, mode, vector, similarityThreshold = -1, limit } = query;
    const terms = mode === 'semantic' ? [] : queryTerms(text);
    const words = this.#words.score(terms, this.#owners.length);
    const byMeaning = mode === 'keyword' ? undefined : vector;
    const scored = this.#scored(this.#candidates(query), { words, mode, vector: byMeaning });
    const best = bestOf(scored, limit);
    const bestScore = best[0]?.score || 1;
    return best.flatMap(({ slot, score }) => {
      const source = this.#owners[slot]?.source;
      if (!source) return [];
      const { kind, id, generation } = source;
      const meansIt =
        byMeaning && this.#hasVector[slot] && this.#vectors.cosine(slot, byMeaning) >= similarityThreshold;
      const isRelevant = meansIt === true || (terms.length > 0 && sharesEnough(words.shared[slot] ?? 0, terms.length));
      return [
        { kind, id, generation, ordinal: this.#ordinals[slot] ?? 0, score: Math.max(0, score / bestScore), isRelevant },
      ];
    });
  }

  *#scored(candidates: readonly number[], { words, mode, vector }: IndexQuestion): Generator<Scored> {
    const { scores, coverage } = words;
    if (!vector) {
      for (const slot of candidates) if (scores[slot]) yield { slot, score: scores[slot] };
      return;
    }
    const has = (slot: number): boolean => this.#hasVector[slot] === true;
    const cosines = new Float32Array(this.#owners.length);
    for (const slot of candidates) if (has(slot)) cosines[slot] = this.#vectors.cosine(slot, vector);
    const merged = mode === 'hybrid' && mergeScores(candidates, words, { cosines, has });
    for (const [at, slot] of candidates.entries())
      if (has(slot) || (merged && coverage[slot])) yield { slot, score: (merged ? merged[at] : cosines[slot]) ?? 0 };
  }

  #candidates(query: IndexQuery): number[] {
    const sourceIds = query.sourceIds && new Set(query.sourceIds);
    const allowed = new Map<Entry, boolean>();
    const candidates: number[] = [];
    for (const [slot, entry] of this.#owners.entries()) {
      if (!entry) continue;
      let isAllowed = allowed.get(entry);
      if (isAllowed === undefined) {
        isAllowed = matches(entry.source, query, sourceIds);
        allowed.set(entry, isAllowed);
      }
      if (isAllowed) candidates.push(slot);
    }
    return candidates;
  }

  #leaveOut(): void {
    this.#isComplete = false;
    const byAge = [...this.#entries.values()].sort((one, other) => one.source.createdAt - other.source.createdAt);
    // Somewhat more than needed, so that not every new source has all of them sorted.
    const wanted = Math.floor(this.#maxPassages * 0.95);
    for (const { source } of byAge) {
      if (this.#passages <= wanted) return;
      this.drop(source.kind, source.id);
    }
  }

  #compact(): void {
    const slots = new Int32Array(this.#owners.length).fill(-1);
    const kept = this.#owners.flatMap((entry, slot) => (entry ? [slot] : []));
    for (const [moved, slot] of kept.entries()) slots[slot] = moved;
    this.#words.compact(slots);
    this.#vectors.compact(slots);
    this.#ordinals = kept.map((slot) => this.#ordinals[slot] ?? 0);
    this.#hasVector = kept.map((slot) => this.#hasVector[slot] ?? false);
    this.#owners = [];
    for (const [key, { source, slots: own }] of this.#entries) {
      const moved: Entry = { source, slots: own.map((slot) => slots[slot] ?? -1) };
      for (const slot of moved.slots) this.#owners[slot] = moved;
      this.#entries.set(key, moved);
    }
  }
}

/** The `limit` best, best first; of equals, the first. */
function bestOf(scored: Iterable<Scored>, limit: number): Scored[] {
  const best: Scored[] = [];
  for (const one of scored) {
    const last = best.at(-1);
    if (best.length >= limit && last && one.score <= last.score) continue;
    if (best.length >= limit) best.pop();
    const at = best.findLastIndex(({ score }) => score >= one.score);
    best.splice(at + 1, 0, one);
  }
  return best;
}

function matches(source: IndexedSource, query: IndexQuery, sourceIds: ReadonlySet<string> | undefined): boolean {
  const { kinds, collections, mediaTypes, createdAfter, createdBefore, memberId } = query;
  return (
    (!kinds || kinds.includes(source.kind)) &&
    (!sourceIds || sourceIds.has(source.id)) &&
    (!collections || (source.collection !== undefined && collections.includes(source.collection))) &&
    (!mediaTypes || (source.mediaType !== undefined && mediaTypes.includes(source.mediaType))) &&
    (!createdAfter || source.createdAt > createdAfter.getTime()) &&
    (!createdBefore || source.createdAt < createdBefore.getTime()) &&
    (memberId === undefined || !source.memberIds || source.memberIds.includes(memberId))
  );
}
