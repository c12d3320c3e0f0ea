import { decided, unchanged, type Decision, type Fields } from '@platform-backend/core';
import type { ContentEvent } from '../../events.ts';
import type { Attachment } from './attachment.ts';
import { feedbackNotFound, messageNotFinished, messageNotFound, messageNotOfAssistant } from './errors.ts';
import { interrupted } from './incomplete.ts';

export type SenderType = 'USER' | 'ASSISTANT' | 'SYSTEM' | 'TOOL';
export type MessageType = 'TEXT' | 'TOOL_CALL' | 'TOOL_RESULT' | 'FILE' | 'ERROR';
export type Rating = 'UP' | 'DOWN';

export interface Feedback {
  readonly rating: Rating;
  /** Empty when nothing was said. */
  readonly comment: string;
  readonly createdAt: Date;
}

/** What somebody said in a conversation. */
export interface Message {
  readonly id: string;
  readonly conversationId: string;
  /** Whose conversation it is. */
  readonly memberId: string;
  /** A user's or an assistant's id. */
  readonly senderId: string;
  readonly senderType: SenderType;
  /** Up to 100,000 characters. */
  readonly message: string;
  readonly messageType: MessageType;
  readonly isFinished: boolean;
  readonly annotations: Fields;
  /** Files that belong to it; absent where there are none. */
  readonly attachments?: readonly Attachment[];
  /** What it follows; empty for the first one. Messages with the same parent are branches. */
  readonly parentId: string;
  /** Later than that of its parent. */
  readonly createdAt: Date;
  readonly finishedAt?: Date;
  readonly feedback?: Feedback;
  /** From then on searches are to be told what it says. */
  readonly searchDueAt?: Date;
}

/** Whether searches shall find it: what people and assistants have said to each other. */
export const isFindable = ({ senderType, messageType, message, isFinished }: Message): boolean =>
  isFinished && messageType === 'TEXT' && message !== '' && (senderType === 'USER' || senderType === 'ASSISTANT');

/**
 * A message comes to be, complete or still to be written. What a person does is an entry of the audit log: what they say, and an answer that
 * they ask for without saying anything. Any other answer follows by itself.
 */
export function createMessage(
  message: Message,
  isAskedFor = message.senderType === 'USER',
): Decision<Message, ContentEvent> {
  const { createdAt: at } = message;
  const created: ContentEvent = {
    name: 'message.created',
    subject: message.id,
    at,
    data: factsOf(message),
    ...(isAskedFor && { change: { before: null, after: shown(message) } }),
  };
  const state = message.isFinished ? { ...message, finishedAt: at, searchDueAt: at } : message;
  return { state, events: message.isFinished ? [created, finished(state, at)] : [created], result: state };
}

/**
 * What is written of it so far, and what is known about that. Nothing happens when it is finished. NOT_FOUND: it was
 * deleted.
 */
export function writeMessage(
  message: Message | undefined,
  text: string,
  annotations: Fields,
): Decision<Message, ContentEvent> {
  if (!message) throw messageNotFound();
  if (message.isFinished) return unchanged(message);
  const next: Message = { ...message, message: text, annotations: { ...message.annotations, ...annotations } };
  return decided(next);
}

export type MessageEnd = Pick<Message, 'message' | 'messageType' | 'annotations'>;

/** Nothing more is written into it. NOT_FOUND: it was deleted. It may be said again. */
export function finishMessage(
  message: Message | undefined,
  end: MessageEnd,
  at: Date,
): Decision<Message, ContentEvent> {
  if (!message) throw messageNotFound();
  if (message.isFinished) return unchanged(message);
  const next: Message = { ...message, ...end, isFinished: true, finishedAt: at, searchDueAt: at };
  return decided(next, finished(next, at));
}

const BROKEN_OFF = 'The answer was broken off. Ask again.';

/** Ends what nobody writes any more: with what there is of it and why there is no more, or as an error where there is nothing. */
export function interruptMessage(message: Message | undefined, at: Date): Decision<Message, ContentEvent> {
  const { message: text = '', annotations = {} } = message ?? {};
  const end: MessageEnd =
    text.trim() === ''
      ? { message: BROKEN_OFF, messageType: 'ERROR', annotations }
      : { message: text, messageType: 'TEXT', annotations: { ...annotations, incomplete: interrupted } };
  return finishMessage(message, end, at);
}

/** CONFLICT: it is still being written, or no assistant's. */
export function rateMessage(
  message: Message | undefined,
  { rating, comment }: Pick<Feedback, 'rating' | 'comment'>,
  at: Date,
): Decision<Message, ContentEvent> {
  if (!message) throw messageNotFound();
  if (message.senderType !== 'ASSISTANT') throw messageNotOfAssistant();
  if (!message.isFinished) throw messageNotFinished();
  const { feedback } = message;
  if (feedback?.rating === rating && feedback.comment === comment) return unchanged(message);
  const next: Message = { ...message, feedback: { rating, comment, createdAt: at } };
  return decided(next, rated(message, next, at));
}

/** NOT_FOUND: there is none. */
export function deleteFeedback(message: Message | undefined, at: Date): Decision<Message, ContentEvent> {
  if (!message) throw messageNotFound();
  const { feedback, ...next } = message;
  if (!feedback) throw feedbackNotFound();
  return decided(next, rated(message, next, at));
}

const finished = (message: Message, at: Date): ContentEvent => ({
  name: 'message.finished',
  subject: message.id,
  at,
  data: { ...factsOf(message), message_type: message.messageType },
});

const rated = (before: Message, after: Message, at: Date): ContentEvent => ({
  name: 'message.rated',
  subject: after.id,
  at,
  data: {
    message_id: after.id,
    conversation_id: after.conversationId,
    member_id: after.memberId,
    rating: after.feedback?.rating ?? null,
  },
  change: {
    before: { rating: before.feedback?.rating ?? null },
    after: { rating: after.feedback?.rating ?? null },
  },
});

const factsOf = ({ id, conversationId, memberId, senderId, senderType }: Message) => ({
  message_id: id,
  conversation_id: conversationId,
  member_id: memberId,
  sender_id: senderId,
  sender_type: senderType,
});

/** What the audit log shows of it: not what was said. */
const shown = ({ conversationId, message, attachments = [] }: Message): Fields => ({
  conversation_id: conversationId,
  message_length: message.length,
  ...(attachments.length > 0 && { attachments: attachments.map(({ documentId }) => documentId) }),
});
