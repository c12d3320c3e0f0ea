import { decided, idOf, unchanged, type Decision } from '@platform-backend/core';
import type { TurnPayer } from '../../conversations/domain/conversation.ts';
import type { DebitCreated } from '../../credits/domain/credits.ts';
import type { ContentEvent } from '../../events.ts';
import { noUsage, type TokenUsage } from '../../turns/domain/language-model.ts';
import { completionOver } from './errors.ts';

/** How an answer has ended: whole, cut, withheld; its client has left, nobody could write it, its process is gone. */
export type CompletionOutcome = 'stop' | 'length' | 'content_filter' | 'stopped' | 'failed' | 'interrupted';

/** What is kept of an answer to a client of OpenAI's interface: who has asked and what it has used, and nothing that was said. */
export interface ChatCompletion {
  readonly id: string;
  readonly assistantId: string;
  /** The language model. */
  readonly model: string;
  readonly payer: TurnPayer;
  readonly usage: TokenUsage;
  /** What that has cost. */
  readonly costMicros: number;
  /** Null while it is written. */
  readonly outcome: CompletionOutcome | null;
  /** Until then its process is believed to write it; absent once it is over. */
  readonly leasedUntil?: Date;
  readonly createdAt: Date;
  readonly finishedAt?: Date;
}

export type CompletionDecision = Decision<ChatCompletion, ContentEvent>;

export interface CompletionUse {
  readonly usage: TokenUsage;
  readonly costMicros: number;
}

export const startCompletion = (
  begun: Pick<ChatCompletion, 'id' | 'assistantId' | 'model' | 'payer'>,
  at: Date,
  leaseMs: number,
): CompletionDecision =>
  decided({
    ...begun,
    usage: noUsage,
    costMicros: 0,
    outcome: null,
    leasedUntil: new Date(at.getTime() + leaseMs),
    createdAt: at,
  });

/** What it has used so far, and that its process goes on. CONFLICT: it is over. */
export function renewCompletion(
  found: ChatCompletion | undefined,
  use: CompletionUse,
  at: Date,
  leaseMs: number,
): CompletionDecision {
  if (!found || found.outcome !== null) throw completionOver();
  return decided({ ...found, ...use, leasedUntil: new Date(at.getTime() + leaseMs) });
}

/** With what is owed for it. CONFLICT: it is over, or was removed with its organisation. */
export function finishCompletion(
  found: ChatCompletion | undefined,
  { outcome, ...use }: CompletionUse & { readonly outcome: CompletionOutcome },
  at: Date,
  debits: readonly DebitCreated[],
): CompletionDecision {
  if (!found || found.outcome !== null) throw completionOver();
  return end({ ...found, ...use }, outcome, at, debits);
}

/** Its process is gone: what that had stored last is owed. Nothing where it goes on or is over. */
export function expireCompletion(
  found: ChatCompletion | undefined,
  at: Date,
  debitsOf: (completion: ChatCompletion) => readonly DebitCreated[],
): Decision<ChatCompletion | undefined, ContentEvent> {
  if (!found?.leasedUntil || found.leasedUntil > at) return unchanged(found);
  return end(found, 'interrupted', at, debitsOf(found));
}

function end(
  { leasedUntil: _over, ...found }: ChatCompletion,
  outcome: CompletionOutcome,
  at: Date,
  debits: readonly DebitCreated[],
): CompletionDecision {
  const { id, assistantId, model, usage, costMicros } = found;
  const used = {
    assistant_id: assistantId,
    model,
    input_tokens: usage.inputTokens,
    output_tokens: usage.outputTokens,
    finish_reason: outcome,
  };
  return decided({ ...found, outcome, finishedAt: at }, [
    {
      name: 'chat_completion.finished',
      subject: id,
      at,
      data: { chat_completion_id: id, ...used },
      change: { before: null, after: { ...used, credits_micros: costMicros } },
    },
    ...debits,
  ]);
}

/** The same whoever ends it. */
export const completionDebitId = (id: string): string => idOf(['chat_completion', id]);
