export type SourceKind = 'DOCUMENT' | 'CONVENTION' | 'MESSAGE';

/** A thing whose text can be found. */
export interface Source {
  readonly kind: SourceKind;
  readonly id: string;
  /** Found as well, and shown with every hit. */
  readonly title: string;
  readonly createdAt: Date;
  readonly collection?: string;
  readonly mediaType?: string;
  /** What it can be narrowed to, `name=value` each. */
  readonly labels?: readonly string[];
  /** Of a message, who may find it; absent: everybody in the organisation. */
  readonly memberIds?: readonly string[];
  /** Of what can be restricted, see `readersOf`; absent: everybody in the organisation. */
  readonly readers?: readonly string[];
}

/** A piece of a source's text that is short enough to be quoted and embedded. */
export interface Passage {
  /** From 0 on. */
  readonly ordinal: number;
  readonly text: string;
  /** From 1 on. */
  readonly page?: number;
  /** That it stands under, where it does not begin with one. */
  readonly heading?: string;
  /** Where it stands in the text of its source, in UTF-16 units. */
  readonly start: number;
  readonly end: number;
}

/** Cuts a text into passages that can be found and quoted by themselves. */
export type SplitPassages = (text: string) => Promise<readonly Passage[]>;

export interface ReplaceOptions {
  readonly signal?: AbortSignal | undefined;
  /** How many passages have their vectors. */
  readonly onEmbedded?: (done: number, all: number) => void;
  /**
   * Asked in the transaction that lets the new passages be found, as what they are of; undefined, and none of them ever are. What it
   * writes is written with that, or not at all.
   */
  readonly present?: () => Promise<Source | undefined>;
}

/** What can be found of an organisation. */
export interface Passages {
  /**
   * Replaces what the source had at one moment, so that a search sees the old passages or the new ones. It may be
   * repeated and costs little where nothing has changed: passages whose text was there before keep their vectors.
   * When two replace the same source, the one that began last wins. False: that is another one, or the source is there no more.
   */
  replace(
    organisationId: string,
    source: Source,
    passages: readonly Passage[],
    options?: ReplaceOptions,
  ): Promise<boolean>;
  /**
   * Has the passages of a source repeat what is said of it, for searches that look at them alone. Who finds them is said by the source,
   * so that a description which comes late opens nothing. It may be repeated; nothing happens where there are no passages.
   */
  describe(organisationId: string, source: Source): Promise<void>;
  /** As `relabel` and `describe`, for many of a kind of which the same is said. */
  describeAll(
    organisationId: string,
    kind: SourceKind,
    ids: readonly string[],
    described: Pick<Source, 'title' | 'memberIds'>,
  ): Promise<void>;
  /** Changes what is said of a source, and not its text, which is one write: for the transaction of the change itself. */
  relabel(organisationId: string, source: Source): Promise<void>;
  /** The part of `remove` that searches go by, likewise: from its commit on nothing of it is found. */
  hide(organisationId: string, kind: SourceKind, ids: readonly string[]): Promise<void>;
  /** From now on they are not found. It may be repeated. */
  remove(organisationId: string, kind: SourceKind, ids: readonly string[]): Promise<void>;
}
