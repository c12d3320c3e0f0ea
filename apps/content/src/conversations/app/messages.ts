import type { ActorContext, Clock, Page } from '@platform-backend/core';
import { mayRead } from '../domain/conversation.ts';
import type { Conversations, MessageList, Messages } from '../domain/conversations.ts';
import { messageNotFound } from '../domain/errors.ts';
import { deleteFeedback, rateMessage, type Feedback, type Message } from '../domain/message.ts';
import { readerOf } from '../domain/reader.ts';

export interface MessagePorts {
  readonly conversations: Conversations;
  readonly messages: Messages;
  readonly clock: Clock;
}

export type MessageUseCases = ReturnType<typeof messageUseCases>;

const nothing: Page<Message> = { items: [], nextCursor: '' };

export const messageUseCases = ({ conversations, messages, clock }: MessagePorts) => {
  const own = async (by: ActorContext, id: string): Promise<void> => {
    const message = await messages.find(by.organisationId, id);
    if (message?.memberId !== readerOf(by).memberId) throw messageNotFound();
  };

  return {
    /** The caller's own, of a conversation that they may read all, or where they read all those that are asked for. */
    async listMessages(by: ActorContext, wanted: MessageList): Promise<Page<Message>> {
      const { organisationId } = by;
      const reader = readerOf(by);
      const { conversationId, includeTotal } = wanted;
      const none = includeTotal ? { ...nothing, total: 0 } : nothing;
      if (conversationId !== undefined) {
        const conversation = await conversations.find(organisationId, conversationId);
        if (!conversation || !mayRead(reader, conversation)) return none;
        return messages.list(organisationId, wanted);
      }
      if (reader.readsAll) return messages.list(organisationId, wanted);
      if (wanted.memberId !== undefined && wanted.memberId !== reader.memberId) return none;
      return messages.list(organisationId, { ...wanted, memberId: reader.memberId });
    },

    /** NOT_FOUND: there is none, or it is in a conversation that they may not read. */
    async getMessage(by: ActorContext, id: string): Promise<Message> {
      const message = await messages.find(by.organisationId, id);
      const conversation = message && (await conversations.find(by.organisationId, message.conversationId));
      if (!conversation || !mayRead(readerOf(by), conversation)) throw messageNotFound();
      return message;
    },

    async rateMessage(by: ActorContext, id: string, given: Pick<Feedback, 'rating' | 'comment'>): Promise<Message> {
      await own(by, id);
      return messages.update(by, id, (message) => rateMessage(message, given, clock.now()));
    },

    async deleteFeedback(by: ActorContext, id: string): Promise<Message> {
      await own(by, id);
      return messages.update(by, id, (message) => deleteFeedback(message, clock.now()));
    },
  };
};
