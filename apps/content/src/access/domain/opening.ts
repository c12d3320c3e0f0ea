/** Stands for everybody in the organisation among those who may open something. */
export const EVERYBODY = '*';

/** Somebody who opens things and may not open all. */
export type Reader =
  | { readonly kind: 'member'; readonly organisationId: string; readonly userId: string; readonly groupId?: string }
  | { readonly kind: 'key'; readonly organisationId: string; readonly apiKeyId: string; readonly groupId?: string }
  /** A service, which may open nothing that is restricted. */
  | { readonly kind: 'nobody'; readonly organisationId: string };

/** What a reader may open of what is restricted. */
export interface Opening {
  /** The reader's own among those of `readersOf`. */
  readonly tokens: readonly string[];
  /** Collections that are restricted to others. */
  readonly closedCollections: readonly string[];
  /** What the lists of the reader's groups open besides, by ids. */
  readonly documents: readonly string[];
  /** Conventions and assistants, likewise. */
  readonly assets: readonly string[];
}

/** For whom the present work is done. */
export interface PresentReader {
  /** Does the work for a reader; undefined: for somebody who may open everything. */
  within<T>(this: void, reader: Reader | undefined, work: () => T): T;
  /** What may be opened; undefined: everything, as in work that is the service's own. */
  opening(this: void): Promise<Opening | undefined>;
}

export interface Openable {
  readonly kind: string;
  readonly id: string;
  readonly collection?: string | undefined;
  /** Absent of what was made before there were any: everybody. */
  readonly readers?: readonly string[] | undefined;
}

/** Whether something may be opened. For many things: what is looked through is prepared once. */
export function openBy({ tokens, closedCollections, documents, assets }: Opening): (thing: Openable) => boolean {
  const [own, closed] = [new Set(tokens), new Set(closedCollections)];
  const named: Readonly<Record<string, ReadonlySet<string>>> = {
    DOCUMENT: new Set(documents),
    CONVENTION: new Set(assets),
    ASSISTANT: new Set(assets),
  };
  return ({ kind, id, collection, readers = [EVERYBODY] }) =>
    named[kind]?.has(id) ||
    readers.some((token) => own.has(token)) ||
    (readers.includes(EVERYBODY) && (collection === undefined || !closed.has(collection)));
}
