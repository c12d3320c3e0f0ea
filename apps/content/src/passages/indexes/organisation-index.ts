import { openBy, type Openable } from '../../access/domain/opening.ts';
import type { Source, SourceKind } from '../domain/passage.ts';
import type { ReaderQuery } from '../domain/search.ts';
import type { PassageBudgets } from './index-parts.ts';
import { KeywordIndex, type QueryTerm, type TermStatistics } from './keyword-index.ts';
import type { Scores, Spread } from './merge-scores.ts';
import {
  bytesOf,
  linesIn,
  numbersIn,
  piecesOfLines,
  piecesOfNumbers,
  type Snapshot,
  type SnapshotParts,
} from './snapshot-file.ts';
import { fingerprintOf } from './snapshot-fingerprints.ts';
import { VectorIndex } from './vector-index.ts';
import { languageOfText, wordsOf } from './words.ts';

/** What the index has to know of a source, in a form that threads can send each other. */
export interface IndexedSource extends Omit<Source, 'createdAt'> {
  /** Names the set of its passages. */
  readonly generation: string;
  /** Milliseconds since 1970. */
  readonly createdAt: number;
  /** Of all that the index has of it, for whoever keeps it in step. */
  readonly version?: string;
}

export interface IndexedPassage {
  readonly ordinal: number;
  readonly text: string;
  /** That it stands under. */
  readonly heading?: string | undefined;
  /** Of the model in use; absent where it has not been embedded by it. */
  readonly vector?: Float32Array;
}

export interface IndexQuery extends ReaderQuery {
  readonly vector?: Float32Array;
  /** From which cosine on a passage is about what was asked; absent: nobody knows, and any may be. */
  readonly similarityThreshold?: number | undefined;
  /** See `Embeddings`. */
  readonly meaningWeighs?: number | undefined;
  /** What is known of all that is searched, where the index has only the best of it. */
  readonly whole?: SearchedWhole | undefined;
}

/** What scores follow from besides what is scored. */
export interface SearchedWhole {
  readonly texts: number;
  /** In how many of them each term of the query is, in the order of the terms; undefined where it was not counted. */
  readonly found: readonly (number | undefined)[];
  /** Of the similarities to the question. */
  readonly spread?: Spread | undefined;
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

/** What part of its budget a kind has after some of it was left out. */
const KEPT = 0.95;

/** What part of the slots may be unused before they are given out anew. */
const WASTE = 0.25;

/** A query as the scores go by it. */
export interface IndexQuestion {
  readonly terms: readonly QueryTerm[];
  /** Of all that is searched together. */
  readonly statistics: TermStatistics;
  /** Absent where it goes by words alone. */
  readonly vector: Float32Array | undefined;
}

/** What a query may find, and how it fits by words and by meaning; all arrays in the same order. */
export interface Candidates extends Scores {
  readonly slots: readonly number[];
  readonly shared: Uint16Array;
}

export const keyOf = ({ kind, id }: { readonly kind: SourceKind; readonly id: string }): string => `${kind}:${id}`;

/** A source in a snapshot, with how many passages it has. */
type SnapshotEntry = readonly [source: IndexedSource, passages: number];

/**
 * Passages of one organisation, found by their words and by their vectors. It holds where they are and not their text. Beyond
 * the budget of a kind the passages of its oldest sources are left out, and no other kind's.
 */
export class OrganisationIndex {
  readonly #budgets: PassageBudgets;
  readonly #entries = new Map<string, Entry>();
  readonly #words = new KeywordIndex();
  readonly #vectors = new VectorIndex();
  /** By slot; undefined where nothing is any more. */
  #owners: (Entry | undefined)[] = [];
  #ordinals: number[] = [];
  #hasVector: boolean[] = [];
  readonly #passages: Record<SourceKind, number> = { DOCUMENT: 0, CONVENTION: 0, MESSAGE: 0 };

  constructor(budgets: PassageBudgets) {
    this.#budgets = budgets;
  }

  get passages(): Readonly<Record<SourceKind, number>> {
    return { ...this.#passages };
  }

  get #size(): number {
    return this.#passages.DOCUMENT + this.#passages.CONVENTION + this.#passages.MESSAGE;
  }

  /** About what it occupies. */
  get bytes(): number {
    return this.#vectors.bytes + this.#words.size * BYTES_OF_POSTING + this.#owners.length * BYTES_OF_PASSAGE;
  }

