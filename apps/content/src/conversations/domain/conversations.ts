import type { ActorContext, Decision, Page, PageRequest } from '@platform-backend/core';
import type { OlderThan } from '../../documents/domain/documents.ts';
import type { ContentEvent } from '../../events.ts';
import type { Conversation, Readership } from './conversation.ts';
import type { Message, SenderType } from './message.ts';

export interface ConversationFilter {
  readonly memberId?: string | undefined;
  readonly isShared?: boolean | undefined;
  readonly isArchived?: boolean | undefined;
  /** Part of the title, in capitals or not. */
  readonly title?: string | undefined;
}

export interface ConversationList extends PageRequest, ConversationFilter {
  /** By when they were begun, or by when something was last said. */
  readonly sort: 'created' | 'activity';
  readonly order: 'asc' | 'desc';
}

export interface MessageFilter {
  readonly conversationId?: string | undefined;
  readonly memberId?: string | undefined;
  readonly senderType?: SenderType | undefined;
  readonly isFinished?: boolean | undefined;
  readonly createdAfter?: Date | undefined;
  readonly createdBefore?: Date | undefined;
}

export interface MessageList extends PageRequest, MessageFilter {
  readonly order: 'asc' | 'desc';
}

/** Something of an organisation, found by work that repeats itself. */
export interface OfOrganisation {
  readonly organisationId: string;
  readonly id: string;
}

/** The conversations of organisations. */
export interface Conversations {
  /** Also one that was removed and whose messages are not yet. */
  readonly find: (organisationId: string, id: string) => Promise<Conversation | undefined>;
  readonly list: (organisationId: string, wanted: ConversationList) => Promise<Page<Conversation>>;
  /** Those that are older, by their last message where that is asked for; the oldest first. */
  readonly olderThan: (organisationId: string, wanted: OlderThan, page: PageRequest) => Promise<Page<Conversation>>;
  /** Who reads each of these; those that are gone are left out. */
  readonly readershipOf: (organisationId: string, ids: readonly string[]) => Promise<ReadonlyMap<string, Readership>>;
  /** Loads, decides and saves, with the events. */
  readonly update: <Result>(
    by: ActorContext,
    id: string,
    decide: (conversation: Conversation | undefined) => Decision<Conversation | undefined, ContentEvent, Result>,
  ) => Promise<Result>;
  /** Does all of it or nothing. The work may be run again from its beginning. */
  readonly together: <Result>(organisationId: string, work: () => Promise<Result>) => Promise<Result>;
  /** Those whose turn was broken off before this moment. */
  readonly withExpiredTurn: (before: Date, limit: number) => Promise<readonly OfOrganisation[]>;
  /** In how many milliseconds the lease of the first turn ends; undefined: nobody answers. */
  readonly untilExpiredTurn: (at: Date) => Promise<number | undefined>;
  /** Those that were removed and whose messages may still be there. */
  readonly removed: (limit: number) => Promise<readonly OfOrganisation[]>;
  /** One of which searches have to learn, of the next organisation behind this one; until then nobody else gets it. */
  readonly takeSearchDue: (afterOrganisation: string, at: Date, until: Date) => Promise<OfOrganisation | undefined>;
  /** Searches know of it, as far as whoever took it until then knows. False: it has changed since, or is gone. */
  readonly searchDone: (taken: OfOrganisation, until: Date) => Promise<boolean>;
  /** Removes what is left of one whose messages are gone. */
  readonly forget: (organisationId: string, id: string) => Promise<unknown>;
  /** All of an organisation's, without events of their own. */
  readonly removeAll: (organisationId: string) => Promise<unknown>;
}

/** The messages of organisations. */
export interface Messages {
  /** Which conversation each of these messages is of; those that are gone are left out. */
  readonly conversationsOf: (organisationId: string, ids: readonly string[]) => Promise<ReadonlyMap<string, string>>;
  readonly find: (organisationId: string, id: string) => Promise<Message | undefined>;
  readonly list: (organisationId: string, wanted: MessageList) => Promise<Page<Message>>;
  /** Loads, decides and saves, with the events. */
  readonly update: <Result>(
    by: ActorContext,
    id: string,
    decide: (message: Message | undefined) => Decision<Message, ContentEvent, Result>,
  ) => Promise<Result>;
  /** A message and those before it in its branch, at most this many, oldest first. */
  readonly branch: (organisationId: string, last: Message, limit: number) => Promise<readonly Message[]>;
  /** Ids of some messages of a conversation, none when it has none. */
  readonly someOf: (organisationId: string, conversationId: string, limit: number) => Promise<readonly string[]>;
  /** Of a conversation those behind this one in the order of their ids. */
  readonly idsAfter: (
    organisationId: string,
    conversationId: string,
    after: string,
    limit: number,
  ) => Promise<readonly string[]>;
  /** Of what was said in this conversation, searches have to learn again what they are learning of just now. */
  readonly markForSearch: (organisationId: string, conversationId: string, at: Date) => Promise<unknown>;
  /** One of which searches have to learn, of the next organisation behind this one; until then nobody else gets it. */
  readonly takeSearchDue: (afterOrganisation: string, at: Date, until: Date) => Promise<OfOrganisation | undefined>;
  /** Searches know of it, as far as whoever took it until then knows. False: it has changed since, or is gone. */
  readonly searchDone: (taken: OfOrganisation, until: Date) => Promise<boolean>;
  /** Without events of their own. */
  readonly remove: (organisationId: string, ids: readonly string[]) => Promise<unknown>;
  /** All of an organisation's, without events of their own. */
  readonly removeAll: (organisationId: string) => Promise<unknown>;
}

/** Messages as whoever reads them may see them. */
export type ShowSources = (organisationId: string, messages: readonly Message[]) => Promise<readonly Message[]>;
