import { created, type ActorContext, type Decision, type Page, type PageRequest } from '@platform-backend/core';
import { accessShown, type Restrictable } from '../../access/domain/access.ts';
import type { Failure, VersionActor } from '../../documents/domain/document.ts';
import type { Metadata } from '../../documents/domain/metadata.ts';
import type { ContentEvent } from '../../events.ts';

export type ImportItemStatus = 'QUEUED' | 'FETCHING' | 'IMPORTED' | 'FAILED' | 'CANCELLED';

/** Some addresses of which documents are made. */
export interface DocumentImport {
  readonly id: string;
  /** Whose it is. */
  readonly userId: string;
  readonly total: number;
  /** Of all of its documents, as are the next two. */
  readonly collection: string;
  readonly metadata: Metadata;
  readonly made: Restrictable;
  /** Absent of one from before it was noted. */
  readonly actor?: VersionActor;
  readonly createdAt: Date;
}

/** One of the addresses. */
export interface ImportItem {
  readonly id: string;
  readonly importId: string;
  /** From 0. */
  readonly number: number;
  /** Without what may be secret of it. */
  readonly url: string;
  /** All of it; empty once it has been fetched, or nobody wants it any more. */
  readonly sealedUrl: string;
  readonly documentId: string;
  /** Empty: as the answer or the address says. */
  readonly name: string;
  readonly status: ImportItemStatus;
  /** Its document was made, and is made by nobody again: where it is gone, somebody has deleted it. */
  readonly begun: boolean;
  /** Whoever has it next ends it. */
  readonly isCancelled: boolean;
  readonly attempts: number;
  readonly sizeBytes: number;
  readonly failure: Failure | null;
}

export type ItemCounts = Readonly<Partial<Record<ImportItemStatus, number>>>;

/** One that somebody fetches now, who no longer may once the lease is another's. */
export interface HeldItem extends ImportItem {
  readonly organisationId: string;
  readonly holder: string;
}

/** What becomes of an item for good. */
export type ItemResult =
  | { readonly status: 'IMPORTED'; readonly sizeBytes: number }
  | { readonly status: 'FAILED'; readonly failure: Failure }
  | { readonly status: 'CANCELLED' };

export interface ItemList {
  readonly limit: number;
  /** The number behind which the page begins, or empty. */
  readonly cursor: string;
  /** Any of them; empty: whatever it is. */
  readonly status: readonly ImportItemStatus[];
}

/** The imports of organisations. */
export interface Imports {
  readonly find: (organisationId: string, id: string) => Promise<DocumentImport | undefined>;
  readonly list: (
    organisationId: string,
    wanted: PageRequest & { readonly order: 'asc' | 'desc'; readonly userId: string | null },
  ) => Promise<Page<DocumentImport>>;
  /** Of these imports. */
  readonly counts: (organisationId: string, ids: readonly string[]) => Promise<ReadonlyMap<string, ItemCounts>>;
  readonly items: (
    organisationId: string,
    importId: string,
    wanted: ItemList,
  ) => Promise<{ readonly items: readonly ImportItem[]; readonly nextCursor: string }>;
  /** Keeps an import with all of its items, and what is done with it, in one transaction. CONFLICT: too many are open. */
  readonly create: <T>(
    by: ActorContext,
    decision: Decision<DocumentImport, ContentEvent>,
    items: readonly ImportItem[],
    also: () => Promise<T>,
  ) => Promise<T>;
  /** Ends what nobody has begun with, and has all else ended by whoever takes it next; whoever fetches it now has it no longer. */
  readonly cancel: (by: ActorContext, made: DocumentImport, at: Date) => Promise<void>;
  /** Has all that failed fetched once more. CONFLICT: too many are open. */
  readonly retry: (by: ActorContext, made: DocumentImport, at: Date) => Promise<void>;
  /** Of the organisations that have an item that is due the next one after this, round and round, with what is due longest; of those of `except` none. */
  readonly take: (
    after: { readonly organisation: string; readonly except: readonly string[] },
    at: Date,
    lease: { readonly holder: string; readonly until: Date },
  ) => Promise<HeldItem | undefined>;
  /** In how many milliseconds the first is due; undefined: there is none. */
  readonly untilDue: (at: Date) => Promise<number | undefined>;
  /** False: somebody else has it now, or it is gone. */
  readonly renew: (item: HeldItem, until: Date) => Promise<boolean>;
  /** Makes the document of an item, or goes on with it, in the same transaction. False: as of `renew`. */
  readonly begin: (item: HeldItem, also: () => Promise<unknown>) => Promise<boolean>;
  /**
   * It is tried again at that time, with what that makes of its document, in one transaction; unless that counts, as often as if this
   * attempt had not been. Where somebody else has it now nothing happens.
   */
  readonly postpone: (
    item: HeldItem,
    attempt: { readonly at: Date; readonly counts: boolean },
    also: () => Promise<void>,
  ) => Promise<void>;
  /** It is over, with what that makes of its document, in one transaction. Undefined: as of `renew`. */
  readonly end: (item: HeldItem, also: () => Promise<ItemResult>) => Promise<ItemResult | undefined>;
  /** Removes those that were made before this time and are over. */
  readonly removeOld: (before: Date, stopping: AbortSignal) => Promise<void>;
  readonly removeAll: (organisationId: string) => Promise<void>;
}

/** What the address of an item is sealed for: copied to another one it opens there for nobody. */
export const addressContext = (organisationId: string, itemId: string): string => `import/${organisationId}/${itemId}`;

/** Of one organisation that are still to be fetched. */
export const MAX_OPEN = 10_000;

export const createImport = (made: DocumentImport): Decision<DocumentImport, ContentEvent> =>
  created(
    'document_import.created',
    made,
    made.createdAt,
    { import_id: made.id, addresses: made.total },
    { addresses: made.total, collection: made.collection, ...accessShown(made.made) },
  );

/** What has happened to so many addresses of an import: they are fetched no more, or those that failed once more. */
export const importChanged = (
  name: 'document_import.cancelled' | 'document_import.retried',
  { id }: DocumentImport,
  { addresses, at }: { readonly addresses: number; readonly at: Date },
): ContentEvent => {
  const of = name === 'document_import.cancelled' ? 'open' : 'failed';
  return {
    ...{ name, subject: id, at, data: { import_id: id, addresses } },
    change: { before: { [of]: addresses }, after: { [of]: 0 } },
  };
};
