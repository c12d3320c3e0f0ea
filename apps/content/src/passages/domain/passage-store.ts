import type { Passage, Source, SourceKind } from './passage.ts';

/** A passage with its vector and whose model that is; without both where it could not be embedded. */
export interface StoredPassage extends Passage {
  readonly vector?: Float32Array;
  readonly model?: string;
}

/** A source as it can be found now. */
export interface StoredSource extends Source {
  /** Names the set of passages that it has at present. */
  readonly generation: string;
  /** Of the model of all its vectors; empty where they have still to be made. */
  readonly model: string;
  /** How many it has. */
  readonly passages: number;
}

/** Where a change stands among those of its organisation. */
export interface ChangePosition {
  readonly changedAt: Date;
  readonly key: string;
}

/** What has become of a source: it is there, or was removed. */
export interface SourceChange {
  readonly kind: SourceKind;
  readonly id: string;
  readonly position: ChangePosition;
  readonly present?: StoredSource;
}

export interface PassageReference {
  readonly generation: string;
  readonly ordinal: number;
}

/** A source whose vectors somebody has undertaken to make anew. */
export interface StaleSource {
  readonly organisationId: string;
  readonly source: StoredSource;
}

/** Passages of organisations as they are kept. */
export interface PassageStore {
  /** Notes down that a source gets other passages and gives their set a name. What was begun before is given up. */
  begin(organisationId: string, source: Source, at: Date): Promise<string>;
  /** Adds passages to a set that was begun. They are found by nobody yet. */
  add(organisationId: string, source: Source, generation: string, passages: readonly StoredPassage[]): Promise<void>;
  /**
   * From now on the source has this set alone. False: somebody has begun a later one, or it is wanted no more, which is asked
   * in the same transaction; this one is removed.
   */
  publish(organisationId: string, source: StoredSource, at: Date, isWanted?: () => Promise<boolean>): Promise<boolean>;
  /** Removes a set that will not be published. */
  giveUp(organisationId: string, source: Source, generation: string): Promise<void>;
  describe(organisationId: string, source: Source, at: Date): Promise<void>;
  /** See `Passages`. */
  describeAll(
    organisationId: string,
    kind: SourceKind,
    ids: readonly string[],
    described: Pick<Source, 'title' | 'memberIds'>,
    at: Date,
  ): Promise<void>;
  /** See `Passages`. */
  relabel(organisationId: string, source: Source, at: Date): Promise<void>;
  /** See `Passages`. */
  hide(organisationId: string, kind: SourceKind, ids: readonly string[], at: Date): Promise<void>;
  remove(organisationId: string, kind: SourceKind, ids: readonly string[], at: Date): Promise<void>;
  find(organisationId: string, kind: SourceKind, id: string): Promise<StoredSource | undefined>;
  /** Of a set those from this ordinal on, so many at most, without their vectors. */
  page(organisationId: string, generation: string, from: number, limit: number): Promise<readonly Passage[]>;
  /** All passages of these sets, each set in its order. */
  passages(
    organisationId: string,
    generations: readonly string[],
  ): Promise<readonly (StoredPassage & { readonly generation: string })[]>;
  /** Those of these passages that can be found at present, with their sources; without their vectors unless they are asked for. */
  lookUp(
    organisationId: string,
    references: readonly PassageReference[],
    wanted?: { readonly vectors: boolean },
  ): Promise<readonly { readonly source: StoredSource; readonly passage: StoredPassage }[]>;

  /** Those of this kind, newest first, before this one. */
  newest(
    organisationId: string,
    kind: SourceKind,
    limit: number,
    before?: StoredSource,
  ): Promise<readonly StoredSource[]>;
  /** What has changed of these kinds since then, oldest change first, behind this position. */
  changes(
    organisationId: string,
    kinds: readonly SourceKind[],
    since: Date,
    limit: number,
    behind?: ChangePosition,
  ): Promise<readonly SourceChange[]>;

  /** The encoder refuses a source that was taken: it is taken again later, and each time later than before. */
  postponeStale(organisationId: string, source: StoredSource, at: Date): Promise<unknown>;
  /** Takes a source that has vectors of another model; for two minutes nobody else gets it. */
  takeStale(model: string, at: Date): Promise<StaleSource | undefined>;
  /** Sets the vectors of passages of a set, which are of this model. */
  setVectors(
    organisationId: string,
    generation: string,
    model: string,
    vectors: readonly { readonly ordinal: number; readonly vector: Float32Array }[],
  ): Promise<void>;
  /** Says that all vectors of the set are of this model, and gives the source back. */
  setModel(organisationId: string, source: StoredSource, model: string, at: Date): Promise<void>;

  /** Removes what was begun and never published before this moment, and forgets what was removed long before it. */
  tidy(before: Date): Promise<void>;
  removeAll(organisationId: string): Promise<void>;
}
