import {
  decided,
  newId,
  serviceActorContext,
  type ActorContext,
  type Clock,
  type Logger,
} from '@platform-backend/core';
import { forEachIsolated } from '../../conversations/app/for-each-isolated.ts';
import { readable, type Conversation, type Turn } from '../../conversations/domain/conversation.ts';
import type { Conversations, Messages, OfOrganisation } from '../../conversations/domain/conversations.ts';
import { messageNotFound } from '../../conversations/domain/errors.ts';
import {
  interruptMessage,
  createMessage,
  finishMessage,
  type Message,
  type MessageEnd,
} from '../../conversations/domain/message.ts';
import { readerOf } from '../../conversations/domain/reader.ts';
import type { Credits, DebitCreated } from '../../credits/domain/credits.ts';
import { claimApproved, decideApproval } from '../domain/approval.ts';
import { turnStarted } from '../domain/errors.ts';
import { endOwing, storedCost, turnDebitId } from '../domain/turn-cost.ts';
import {
  startTurn,
  createConversation,
  expireTurn,
  finishTurn,
  renewTurn,
  type StartedTurn,
  type StartTurnInput,
} from '../domain/turn.ts';

export interface ConversationTurnPorts {
  readonly conversations: Conversations;
  readonly messages: Messages;
  readonly clock: Clock;
  /** For how long a turn is believed to go on without a word of its process. */
  readonly turnLeaseMs: number;
  readonly credits: Pick<Credits, 'debit'>;
  /** Does work for everybody: an answer comes to its end also while nobody can tell what whoever asked may open. */
  readonly forEverybody: <T>(work: () => T) => T;
  readonly logger: Pick<Logger, 'warn'>;
}

/** What a turn adds, with ids that are made before. */
export interface StartTurn extends StartTurnInput {
  /** Absent: a new conversation, which begins with the question. */
  readonly conversationId?: string | undefined;
  /** The call of a tool that is approved with it, which the parent asks for. */
  readonly approvedToolCallId?: string;
}

/** Names a turn and the conversation that its answer is written into. */
export interface TurnRef {
  readonly turnId: string;
  readonly conversationId: string;
}

export type ConversationTurns = ReturnType<typeof conversationTurns>;

/** How many conversations one round looks after. */
const ROUND = 50;

