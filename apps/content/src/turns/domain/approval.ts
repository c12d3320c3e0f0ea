import { decided, unchanged, type Decision, type Fields } from '@platform-backend/core';
import { messageNotFound } from '../../conversations/domain/errors.ts';
import type { Message } from '../../conversations/domain/message.ts';
import type { ContentEvent } from '../../events.ts';
import { approvalDecided, approvalExpired, approvalNotFound } from './errors.ts';

/** A call of a tool with effects, which is carried out when whoever has asked approves it. */
export interface Approval {
  readonly toolCallId: string;
  readonly tool: string;
  /** As the model has written them. */
  readonly arguments: Fields;
  /** What it would do, in our words and not the model's. */
  readonly summary: string;
  /** Afterwards it is approved no more. */
  readonly expiresAt: Date;
  readonly status: 'pending' | 'approved' | 'refused';
}

/** As it is kept with the message that asks for it, where clients read it too. */
export const approvalFields = ({ toolCallId, tool, summary, expiresAt, status, ...approval }: Approval): Fields => ({
  tool_call_id: toolCallId,
  name: tool,
  arguments: approval.arguments,
  summary,
  expires_at: expiresAt.toISOString(),
  status,
});

interface Kept {
  readonly tool_call_id: string;
  readonly name: string;
  readonly arguments: Fields;
  readonly summary: string;
  readonly expires_at: string;
  readonly status: Approval['status'];
  /** When it was carried out first. */
  readonly begun_at?: string;
}

/** What a message asks to be approved; only an assistant's has any. */
export function approvalOf({
  senderType,
  annotations,
}: Pick<Message, 'senderType' | 'annotations'>): Approval | undefined {
  const kept = annotations['approval'] as Kept | undefined;
  if (senderType !== 'ASSISTANT' || kept === undefined) return undefined;
  const { tool_call_id: toolCallId, name: tool, arguments: given, summary, expires_at: expiresAt, status } = kept;
  return { toolCallId, tool, arguments: given, summary, expiresAt: new Date(expiresAt), status };
}

/** False where it was begun before, by this turn or another one that answers the same: what cannot be done twice is left alone then. */
export function claimApproved(message: Message | undefined, at: Date): Decision<Message, ContentEvent, boolean> {
  if (!message) throw messageNotFound();
  const approval = message.annotations['approval'] as Kept | undefined;
  if (!approval || approval.begun_at !== undefined) return decided(message, [], false);
  const begun = { ...approval, begun_at: at.toISOString() };
  return decided({ ...message, annotations: { ...message.annotations, approval: begun } }, [], true);
}

export interface ApprovalDecision {
  readonly toolCallId: string;
  readonly isApproved: boolean;
}

/** Nothing happens where the same was decided before. NOT_FOUND: nothing to decide. CONFLICT: decided otherwise, or too late. */
export function decideApproval(
  message: Message | undefined,
  { toolCallId, isApproved }: ApprovalDecision,
  at: Date,
): Decision<Message, ContentEvent> {
  if (!message) throw messageNotFound();
  const approval = approvalOf(message);
  if (approval?.toolCallId !== toolCallId) throw approvalNotFound();
  const status = isApproved ? 'approved' : 'refused';
  if (approval.status === status) return unchanged(message);
  if (approval.status !== 'pending') throw approvalDecided();
  if (at > approval.expiresAt) throw approvalExpired();
  const next: Message = {
    ...message,
    annotations: { ...message.annotations, approval: approvalFields({ ...approval, status }) },
  };
  const { id, conversationId, memberId } = message;
  return decided(next, {
    name: 'tool_call.decided',
    subject: id,
    at,
    data: {
      message_id: id,
      conversation_id: conversationId,
      member_id: memberId,
      tool_call_id: toolCallId,
      name: approval.tool,
      approved: isApproved,
    },
    change: { before: { status: 'pending' }, after: { status, name: approval.tool, arguments: approval.arguments } },
  });
}
