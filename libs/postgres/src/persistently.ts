import { callerSignal, outcomeUnknown, remainingDeadlineMs } from '@platform-backend/core';
import { setTimeout as delay } from 'node:timers/promises';
import { isOutage, isPreparedForOtherColumns, translateFailure, type ConstraintErrors } from './failures.ts';

/** From here on pauses grow no longer. */
const MAX_PAUSE_STEPS = 4;

/** Tries again, as often in all as a failure is worth, and throws what its caller is told. */
export type Persistently = <T>(
  run: () => Promise<T>,
  attemptsAt: (error: unknown) => number,
  mayBeDone?: () => boolean,
) => Promise<T>;

export const persistentlyWith =
  (pool: { readonly poolMax: number; readonly constraintErrors: ConstraintErrors | undefined }): Persistently =>
  async (run, attemptsAt, mayBeDone = () => false) => {
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await run();
      } catch (error) {
        if (isOutage(error) && mayBeDone()) throw outcomeUnknown({ cause: error });
        const isForNobody = callerSignal()?.aborted === true;
        // Every connection may have prepared it so, and each of them says it once.
        const attempts = isPreparedForOtherColumns(error) ? pool.poolMax + 1 : attemptsAt(error);
        const pauseMs = Math.min(attempt, MAX_PAUSE_STEPS) * (10 + Math.random() * 40);
        // Whoever waits is told while there is time for it.
        if (isForNobody || attempt >= attempts || pauseMs >= remainingDeadlineMs())
          throw translateFailure(error, pool.constraintErrors);
        await delay(pauseMs);
      }
    }
  };
