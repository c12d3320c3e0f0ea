import { created, decided, unchanged, type Decision } from '@platform-backend/core';
import {
  nameConversation,
  titleOf,
  writable,
  type Conversation,
  type Turn,
  type TurnPayer,
} from '../../conversations/domain/conversation.ts';
import type { Message } from '../../conversations/domain/message.ts';
import type { Reader } from '../../conversations/domain/reader.ts';
import type { ContentEvent } from '../../events.ts';
import { conversationFull, turnInProgress, turnOver } from './errors.ts';

/** The most that a conversation has, in all branches. */
const MAX_MESSAGES = 10_000;

/** What a turn begins with. */
export interface StartTurnInput {
  readonly id: string;
  readonly answerId: string;
  readonly assistantId: string;
  /** What the person says; absent where an answer to what was said before is made again. */
  readonly question?: Pick<Message, 'id' | 'message' | 'messageType' | 'annotations' | 'attachments'>;
  /**
   * What the first message of the turn follows: empty where it is the first of the conversation, absent for the end
   * of the branch that is shown. Another one begins a branch.
   */
  readonly parentId?: string | undefined;
  readonly payer: TurnPayer;
}

export interface StartedTurn {
  readonly conversation: Conversation;
  readonly question?: Message;
  readonly answer: Message;
  /** The turn before was broken off, and its message is still unfinished. */
  readonly expired?: Turn;
}

/** A conversation without a word. */
export function createConversation(
  { id, text, memberId, assistantId }: { id: string; text: string; memberId: string; assistantId: string },
  at: Date,
): Decision<Conversation, ContentEvent> {
  const conversation: Conversation = {
    id,
    memberId,
    title: titleOf(text),
    isTitleDerived: true,
    assistantId,
    isShared: false,
    isArchived: false,
    currentMessageId: '',
    messageCount: 0,
    lastMessageAt: at,
    createdAt: at,
    updatedAt: at,
  };
  return created(
    'conversation.created',
    conversation,
    at,
    { conversation_id: id, member_id: memberId },
    { title: conversation.title },
  );
}

/**
 * An assistant begins to write, one at a time in a conversation. NOT_FOUND: it is somebody else's. CONFLICT: somebody is
 * writing, or it is full.
 */
export function startTurn(
  found: Conversation | undefined,
  by: Reader,
  wanted: StartTurnInput,
  at: Date,
  leaseMs: number,
): Decision<Conversation, ContentEvent, StartedTurn> {
  const conversation = writable(found, by);
  const { turn: before } = conversation;
  if (before && before.leasedUntil > at) throw turnInProgress();
  const { question, answer } = messagesOf(conversation, wanted, at);
  const messageCount = conversation.messageCount + (question ? 2 : 1);
  if (messageCount > MAX_MESSAGES) throw conversationFull();
  const next: Conversation = {
    ...conversation,
    assistantId: wanted.assistantId,
    currentMessageId: answer.id,
    messageCount,
    lastMessageAt: answer.createdAt,
    turn: { id: wanted.id, answerId: answer.id, leasedUntil: leaseFrom(at, leaseMs), payer: wanted.payer },
  };
  return decided(next, [], {
    conversation: next,
    answer,
    ...(question && { question }),
    ...(before && { expired: before }),
  });
}

/** Says that the turn goes on. CONFLICT: it is over. */
export function renewTurn(
  conversation: Conversation | undefined,
  turnId: string,
  at: Date,
  leaseMs: number,
): Decision<Conversation, ContentEvent> {
  const { turn, ...rest } = inTurn(conversation, turnId);
  const next: Conversation = { ...rest, turn: { ...turn, leasedUntil: leaseFrom(at, leaseMs) } };
  return decided(next);
}

/** Whoever writes the answer shall stop. Nothing happens when the turn is over. */
export function stopTurn(
  conversation: Conversation | undefined,
  turnId: string,
): Decision<Conversation | undefined, ContentEvent, unknown> {
  if (conversation?.turn?.id !== turnId || conversation.turn.isStopped) return unchanged(conversation);
  const next: Conversation = { ...conversation, turn: { ...conversation.turn, isStopped: true } };
  return decided(next);
}

/**
 * The assistant has written what it writes, or cannot; with it a model may name the conversation. CONFLICT: the turn was over before, as
 * after its lease.
 */
export function finishTurn(
  conversation: Conversation | undefined,
  turnId: string,
  named?: { readonly title: string; readonly at: Date },
): Decision<Conversation, ContentEvent, Turn> {
  const { turn, ...next } = inTurn(conversation, turnId);
  if (!named) return decided(next, [], turn);
  const { state, events } = nameConversation(next, named);
  return decided(state, events, turn);
}

/** A turn whose process has not been heard of is over; nothing where it goes on after all. */
export function expireTurn(
  conversation: Conversation | undefined,
  at: Date,
): Decision<Conversation | undefined, ContentEvent, Turn | undefined> {
  const turn = conversation?.turn;
  if (!turn || turn.leasedUntil > at) return decided(conversation, [], undefined);
  return finishTurn(conversation, turn.id);
}

function inTurn(conversation: Conversation | undefined, turnId: string): Conversation & { readonly turn: Turn } {
  const turn = conversation?.turn;
  if (!conversation || conversation.removedAt || turn?.id !== turnId) throw turnOver();
  return { ...conversation, turn };
}

const leaseFrom = (at: Date, leaseMs: number): Date => new Date(at.getTime() + leaseMs);

/** Each is later than the one before, so that lists have them in their order whatever the clocks say. */
function messagesOf(
  { id: conversationId, memberId, currentMessageId, messageCount, lastMessageAt }: Conversation,
  { answerId, assistantId, question: said, parentId = currentMessageId }: StartTurnInput,
  at: Date,
): { question?: Message; answer: Message } {
  const earliest = messageCount === 0 ? at.getTime() : lastMessageAt.getTime() + 1;
  const createdAt = new Date(Math.max(at.getTime(), earliest));
  const empty = { conversationId, memberId, annotations: {}, messageType: 'TEXT', message: '', parentId } as const;
  const question: Message | undefined = said && {
    ...empty,
    ...said,
    senderId: memberId,
    senderType: 'USER',
    isFinished: true,
    createdAt,
  };
  const answer: Message = {
    ...empty,
    id: answerId,
    senderId: assistantId,
    senderType: 'ASSISTANT',
    isFinished: false,
    parentId: question?.id ?? parentId,
    createdAt: question ? new Date(createdAt.getTime() + 1) : createdAt,
  };
  return { answer, ...(question && { question }) };
}
