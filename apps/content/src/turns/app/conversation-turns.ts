import { serviceActorContext, type ActorContext, type Clock, type Logger } from '@platform-backend/core';
import { forEachIsolated } from '../../conversations/app/for-each-isolated.ts';
import { readable, type Conversation, type Turn } from '../../conversations/domain/conversation.ts';
import type { Conversations, Messages, OfOrganisation } from '../../conversations/domain/conversations.ts';
import { messageNotFound } from '../../conversations/domain/errors.ts';
import {
  breakOffMessage,
  createMessage,
  finishMessage,
  type Message,
  type MessageEnd,
} from '../../conversations/domain/message.ts';
import { readerOf } from '../../conversations/domain/reader.ts';
import { turnBegun } from '../domain/errors.ts';
import {
  beginTurn,
  createConversation,
  endExpiredTurn,
  endTurn,
  keepTurn,
  type BegunTurn,
  type BeginTurnInput,
} from '../domain/turn.ts';

export interface ConversationTurnPorts {
  readonly conversations: Conversations;
  readonly messages: Messages;
  readonly clock: Clock;
  readonly newId: () => string;
  /** For how long a turn is believed to go on without a word of its process. */
  readonly turnLeaseMs: number;
  readonly logger: Pick<Logger, 'warn'>;
}

/** What a turn adds, with ids that are made before. */
export interface BeginTurn extends BeginTurnInput {
  /** Absent: a new conversation, which begins with the question. */
  readonly conversationId?: string | undefined;
}

export type ConversationTurns = ReturnType<typeof conversationTurns>;

/** How many conversations one round looks after. */
const ROUND = 50;

/** What the turns of assistants leave in conversations; whatever a function changes is changed as a whole. */
export const conversationTurns = (ports: ConversationTurnPorts) => {
  const { conversations, messages, clock, newId, turnLeaseMs, logger } = ports;

  const breakOff = (by: ActorContext, { answerId }: Turn): Promise<unknown> =>
    messages.update(by, answerId, (message) => breakOffMessage(message, clock.now()));

  return {
    /**
     * Stores what the person says, and the answer as one that is being written. NOT_FOUND: there is no such conversation
     * of theirs. CONFLICT: `turn_in_progress`, `conversation_full`, or `turn_begun`: that of a repetition.
     */
    beginTurn(by: ActorContext, { conversationId, ...wanted }: BeginTurn): Promise<BegunTurn> {
      const reader = readerOf(by);
      const id = conversationId ?? newId();
      return conversations.together(by.organisationId, async () => {
        const at = clock.now();
        if (conversationId === undefined) {
          const { memberId } = reader;
          const first = { id, memberId, text: wanted.question?.message ?? '', assistantId: wanted.assistantId };
          await conversations.update(by, id, () => createConversation(first, at));
        }
        const begun = await conversations.update(by, id, (found) => beginTurn(found, reader, wanted, at, turnLeaseMs));
        const { question, answer, brokenOff: before } = begun;
        if (before) await breakOff(by, before);
        if (question) await messages.update(by, question.id, () => createMessage(question));
        await messages.update(by, answer.id, (found) => {
          if (found) throw turnBegun();
          return createMessage(answer);
        });
        return begun;
      });
    },

    /** To be said every few seconds. CONFLICT `turn_over`: somebody has ended it, or its conversation was deleted. */
    keepTurn: (by: ActorContext, conversationId: string, turnId: string): Promise<Conversation> =>
      conversations.update(by, conversationId, (found) => keepTurn(found, turnId, clock.now(), turnLeaseMs)),

    /** The answer, or why there is none. CONFLICT `turn_over`: as above. */
    finishTurn: (by: ActorContext, conversationId: string, turnId: string, end: MessageEnd): Promise<Message> =>
      conversations.together(by.organisationId, async () => {
        const { answerId } = await conversations.update(by, conversationId, (found) => endTurn(found, turnId));
        return messages.update(by, answerId, (message) => finishMessage(message, end, clock.now()));
      }),

    /** What was said up to this message, oldest first, at most so many. NOT_FOUND: it is not for them. */
    async branchOf(by: ActorContext, messageId: string, limit: number): Promise<readonly Message[]> {
      const last = await messages.find(by.organisationId, messageId);
      if (!last) throw messageNotFound();
      readable(await conversations.find(by.organisationId, last.conversationId), readerOf(by));
      return messages.branch(by.organisationId, last, limit);
    },

    /** Ends what dead processes have left. May be repeated, and done by several replicas. */
    async endBrokenOff(stopping: AbortSignal): Promise<void> {
      const end = ({ organisationId, id }: OfOrganisation): Promise<void> => {
        const by = serviceActorContext('content', organisationId, newId());
        return conversations.together(organisationId, async () => {
          const turn = await conversations.update(by, id, (found) => endExpiredTurn(found, clock.now()));
          if (turn) await breakOff(by, turn);
        });
      };
      const failure = 'an answer that was broken off could not be ended now';
      await forEachIsolated(await conversations.brokenOff(clock.now(), ROUND), end, { logger, failure, stopping });
    },
  };
};
