import type { TokenUsage } from '../domain/language-model.ts';

/** How a turn has ended. */
export type TurnOutcome = 'whole' | 'approval' | 'stopped' | 'cut' | 'incomplete' | 'error';

/** What is counted of turns; nothing of what is said in them. */
export interface TurnMeters {
  /** From the question to the first word of the answer. */
  readonly timeToFirstToken: (seconds: number) => void;
  readonly ended: (outcome: TurnOutcome, usage: TokenUsage) => void;
  readonly toolFailed: (tool: string) => void;
  /** The end of an answer, or what it has cost, could not be stored at an attempt. */
  readonly notStored: (what: 'end' | 'debit') => void;
}
