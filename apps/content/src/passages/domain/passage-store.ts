import type { Clock } from '@platform-backend/core';
import type { Passage, ReplaceOptions, Source, SourceKind } from './passage.ts';

/** A passage with its vector and whose model that is; without both where it could not be embedded. */
export interface StoredPassage extends Passage {
  readonly vector?: Float32Array;
  readonly model?: string;
  /** What the source was called when the vector was made, where that was after it had got another name. */
  readonly embeddedName?: string;
  /** Of the model that will answer later. */
  readonly next?: { readonly vector: Float32Array; readonly model: string; readonly embeddedName?: string };
}

/** A source as it can be found now. */
export interface StoredSource extends Source {
  /** Names the set of passages that it has at present. */
  readonly generation: string;
  /** Of the model of all its vectors; empty where they have still to be made. */
  readonly model: string;
  /** That of which it has all vectors as well, beside the others. */
  readonly nextModel?: string;
  /**
   * It was called otherwise when its vectors were made, and its name is part of what is embedded: that of all of them, which answer until they
   * are made anew, or an empty text where some are missing.
   */
  readonly formerNameModel?: string;
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

/** Sources of an organisation whose vectors somebody has undertaken to make anew. */
export interface StaleSources {
  readonly organisationId: string;
  readonly sources: readonly StoredSource[];
}

/** The vector of a passage of a set. */
export interface PassageVector extends PassageReference {
  readonly vector: Float32Array;
  readonly embeddedName?: string;
}

/** Of which model vectors are, and whether they stand beside those that answer. */
export interface MadeBy {
  readonly model: string;
  readonly beside: boolean;
}

/**
 * Passages of organisations as they are kept. Whatever changes what is found notes down when, by a clock that is looked at for each attempt of
 * the write and not before: what has waited since would stand among changes that indexes know already.
 */
export interface PassageStore {
  /** Notes down that a source gets other passages and gives their set a name. What was begun before is given up. */
  begin(organisationId: string, source: Source, at: Date): Promise<string>;
  /** Adds passages to a set that was begun. They are found by nobody yet. */
  add(organisationId: string, source: Source, generation: string, passages: readonly StoredPassage[]): Promise<void>;
  /**
   * From now on the source has this set alone. False: somebody has begun a later one, or it is there no more, which is asked
   * in the same transaction, and what is said of it as well; this one is removed.
   */
  publish(
    organisationId: string,
    source: StoredSource,
    clock: Clock,
    present?: ReplaceOptions['present'],
  ): Promise<boolean>;
  /** Removes a set that will not be published. */
  giveUp(organisationId: string, source: Source, generation: string): Promise<void>;
  /** See `Passages`. */
  describe(organisationId: string, source: Source): Promise<void>;
  /** See `Passages`. */
  describeAll(
    organisationId: string,
    kind: SourceKind,
    ids: readonly string[],
    described: Pick<Source, 'title' | 'memberIds'>,
    clock: Clock,
  ): Promise<void>;
  /** See `Passages`. */
  relabel(organisationId: string, source: Source, clock: Clock): Promise<void>;
  /** See `Passages`. */
  hide(organisationId: string, kind: SourceKind, ids: readonly string[], clock: Clock): Promise<void>;
  remove(organisationId: string, kind: SourceKind, ids: readonly string[], clock: Clock): Promise<void>;
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
  /**
   * Takes sources that have vectors of another model, some hundred passages of them; for two minutes nobody else gets them. They are
   * of the next organisation behind this one that has any. What the encoder has refused is taken by itself.
   */
  takeStale(model: string, behind: string, at: Date): Promise<StaleSources | undefined>;
  /** How many sources have vectors of another model or none, up to this many. */
  countStale(model: string, upTo: number): Promise<number>;
  /** Sets vectors, which are of this model; `beside`: those that are there stay until `promote`. */
  setVectors(organisationId: string, vectors: readonly PassageVector[], made: MadeBy): Promise<void>;
  /** Says that all vectors of these sets have been made, and gives their sources back; one that has got another name meanwhile is to be embedded once more. */
  setModel(organisationId: string, sources: readonly StoredSource[], made: MadeBy, clock: Clock): Promise<void>;

  /** By which model an organisation's questions are answered; this one where it has vectors of no other. */
  answeringModel(organisationId: string, current: string): Promise<string>;
  /** From now on this model answers wherever all that an encoder takes has vectors of it. The organisations in which it did not before. */
  switchTo(model: string): Promise<readonly string[]>;
  /** Where this model answers, its vectors take the place of those before, some sources at a time. False: there are none left. */
  promote(model: string): Promise<boolean>;

  /** Removes what was begun and never published before this moment, and forgets what was removed long before it. */
  tidy(before: Date): Promise<void>;
  removeAll(organisationId: string): Promise<void>;
}
