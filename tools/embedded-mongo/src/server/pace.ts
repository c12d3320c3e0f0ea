import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import { ServerError } from '../errors.ts';

/** Milliseconds for which one command may hold the loop. */
const TURN_MS = 8;

/** Keeps a command from holding the loop, and from taking longer than its caller waits. */
export class Pace {
  readonly #deadline: number;
  readonly #signal: AbortSignal | undefined;
  #since = performance.now();

  constructor(maxTimeMs: number, signal?: AbortSignal) {
    this.#deadline = maxTimeMs > 0 ? performance.now() + maxTimeMs : Infinity;
    this.#signal = signal;
  }

  readonly pause = async (): Promise<void> => {
    const now = performance.now();
    if (now > this.#deadline) throw new ServerError(50, 'operation exceeded time limit');
    if (now - this.#since < TURN_MS) return;
    await yieldToEventLoop();
    this.#since = performance.now();
    if (this.#signal?.aborted === true)
      throw new ServerError(11601, 'operation was interrupted: its connection was closed');
  };
}
