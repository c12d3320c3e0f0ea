import { decided, idOf, unchanged, type Decision, type Fields } from '@platform-backend/core';
import type { DebitCreated } from '../../credits/domain/credits.ts';
import type { ContentEvent } from '../../events.ts';
import type { TokenUsage } from '../../turns/domain/language-model.ts';

/** How a model has answered: whole and as it should, cut, withheld by whoever runs it, or not as its schema says. */
export type GenerationOutcome = 'ANSWERED' | 'CUT' | 'WITHHELD' | 'UNFIT';

/** What a model is asked, for another service. */
export interface GenerationRequest {
  readonly id: string;
  readonly attempt: number;
  readonly workId: string;
  /** Empty: the usual one. */
  readonly model: string;
  readonly instructions: string;
  readonly prompt: string;
  readonly temperature: number | null;
  readonly maxOutputTokens: number | null;
  readonly jsonSchema: Fields | null;
  readonly timeLimitSeconds: number;
}

/** What a model has answered, and what that has cost. */
export interface GenerationAnswer {
  readonly outcome: GenerationOutcome;
  readonly text: string;
  readonly problems: readonly string[];
  readonly model: string;
  readonly usage: TokenUsage;
  readonly costMicros: number;
}

/** An answer that is kept, so that it is given again to whoever asks again. */
export interface Generation extends Omit<GenerationAnswer, 'text' | 'problems'> {
  readonly id: string;
  readonly attempt: number;
  readonly workId: string;
  /** Absent once nobody asks for it any more, as are the problems. */
  readonly text?: string;
  readonly problems?: readonly string[];
  /** Until then. */
  readonly textUntil?: Date;
  /** What the answers before have cost whose place this one has taken, and for how many of them something is owed. */
  readonly replaced?: { readonly costMicros: number; readonly debits: number };
  readonly createdAt: Date;
}

/** Longer than a run may take. */
const TEXT_MS = 8 * 86_400_000;

/** The answer of before, where it is still one for this attempt. */
export function keptAnswer(found: Generation | undefined, attempt: number): GenerationAnswer | undefined {
  if (found?.text === undefined) return undefined;
  const isOfUse = found.outcome === 'ANSWERED' || found.attempt >= attempt;
  return isOfUse ? { ...found, text: found.text, problems: found.problems ?? [] } : undefined;
}

/** Keeps an answer with what is owed for it; where another one was kept meanwhile that is the answer, and nothing is owed for this. */
export function storeAnswer(
  found: Generation | undefined,
  { id, attempt, workId }: Pick<GenerationRequest, 'id' | 'attempt' | 'workId'>,
  answer: GenerationAnswer,
  at: Date,
  debits: readonly DebitCreated[],
): Decision<Generation | undefined, ContentEvent, { readonly answer: GenerationAnswer; readonly isKept: boolean }> {
  const kept = keptAnswer(found, attempt);
  if (kept) return { ...unchanged(found), result: { answer: kept, isKept: false } };
  const generation: Generation = {
    ...answer,
    id,
    attempt,
    workId,
    textUntil: new Date(at.getTime() + TEXT_MS),
    ...(found && { replaced: costSoFar(found) }),
    createdAt: at,
  };
  return decided(generation, [...debits], { answer, isKept: true });
}

/** Of an answer, and of those whose place it has taken. */
export function costSoFar({
  costMicros,
  replaced = { costMicros: 0, debits: 0 },
}: Pick<Generation, 'costMicros' | 'replaced'>): NonNullable<Generation['replaced']> {
  return { costMicros: replaced.costMicros + costMicros, debits: replaced.debits + (costMicros > 0 ? 1 : 0) };
}

/** The same for the same answer, whoever writes it down. */
export const generationDebitId = ({ id, attempt }: Pick<GenerationRequest, 'id' | 'attempt'>): string =>
  idOf(['generation', id, String(attempt)]);
