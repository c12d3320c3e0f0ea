import type { ActorContext, Page, PageRequest } from '@platform-backend/core';
import type { AccessInput } from '../../access/domain/access.ts';
import type { DocumentDecision } from './document-decision.ts';
import type { FollowUp, Document, DocumentStatus } from './document.ts';

/** A list of all but the archive. */
export const ALL_DOCUMENTS = {
  status: [],
  collection: '',
  mediaType: '',
  visibility: null,
  labels: [],
  groupId: '',
  createdAfter: null,
  createdBefore: null,
} as const;

export interface DocumentList extends PageRequest {
  readonly order: 'asc' | 'desc';
  /** Any of them; all but the archive where there are none. */
  readonly status: readonly DocumentStatus[];
  /** Empty: whatever it is. */
  readonly collection: string;
  readonly mediaType: string;
  /** Null: whether it is restricted or not. */
  readonly visibility: AccessInput['visibility'] | null;
  /** All of them, see `labelsOf`. */
  readonly labels: readonly string[];
  /** Only what is restricted to this group; empty: to any or none. */
  readonly groupId: string;
  readonly createdAfter: Date | null;
  readonly createdBefore: Date | null;
  /** Begins behind this one, in place of `cursor`. */
  readonly after?: Pick<Document, 'id' | 'createdAt'>;
}

/** Documents that are older than this. */
export interface OlderDocuments extends OlderThan {
  /** Of this one alone. */
  readonly collection?: string | undefined;
  /** Of none of these. */
  readonly except?: readonly string[] | undefined;
}

/** What came to be, or was last changed, before a moment. */
export interface OlderThan {
  readonly since: 'CREATED' | 'CHANGED';
  readonly before: Date;
}

/** Names a document among those of all organisations. */
export interface DocumentRef {
  readonly organisationId: string;
  readonly id: string;
}

/** One that is due. */
export interface DueFollowUp extends FollowUp {
  readonly id: string;
  readonly organisationId: string;
}

/** What documents of an organisation take of its room. */
export interface StorageUse {
  readonly bytes: number;
  readonly documents: number;
}

/** The documents of organisations. */
export interface Documents {
  find(organisationId: string, id: string): Promise<Document | undefined>;
  list(organisationId: string, wanted: DocumentList): Promise<Page<Document>>;
  /** Those that are older and not exempt from retention, archived or not, the oldest first. */
  olderThan(organisationId: string, wanted: OlderDocuments, page: PageRequest): Promise<Page<Document>>;
  /** Whether any is filed under it. */
  isAnyIn(organisationId: string, collection: string): Promise<boolean>;
  /** Those of these that are there, for whoever asks. */
  idsAmong(organisationId: string, ids: readonly string[]): Promise<ReadonlySet<string>>;
  /** What all of them take, and how many there are, whoever may open them. */
  storage(organisationId: string): Promise<StorageUse>;
  /** Loads, decides and saves, with the events. */
  update<Result>(
    by: ActorContext,
    id: string,
    decide: (document: Document | undefined) => DocumentDecision<Document | undefined, Result>,
  ): Promise<Result>;
  /** As `update`; in the same moment searches know of it, and it is noted down what follows. */
  updateWithFollowUp<Result>(
    by: ActorContext,
    id: string,
    at: Date,
    decide: (document: Document | undefined) => DocumentDecision<Document | undefined, Result>,
  ): Promise<Result>;
  /**
   * Of the organisations that have a document to be processed the next one after this in the order of their ids, round and
   * round, with the document that has waited longest; of the small ones alone, where that is said.
   */
  nextToProcess(
    afterOrganisation: string,
    at: Date,
    of?: { readonly small: boolean },
  ): Promise<DocumentRef | undefined>;
  /** In how many milliseconds the first is to be processed, or taken from whoever has it; undefined: there is none. */
  untilProcessing(at: Date): Promise<number | undefined>;
  /** Since when what has waited longest has been due: a document to be processed, a change to be followed up. Undefined: nothing is. */
  oldestDue(what: 'processing' | 'follow_up', at: Date): Promise<Date | undefined>;
  /** How many are due; up to 100,000 are counted. */
  countDue(what: 'processing' | 'follow_up', at: Date): Promise<number>;
  /** Documents whose bytes are to be looked for. */
  toPoll(at: Date, limit: number): Promise<readonly DocumentRef[]>;
  /** In how many milliseconds the first of them is; undefined: there is none. */
  untilPoll(at: Date): Promise<number | undefined>;
  /** As `nextToProcess`; until then nobody else gets it. */
  takeFollowUp(afterOrganisation: string, at: Date, until: Date): Promise<DueFollowUp | undefined>;
  /** Notes down that this copy of the bytes is going to be made, to be looked at when nobody can be making it any more. */
  noteCopy(ref: DocumentRef, objectKey: string, dueAt: Date): Promise<void>;
  /** It comes again at this time, or never. */
  followedUp(due: DueFollowUp, again: Date | undefined): Promise<void>;
  removeAll(organisationId: string): Promise<unknown>;
}

/** The texts of documents, by the keys of their bytes. */
export interface DocumentTexts {
  find(organisationId: string, key: string): Promise<string | undefined>;
  put(organisationId: string, key: string, text: string): Promise<void>;
  remove(organisationId: string, keys: readonly string[]): Promise<void>;
  removeAll(organisationId: string): Promise<void>;
}