/** What the turns of assistants leave in conversations; whatever a function changes is changed as a whole. */
export const conversationTurns = (ports: ConversationTurnPorts) => {
  const { conversations, messages, clock, turnLeaseMs, credits, forEverybody, logger } = ports;

  /** What a turn has cost whose process is gone, as far as that process had stored it. */
  function interruptedDebits({ organisationId, requestId }: ActorContext, turn: Turn, cost: bigint): DebitCreated[] {
    if (cost === 0n || !turn.payer) return [];
    const { reservationId, memberId: userId, ...counted } = turn.payer;
    const { actor, ...by } = serviceActorContext('content', organisationId, requestId);
    const spent = { debitId: turnDebitId(turn.id), workId: turn.answerId, micros: cost, at: clock.now() };
    return [credits.debit({ ...by, ...counted, actor: { ...actor, userId } }, reservationId, spent)];
  }

  async function interruptAnswer(by: ActorContext, turn: Turn): Promise<void> {
    // What is gone is ended: the conversation is not held up by it.
    if (!(await messages.find(by.organisationId, turn.answerId))) return;
    await messages.update(by, turn.answerId, (message) => {
      const debits = interruptedDebits(by, turn, storedCost(message?.annotations ?? {}));
      return endOwing(interruptMessage(message, clock.now()), debits);
    });
  }

  return {
    /**
     * Stores what the person says, and the answer as one that is being written. NOT_FOUND: there is no such conversation
     * of theirs. CONFLICT: `turn_in_progress`, `conversation_full`, or `turn_started`: that of a repetition; and as `decideApproval`.
     */
    startTurn(
      by: ActorContext,
      { conversationId, approvedToolCallId: toolCallId, ...wanted }: StartTurn,
    ): Promise<StartedTurn> {
      const reader = readerOf(by);
      const id = conversationId ?? newId();
      return conversations.together(by.organisationId, async () => {
        const at = clock.now();
        if (conversationId === undefined) {
          const { memberId } = reader;
          const first = { id, memberId, text: wanted.question?.message ?? '', assistantId: wanted.assistantId };
          await conversations.update(by, id, () => createConversation(first, at));
        }
        const started = await conversations.update(by, id, (found) =>
          startTurn(found, reader, wanted, at, turnLeaseMs),
        );
        const { question, answer, expired: before } = started;
        // As when another answer is wanted: the question, or the approval, says otherwise who wants it.
        const isAskedForAlone = !question && toolCallId === undefined;
        if (toolCallId !== undefined)
          await messages.update(by, answer.parentId, (found) =>
            decideApproval(found, { toolCallId, isApproved: true }, at),
          );
        if (before) await interruptAnswer(by, before);
        if (question) await messages.update(by, question.id, () => createMessage(question));
        await messages.update(by, answer.id, (found) => {
          if (found) throw turnStarted();
          return createMessage(answer, isAskedForAlone);
        });
        return started;
      });
    },

    /** To be said every few seconds. CONFLICT `turn_over`: somebody has ended it, or its conversation was deleted. */
    renewTurn: (by: ActorContext, conversationId: string, turnId: string): Promise<Conversation> =>
      forEverybody(() =>
        conversations.update(by, conversationId, (found) => renewTurn(found, turnId, clock.now(), turnLeaseMs)),
      ),

    /**
     * The answer, or why there is none, with what it has cost; of an answer whose message is gone what it has cost alone, and
     * nothing is answered. CONFLICT `turn_over`: as above.
     */
    finishTurn: (
      by: ActorContext,
      { conversationId, turnId }: TurnRef,
      end: MessageEnd,
      debits: readonly DebitCreated[],
      /** What a model calls the conversation. */
      title?: string,
    ): Promise<Message | undefined> =>
      forEverybody(() =>
        conversations.together(by.organisationId, async () => {
          const named = title === undefined ? undefined : { title, at: clock.now() };
          const { answerId } = await conversations.update(by, conversationId, (found) =>
            finishTurn(found, turnId, named),
          );
          if (!(await messages.find(by.organisationId, answerId))) {
            await conversations.update(by, conversationId, (found) => decided(found, debits));
            return undefined;
          }
          return messages.update(by, answerId, (message) => endOwing(finishMessage(message, end, clock.now()), debits));
        }),
      ),

    /** Whether what was approved in this message is to be carried out: once, whoever answers it again. */
    claimApproved: (by: ActorContext, messageId: string): Promise<boolean> =>
      messages.update(by, messageId, (message) => claimApproved(message, clock.now())),

    /** What was said up to this message, oldest first, at most so many. NOT_FOUND: it is not for them. */
    async branchOf(by: ActorContext, messageId: string, limit: number): Promise<readonly Message[]> {
      const last = await messages.find(by.organisationId, messageId);
      if (!last) throw messageNotFound();
      readable(await conversations.find(by.organisationId, last.conversationId), readerOf(by));
      return messages.branch(by.organisationId, last, limit);
    },

    /** In how many milliseconds what a process answers is left over, should it be dead; undefined: nobody answers. */
    untilExpiry: (): Promise<number | undefined> => conversations.untilExpiredTurn(clock.now()),

    /** Ends what dead processes have left. May be repeated, and done by several replicas. */
    async expireTurns(stopping: AbortSignal): Promise<void> {
      const end = ({ organisationId, id }: OfOrganisation): Promise<void> => {
        const by = serviceActorContext('content', organisationId, newId());
        return conversations.together(organisationId, async () => {
          const turn = await conversations.update(by, id, (found) => expireTurn(found, clock.now()));
          if (turn) await interruptAnswer(by, turn);
        });
      };
      const failure = 'an answer that was broken off could not be ended now';
      await forEachIsolated(await conversations.withExpiredTurn(clock.now(), ROUND), end, {
        logger,
        failure,
        stopping,
      });
    },
  };
};