  /** Answers which sources were left out for it, itself among them where it is the oldest. */
  put(source: IndexedSource, passages: readonly IndexedPassage[]): readonly Pick<IndexedSource, 'kind' | 'id'>[] {
    this.drop(source.kind, source.id);
    const language = languageOfText(sampleOf(passages));
    const termsOf = (text: string): string[] => [...wordsOf(text, language)].map(({ term }) => term);
    const title = termsOf(source.title);
    const slots = passages.map((_, at) => this.#owners.length + at);
    const entry: Entry = { source, slots };
    for (const { ordinal, text, heading = '', vector } of passages) {
      const slot = this.#owners.length;
      this.#owners.push(entry);
      this.#ordinals.push(ordinal);
      this.#words.add(slot, [...title, ...termsOf(heading), ...termsOf(text)]);
      this.#hasVector.push(vector !== undefined && this.#vectors.set(slot, vector));
    }
    this.#entries.set(keyOf(source), entry);
    this.#passages[source.kind] += slots.length;
    return this.#passages[source.kind] > this.#budgets[source.kind] ? this.#leaveOut(source.kind) : [];
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
    this.#passages[kind] -= entry.slots.length;
    if (this.#owners.length - this.#size > Math.max(1000, this.#owners.length * WASTE)) this.#compact();
  }

  /** By slot what whoever asks may read at all; undefined: everything. What scores follow from tells of nothing else. */
  readableBy({ opening, memberId }: IndexQuery): Uint8Array | undefined {
    if (!opening && memberId === undefined) return undefined;
    const isOpen = opening && openBy(opening);
    const readable = new Uint8Array(this.#owners.length);
    for (const { source, slots } of this.#entries.values())
      if (mayRead(source, memberId, isOpen)) for (const slot of slots) readable[slot] = 1;
    return readable;
  }

  statistics(terms: readonly QueryTerm[], readable: Uint8Array | undefined): TermStatistics {
    return this.#words.statistics(terms, readable);
  }

  /** The words of a query as texts may have them in compounds. */
  get words(): Pick<KeywordIndex, 'has' | 'compoundsOf'> {
    return this.#words;
  }

  candidates(query: IndexQuery, { terms, statistics, vector }: IndexQuestion): Candidates {
    const slots = this.#allowed(query);
    const words = this.#words.score(terms, this.#owners.length, statistics);
    const candidates = {
      slots,
      scores: new Float32Array(slots.length),
      coverage: new Float32Array(slots.length),
      shared: new Uint16Array(slots.length),
      cosines: new Float32Array(slots.length),
      hasVector: new Uint8Array(slots.length),
    };
    // Each array by itself from what there is of all slots took longer than all else together.
    for (let at = 0; at < slots.length; at += 1) {
      const slot = slots[at] as number;
      candidates.scores[at] = words.scores[slot] as number;
      candidates.coverage[at] = words.coverage[slot] as number;
      candidates.shared[at] = words.shared[slot] as number;
      if (!vector || !this.#hasVector[slot]) continue;
      candidates.hasVector[at] = 1;
      candidates.cosines[at] = this.#vectors.cosine(slot, vector);
    }
    return candidates;
  }

  /** Of which source the passage in a slot is. */
  sourceIn(slot: number): IndexedSource | undefined {
    return this.#owners[slot]?.source;
  }

  /** Which passage is in a slot. */
  passageIn(slot: number): Omit<Found, 'score' | 'isRelevant'> | undefined {
    const source = this.sourceIn(slot);
    if (!source) return undefined;
    const { kind, id, generation } = source;
    return { kind, id, generation, ordinal: this.#ordinals[slot] ?? 0 };
  }

  /** By its key, of so many sources behind the first ones. */
  versions(from: number, count: number): readonly (readonly [key: string, version: string])[] {
    const some = [...this.#entries.values()].slice(from, from + count);
    return some.map(({ source }) => [keyOf(source), source.version ?? '']);
  }

  /** Without a word of what was dropped. It is to be read before the index changes. */
  snapshot(): SnapshotParts {
    if (this.#owners.length > this.#size) this.#compact();
    const entries = [...this.#entries.values()];
    return {
      fingerprints: piecesOfNumbers(entries.map(({ source }) => fingerprintOf(keyOf(source), source.version ?? ''))),
      sources: piecesOfLines(
        entries.map(({ source, slots }) => JSON.stringify([source, slots.length] satisfies SnapshotEntry)),
      ),
      ordinals: piecesOfNumbers([this.#ordinals]),
      hasVector: [bytesOf(Uint8Array.from(this.#hasVector, Number))],
      ...this.#words.snapshot(),
      ...this.#vectors.snapshot(),
    };
  }

  /** One with the same budgets that has what another one had. @throws where the parts do not fit each other. */
  static restored(budgets: PassageBudgets, part: Snapshot['part']): OrganisationIndex {
    const index = new OrganisationIndex(budgets);
    for (const line of linesIn(part('sources'))) {
      const [source, passages] = JSON.parse(line) as SnapshotEntry;
      const entry: Entry = { source, slots: Array.from({ length: passages }, (_, at) => index.#owners.length + at) };
      for (let at = 0; at < passages; at += 1) index.#owners.push(entry);
      index.#entries.set(keyOf(source), entry);
      index.#passages[source.kind] += passages;
    }
    index.#ordinals = Array.from(numbersIn(part('ordinals')));
    index.#hasVector = Array.from(part('hasVector'), (has) => has === 1);
    index.#words.restore(part);
    index.#vectors.restore(part);
    if (index.#ordinals.length !== index.#owners.length) throw new Error('a snapshot has other passages than sources');
    return index;
  }

  #allowed(query: IndexQuery): number[] {
    const sourceIds = query.sourceIds && new Set(query.sourceIds);
    const isOpen = query.opening && openBy(query.opening);
    const allowed = new Map<Entry, boolean>();
    const candidates: number[] = [];
    for (const [slot, entry] of this.#owners.entries()) {
      if (!entry) continue;
      let isAllowed = allowed.get(entry);
      if (isAllowed === undefined) {
        isAllowed = matches(entry.source, query, { sourceIds, isOpen });
        allowed.set(entry, isAllowed);
      }
      if (isAllowed) candidates.push(slot);
    }
    return candidates;
  }

  #leaveOut(kind: SourceKind): readonly Pick<IndexedSource, 'kind' | 'id'>[] {
    const ofKind = [...this.#entries.values()].filter(({ source }) => source.kind === kind);
    const byAge = ofKind.sort((one, other) => one.source.createdAt - other.source.createdAt);
    // Somewhat more than needed, so that not every new source has all of them sorted.
    const wanted = Math.floor(this.#budgets[kind] * KEPT);
    const leftOut: Pick<IndexedSource, 'kind' | 'id'>[] = [];
    for (const { source } of byAge) {
      if (this.#passages[kind] <= wanted) break;
      this.drop(kind, source.id);
      leftOut.push({ kind, id: source.id });
    }
    return leftOut;
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

interface Prepared {
  readonly sourceIds: ReadonlySet<string> | undefined;
  readonly isOpen: ((thing: Openable) => boolean) | undefined;
}

function matches(source: IndexedSource, query: IndexQuery, { sourceIds, isOpen }: Prepared): boolean {
  const { kinds, collections, mediaTypes, labels, createdAfter, createdBefore, memberId } = query;
  return (
    (!kinds || kinds.includes(source.kind)) &&
    (!sourceIds || sourceIds.has(source.id)) &&
    (!collections || (source.collection !== undefined && collections.includes(source.collection))) &&
    (!mediaTypes || (source.mediaType !== undefined && mediaTypes.includes(source.mediaType))) &&
    (!labels || labels.every((label) => source.labels?.includes(label) ?? false)) &&
    (!createdAfter || source.createdAt > createdAfter.getTime()) &&
    (!createdBefore || source.createdAt < createdBefore.getTime()) &&
    mayRead(source, memberId, isOpen)
  );
}

const mayRead = (source: IndexedSource, memberId: string | undefined, isOpen: Prepared['isOpen']): boolean =>
  (memberId === undefined || !source.memberIds || source.memberIds.includes(memberId)) &&
  (!isOpen || source.kind === 'MESSAGE' || isOpen(source));

/** Long enough to tell a language by. */
const SAMPLED_PASSAGES = 5;

const sampleOf = (passages: readonly IndexedPassage[]): string =>
  passages
    .slice(0, SAMPLED_PASSAGES)
    .map(({ text }) => text)
    .join('\n');
