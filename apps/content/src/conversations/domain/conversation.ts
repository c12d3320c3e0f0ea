import { decided, changedFields, unchanged, type Decision, type Fields } from '@platform-backend/core';
import type { ContentEvent } from '../../events.ts';
import { conversationNotFound } from './errors.ts';
import type { Reader } from './reader.ts';

/** One answer of an assistant that is being written. */
export interface Turn {
  readonly id: string;
  /** The message that is being written. */
  readonly answerId: string;
  /** Whoever writes it has to say again and again that they still do; after this moment it counts as broken off. */
  readonly leasedUntil: Date;
  /** Its person does not want it any more. */
  readonly isStopped?: boolean;
  /** Absent of turns that were begun before it was kept. */
  readonly payer?: TurnPayer;
}

/** Who pays for a turn, also where the process dies that writes it. */
export interface TurnPayer {
  readonly reservationId: string | null;
  readonly memberId: string | null;
  readonly clientGroupId: string | null;
  readonly apiKeyId: string | null;
}

/** What one person and assistants say to each other, in branches. */
export interface Conversation {
  readonly id: string;
  /** Whose it is. */
  readonly memberId: string;
  readonly title: string;
  /** Its title is the beginning of its first message: nobody has named it. Absent of those from before it was noted. */
  readonly isTitleDerived?: boolean;
  /** Of the assistant that was asked last. */
  readonly assistantId: string;
  readonly isShared: boolean;
  readonly isArchived: boolean;
  /** Where the branch ends that is shown. */
  readonly currentMessageId: string;
  /** Of all branches. */
  readonly messageCount: number;
  /** No message of it is younger. */
  readonly lastMessageAt: Date;
  /** While an assistant is writing. */
  readonly turn?: Turn;
  readonly createdAt: Date;
  readonly updatedAt: Date;
  /** Since then what searches know of its messages is not what they should. */
  readonly searchDueAt?: Date;
  /** Since then it is there for nobody, and its messages are being removed. */
  readonly removedAt?: Date;
}

/** The most characters of a title, of which the beginning of a message makes one. */
const TITLE = 80;

/** The first words of a text, on one line. */
export function titleOf(text: string): string {
  const line = text
    .slice(0, 10 * TITLE)
    .replaceAll(/\s+/g, ' ')
    .trim();
  const characters = Array.from(line);
  if (characters.length <= TITLE) return line;
  const cut = characters.slice(0, TITLE - 1).join('');
  const lastSpace = cut.lastIndexOf(' ');
  return `${lastSpace > TITLE / 2 ? cut.slice(0, lastSpace) : cut}…`;
}

/** What says who reads it. */
export type Readership = Pick<Conversation, 'memberId' | 'isShared' | 'removedAt'>;

/** Whether somebody may read it. */
export const mayRead = ({ memberId, readsAll }: Reader, conversation: Readership): boolean =>
  !conversation.removedAt && (readsAll || conversation.isShared || conversation.memberId === memberId);

/** The conversation, for whoever may read it. NOT_FOUND: there is none, or it is not for them. */
export function readable(conversation: Conversation | undefined, reader: Reader): Conversation {
  if (!conversation || !mayRead(reader, conversation)) throw conversationNotFound();
  return conversation;
}

/** The conversation, for its owner alone. NOT_FOUND: there is none, or it is somebody else's. */
export function writable(conversation: Conversation | undefined, { memberId }: Reader): Conversation {
  if (!conversation || conversation.removedAt || conversation.memberId !== memberId) throw conversationNotFound();
  return conversation;
}

export type ChangeConversation = Partial<Pick<Conversation, 'title' | 'isArchived' | 'currentMessageId'>>;

/** Changes the fields given. That the message is one of its own is for the caller to know. */
export function changeConversation(
  found: Conversation | undefined,
  by: Reader,
  wanted: ChangeConversation,
  at: Date,
): Decision<Conversation, ContentEvent> {
  const conversation = writable(found, by);
  const before = shown(conversation);
  const isRenamed = wanted.title !== undefined && wanted.title !== conversation.title;
  const { isTitleDerived: _derived, ...named } = conversation;
  const kept: Conversation = wanted.title === undefined ? conversation : named;
  const next: Conversation = { ...kept, ...wanted, updatedAt: at, ...(isRenamed && { searchDueAt: at }) };
  const change = changedFields(before, shown(next));
  const changed = Object.keys(change.after);
  // Whoever names it as it is called already has named it.
  if (changed.length === 0)
    return wanted.title !== undefined && conversation.isTitleDerived ? decided(kept) : unchanged(conversation);
  const { id, memberId } = next;
  return decided(next, {
    name: 'conversation.updated',
    subject: id,
    at,
    data: { conversation_id: id, member_id: memberId, changed_fields: changed },
    change,
  });
}

/** It is called as a model names it, unless a person has named it. */
export function nameConversation(
  conversation: Conversation,
  { title, at }: { readonly title: string; readonly at: Date },
): Decision<Conversation, ContentEvent> {
  const { isTitleDerived, ...named } = conversation;
  if (!isTitleDerived) return unchanged(conversation);
  if (title === conversation.title) return decided(named);
  const { id, memberId } = named;
  return decided(
    { ...named, title, updatedAt: at, searchDueAt: at },
    {
      name: 'conversation.updated',
      subject: id,
      at,
      data: { conversation_id: id, member_id: memberId, changed_fields: ['title'] },
    },
  );
}

/** The whole organisation reads it from now on, or its owner alone. Repeating it is safe. */
export function shareConversation(
  found: Conversation | undefined,
  by: Reader,
  isShared: boolean,
  at: Date,
): Decision<Conversation, ContentEvent> {
  const conversation = writable(found, by);
  if (conversation.isShared === isShared) return unchanged(conversation);
  const next = { ...conversation, isShared, updatedAt: at, searchDueAt: at };
  const { id, memberId } = next;
  return decided(next, {
    name: 'conversation.shared',
    subject: id,
    at,
    data: { conversation_id: id, member_id: memberId, shared: isShared },
    change: changedFields(shown(conversation), shown(next)),
  });
}

/** From now on it is there for nobody; its messages go part by part, and a turn is over. */
export function deleteConversation(
  found: Conversation | undefined,
  by: Reader,
  at: Date,
): Decision<Conversation, ContentEvent> {
  return removeConversation(writable(found, by), at);
}

/** The same, whoever wants it. */
export function removeConversation(conversation: Conversation, at: Date): Decision<Conversation, ContentEvent> {
  const { turn: _turn, ...rest } = conversation;
  const { id, memberId } = rest;
  const next = { ...rest, removedAt: at };
  return decided(next, {
    name: 'conversation.deleted',
    subject: id,
    at,
    data: { conversation_id: id, member_id: memberId },
    change: { before: shown(conversation), after: null },
  });
}

/** What the audit log shows of it. */
const shown = ({ title, isShared, isArchived, currentMessageId }: Conversation): Fields => ({
  title,
  shared: isShared,
  archived: isArchived,
  current_message_id: currentMessageId,
});
