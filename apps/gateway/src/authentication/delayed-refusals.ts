import type { DomainError } from '@platform-backend/core';
import type { Exchange } from '../exchange/exchange.ts';

/** Rejects with the error after a while, or as soon as its client has gone away. */
export type DelayRefusal = (exchange: Exchange, error: DomainError) => Promise<never>;

export interface DelayedRefusalsOptions {
  /** Milliseconds that a refusal is held back on average: from half of them to half as much more. */
  readonly delayMs: number;
  /** How many are held back at once; the next one is told at once and loses its connection. */
  readonly maxHeld: number;
  /** From 0 to 1. */
  readonly random?: () => number;
}

/**
 * Holds back the refusals of whoever comes too often. A client that tries again as soon as it is refused would otherwise take as much of
 * the gateway's time as it can get, and everybody else would wait behind its refusals. Not all are held for the same time: those that came
 * together would come again together, and others wait behind the wave.
 */
export function delayedRefusals({ delayMs, maxHeld, random = Math.random }: DelayedRefusalsOptions): DelayRefusal {
  let held = 0;
  return (exchange, error) =>
    new Promise((_, reject) => {
      if (held >= maxHeld) {
        exchange.headers.push('Connection', 'close');
        reject(error);
        return;
      }
      held += 1;
      const tell = (): void => {
        exchange.response.off('close', tell);
        clearTimeout(timer);
        held -= 1;
        reject(error);
      };
      const timer = setTimeout(tell, delayMs * (0.5 + random()));
      exchange.response.on('close', tell);
    });
}
