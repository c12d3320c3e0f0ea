import { DomainError } from '@platform-backend/core';
import type { Incomplete } from '../../conversations/domain/incomplete.ts';
import { CODES_SHOWN_TO_CALLERS } from '../domain/errors.ts';
import { noUsage, type TokenUsage } from '../domain/language-model.ts';

export interface ToolStep {
  readonly name: string;
  readonly isFinished: boolean;
  /** It could not do what it was asked to. */
  readonly isFailed: boolean;
}

/** An answer that is written in this process. */
export interface LiveAnswer {
  readonly id: string;
  readonly text: string;
  readonly tools: readonly ToolStep[];
  /** What the model has read and written so far. */
  readonly usage: TokenUsage;
  /** What naming the conversation has used, by a model of its own. */
  readonly titleUsage: TokenUsage;
  /** Of saying its question whole. */
  readonly rewriteUsage: TokenUsage;
  /** Aborted when nobody wants the answer any more. */
  readonly signal: AbortSignal;
  /** Aborted when nothing more is written. */
  readonly finished: AbortSignal;
  /** How often there was something new to see. */
  readonly changes: number;
  /** Resolves when there have been more changes than these, or the signal is aborted. */
  changedSince(changes: number, signal: AbortSignal): Promise<void>;
  write(text: string): void;
  use(tool: ToolStep): void;
  count(usage: TokenUsage): void;
  countTitle(usage: TokenUsage): void;
  countRewrite(usage: TokenUsage): void;
  stop(reason: Error): void;
  finish(): void;
}

/** All that was read and written for it. */
export const usageOf = ({ usage, titleUsage, rewriteUsage }: LiveAnswer): TokenUsage => ({
  inputTokens: usage.inputTokens + titleUsage.inputTokens + rewriteUsage.inputTokens,
  outputTokens: usage.outputTokens + titleUsage.outputTokens + rewriteUsage.outputTokens,
});

/** Somebody does not want the answer any more; what was written stays. */
export class TurnStopped extends Error {}

/** Of one answer. */
const MAX_TOOL_STEPS = 50;

export function liveAnswer(id: string): LiveAnswer {
  const [stopping, finishing] = [new AbortController(), new AbortController()];
  const tools: ToolStep[] = [];
  const readers = new Set<() => void>();
  let [text, changes] = ['', 0];
  let [usage, titleUsage, rewriteUsage] = [noUsage, noUsage, noUsage];
  const tell = (): void => {
    changes += 1;
    for (const goOn of readers) goOn();
  };
  return {
    id,
    tools,
    signal: stopping.signal,
    finished: finishing.signal,
    get text() {
      return text;
    },
    get changes() {
      return changes;
    },
    get usage() {
      return usage;
    },
    get titleUsage() {
      return titleUsage;
    },
    get rewriteUsage() {
      return rewriteUsage;
    },
    changedSince: (known, signal) =>
      new Promise((resolve) => {
        const goOn = (): void => {
          readers.delete(goOn);
          signal.removeEventListener('abort', goOn);
          resolve();
        };
        readers.add(goOn);
        signal.addEventListener('abort', goOn);
        if (changes > known || signal.aborted) goOn();
      }),
    write(more) {
      text += more;
      tell();
    },
    use(tool) {
      if (tools.length >= MAX_TOOL_STEPS) return;
      tools.push(tool);
      tell();
    },
    count(used) {
      usage = used;
    },
    countTitle(used) {
      titleUsage = used;
    },
    countRewrite(used) {
      rewriteUsage = used;
    },
    stop: (reason) => stopping.abort(reason),
    finish() {
      finishing.abort();
      tell();
    },
  };
}

/** Why there is no answer, or no more of it; nothing internal. */
export function reasonOf(error: unknown): Incomplete {
  if (error instanceof TurnInterrupted) return { code: error.code, message: error.message };
  if (!(error instanceof DomainError)) return FAILED;
  const { kind, code, message } = error;
  // What declares a code has a text of its own for whoever asked.
  if (CODES_SHOWN_TO_CALLERS.has(code)) return { code, message };
  return { unavailable: UNREACHABLE, upstream_failed: UNUSABLE }[kind as string] ?? FAILED;
}

const FAILED: Incomplete = { code: 'failed', message: 'The answer could not be written. Please ask again.' };
const UNREACHABLE: Incomplete = {
  code: 'unavailable',
  message: 'The assistant cannot be reached right now. Please ask again in a moment.',
};
const UNUSABLE: Incomplete = {
  code: 'upstream_failed',
  message: 'The language model gave no answer that can be used. Please ask again.',
};

/** The answer is given up for a reason of ours, which people may read. */
export class TurnInterrupted extends Error {
  readonly code: string;
  constructor({ code, message }: Incomplete) {
    super(message);
    this.code = code;
  }
}
