import type { Logger } from '@platform-backend/core';
import { interrupted } from '../../conversations/domain/incomplete.ts';
import { TurnInterrupted, type LiveAnswer } from './live-answer.ts';

interface StoringPorts {
  /** Resolves after so many milliseconds, and rejects when the signal is aborted before. */
  readonly pause: (ms: number, signal: AbortSignal) => Promise<void>;
}

/** How often what is written is stored, in milliseconds. */
const STORE_EVERY_MS = 1_000;
/** How often a lease is renewed in its time: a moment in which nothing can be stored loses none. */
const RENEWALS_IN_LEASE = 6;

/** Pauses before what ends an answer is stored once more, in milliseconds. */
const PAUSES_MS = [100, 300, 1_000, 2_000, 4_000, 8_000, 16_000];

/**
 * Has what is written stored every second until the answer is finished, and says when its lease is to be renewed. The answer is interrupted
 * where somebody else has ended it; whatever else fails may pass.
 */
export async function storePeriodically(
  {
    pause,
    turnLeaseMs,
    logger,
  }: StoringPorts & { readonly turnLeaseMs: number; readonly logger: Pick<Logger, 'warn'> },
  live: LiveAnswer,
  {
    store,
    isOver,
  }: { readonly store: (renews: boolean) => Promise<void>; readonly isOver: (error: unknown) => boolean },
): Promise<void> {
  const renewEvery = Math.max(1, Math.floor(turnLeaseMs / RENEWALS_IN_LEASE / STORE_EVERY_MS));
  for (let round = 1; ; round += 1) {
    await pause(STORE_EVERY_MS, live.finished).catch(() => undefined);
    if (live.finished.aborted) return;
    try {
      await store(round % renewEvery === 0);
    } catch (error) {
      if (isOver(error)) live.stop(new TurnInterrupted(interrupted));
      else
        logger.warn(
          { event: 'turn.part_not_stored', err: error },
          'a part of an answer could not be stored, trying again',
        );
    }
  }
}

/**
 * Stores what ends an answer, again and again for half a minute: a moment in which nothing can be stored loses none of it. Answers the failure
 * after which it was given up: the last one, or one that will not pass.
 */
export async function storePersistently(
  { pause }: StoringPorts,
  store: () => Promise<unknown>,
  {
    failed,
    isOver,
  }: { readonly failed: (error: unknown, isLast: boolean) => void; readonly isOver: (error: unknown) => boolean },
): Promise<{ readonly failure: unknown } | undefined> {
  for (let attempt = 0; ; attempt += 1) {
    try {
      await store();
      return undefined;
    } catch (error) {
      const pauseMs = isOver(error) ? undefined : PAUSES_MS[attempt];
      failed(error, pauseMs === undefined);
      if (pauseMs === undefined) return { failure: error };
      await pause(pauseMs, new AbortController().signal);
    }
  }
}
