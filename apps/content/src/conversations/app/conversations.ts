import type { ActorContext, Clock, Logger, Page } from '@platform-backend/core';
import type { Passages } from '../../passages/domain/passage.ts';
import {
  changeConversation,
  deleteConversation,
  readable,
  shareConversation,
  writable,
  type ChangeConversation,
  type Conversation,
} from '../domain/conversation.ts';
import type { ConversationFilter, ConversationList, Conversations, Messages } from '../domain/conversations.ts';
import { messageNotFound } from '../domain/errors.ts';
import { readerOf, type Reader } from '../domain/reader.ts';
import { forEachIsolated } from './for-each-isolated.ts';

export interface ConversationPorts {
  readonly conversations: Conversations;
  readonly messages: Messages;
  readonly passages: Pick<Passages, 'remove'>;
  readonly clock: Clock;
}

export type ConversationUseCases = ReturnType<typeof conversationUseCases>;

/** How many messages are removed at a time. */
const PART = 200;
/** How many conversations one round looks after. */
const ROUND = 20;

export const conversationUseCases = (ports: ConversationPorts) => {
  const { conversations, messages, clock } = ports;
  return {
    async listConversations(by: ActorContext, wanted: ConversationList): Promise<Page<Conversation>> {
      const visible = visibleTo(readerOf(by), wanted);
      if (visible) return conversations.list(by.organisationId, { ...wanted, ...visible });
      return { items: [], nextCursor: '', ...(wanted.includeTotal && { total: 0 }) };
    },

    getConversation: async (by: ActorContext, id: string): Promise<Conversation> =>
      readable(await conversations.find(by.organisationId, id), readerOf(by)),

    /** Changes the fields given. NOT_FOUND: it is somebody else's, or has no such message. */
    async updateConversation(by: ActorContext, id: string, wanted: ChangeConversation): Promise<Conversation> {
      const reader = readerOf(by);
      const { currentMessageId } = wanted;
      if (currentMessageId !== undefined) {
        writable(await conversations.find(by.organisationId, id), reader);
        const message = await messages.find(by.organisationId, currentMessageId);
        if (message?.conversationId !== id) throw messageNotFound();
      }
      return conversations.update(by, id, (found) => changeConversation(found, reader, wanted, clock.now()));
    },

    shareConversation: (by: ActorContext, id: string, isShared: boolean): Promise<Conversation> =>
      conversations.update(by, id, (found) => shareConversation(found, readerOf(by), isShared, clock.now())),

    async deleteConversation(by: ActorContext, id: string): Promise<void> {
      await conversations.update(by, id, (found) => deleteConversation(found, readerOf(by), clock.now()));
      await removeMessages(ports, by.organisationId, id);
    },
  };
};

/** Removes what is left of deleted conversations, where a process ended in the middle of it. */
export async function removeDeletedConversations(
  ports: ConversationPorts & { readonly logger: Pick<Logger, 'warn'> },
  stopping: AbortSignal,
): Promise<number> {
  const removed = await ports.conversations.removed(ROUND);
  await forEachIsolated(removed, ({ organisationId, id }) => removeMessages(ports, organisationId, id), {
    logger: ports.logger,
    failure: 'a deleted conversation could not be removed now',
    stopping,
  });
  return removed.length;
}

async function removeMessages(
  { conversations, messages, passages }: ConversationPorts,
  organisationId: string,
  id: string,
): Promise<void> {
  for (;;) {
    const ids = await messages.someOf(organisationId, id, PART);
    if (ids.length === 0) break;
    await passages.remove(organisationId, 'MESSAGE', ids);
    await messages.remove(organisationId, ids);
  }
  await conversations.forget(organisationId, id);
}

/**
 * What is added to a filter so that it finds only what somebody may read. Below ADMIN that is their own, and of others what is
 * shared where they ask for it. Undefined: nothing at all.
 */
function visibleTo({ memberId, readsAll }: Reader, wanted: ConversationFilter): ConversationFilter | undefined {
  if (readsAll) return {};
  const isOwn = wanted.memberId === memberId || (wanted.memberId === undefined && wanted.isShared !== true);
  if (isOwn) return { memberId };
  return wanted.isShared === false ? undefined : { isShared: true };
}
