import type { ActorContext, Decision, Page, PageRequest } from '@platform-backend/core';
import type { ContentEvent } from '../../events.ts';
import type { Restrictable } from './access.ts';

/** A collection that is restricted, and for whom; of others nothing is kept. */
export interface RestrictedCollection extends Restrictable {
  /** Its name. */
  readonly collection: string;
  readonly createdAt: Date;
}

/** The restricted collections of organisations, and whether there is anything restricted. */
export interface RestrictedCollections {
  readonly find: (organisationId: string, collection: string) => Promise<RestrictedCollection | undefined>;
  /** Oldest first. */
  readonly list: (organisationId: string, page: PageRequest) => Promise<Page<RestrictedCollection>>;
  /** With who may open them, whoever asks. Those that can be told apart are few. */
  readonly all: (
    organisationId: string,
  ) => Promise<readonly { readonly collection: string; readonly readers: readonly string[] }[]>;
  /** Loads, decides and saves, with the events. */
  readonly update: <Result>(
    by: ActorContext,
    collection: string,
    decide: (
      found: RestrictedCollection | undefined,
    ) => Decision<RestrictedCollection | undefined, ContentEvent, Result>,
  ) => Promise<Result>;
  /** The same of one that nobody has restricted before. CONFLICT: the organisation has as many as it may, whoever else restricts one now. */
  readonly add: RestrictedCollections['update'];
  /** From now on who reads is asked for: something of this organisation is restricted, or will be in a moment. */
  readonly markRestricted: (organisationId: string) => Promise<void>;
  readonly isAnythingRestricted: (organisationId: string) => Promise<boolean>;
  readonly removeAll: (organisationId: string) => Promise<unknown>;
}

/** The most of an organisation: every request looks through them. */
export const MAX_RESTRICTED_COLLECTIONS = 200;
