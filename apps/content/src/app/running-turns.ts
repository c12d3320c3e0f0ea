import { DomainError } from '@platform/core';

export interface ToolStep {
  readonly name: string;
  readonly isFinished: boolean;
}

/** An answer that is written in this process. */
export interface RunningTurn {
  readonly id: string;
  readonly text: string;
  readonly tools: readonly ToolStep[];
  readonly signal: AbortSignal;
  /** Resolves when there is more to see, or it has ended. */
  readonly changed: Promise<unknown>;
  hasEnded(): boolean;
  write(text: string): void;
  use(tool: ToolStep): void;
  stop(reason: Error): void;
  end(): void;
}

/** Somebody does not want the answer any more; what was written stays. */
export class TurnStopped extends Error {}

/** Of one answer. */
const MOST_TOOL_STEPS = 50;

export function runningTurn(id: string): RunningTurn {
  const stopping = new AbortController();
  const tools: ToolStep[] = [];
  let [text, hasEnded] = ['', false];
  let next = Promise.withResolvers<undefined>();
  const tell = (): void => {
    const { resolve } = next;
    next = Promise.withResolvers();
    resolve(undefined);
  };
  return {
    id,
    tools,
    signal: stopping.signal,
    get text() {
      return text;
    },
    hasEnded: () => hasEnded,
    get changed() {
      return hasEnded ? Promise.resolve() : next.promise;
    },
    write(more) {
      text += more;
      tell();
    },
    use(tool) {
      if (tools.length >= MOST_TOOL_STEPS) return;
      tools.push(tool);
      tell();
    },
    stop: (reason) => stopping.abort(reason),
    end() {
      hasEnded = true;
      tell();
    },
  };
}

/** What people read in place of an answer; nothing internal. */
export function failureText(error: unknown): string {
  if (error instanceof TurnInterrupted) return error.message;
  const kind = error instanceof DomainError ? error.kind : 'internal';
  return (
    {
      unavailable: 'The assistant cannot be reached right now. Please ask again in a moment.',
      upstream_failed: 'The language model gave no answer that can be used. Please ask again.',
    }[kind as string] ?? 'The answer could not be written. Please ask again.'
  );
}

/** The answer is given up for a reason of ours, which people may read. */
export class TurnInterrupted extends Error {}
