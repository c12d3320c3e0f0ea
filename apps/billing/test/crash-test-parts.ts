import { repetitions } from '@platform-backend/testing';

/** What a process that was killed throws from then on. */
export class Killed extends Error {}

/** Parts of one process that dies at one of their steps. */
export interface Crash {
  /** Makes a part one of the process. */
  readonly partOf: <Part extends object>(part: Part) => Part;
  readonly isDead: () => boolean;
}

/**
 * A process that dies at the nth step of its parts, before the step or after it took effect; what is dead does nothing more,
 * not even clean up.
 */
export function crashAt(step: number, when: 'before' | 'after'): Crash {
  let steps = 0;
  let dead = false;
  const isDead = (): boolean => dead;
  const die = (): never => {
    dead = true;
    throw new Killed();
  };
  return {
    isDead,
    partOf: (part) =>
      new Proxy(part, {
        get: (target, name) => {
          const call = Reflect.get(target, name) as ((...given: unknown[]) => Promise<unknown>) | string | null;
          if (typeof call !== 'function') return call;
          return async (...given: unknown[]) => {
            steps += 1;
            if (isDead() || (steps === step && when === 'before')) return die();
            const isLast = steps === step;
            const answer = await call.apply(target, given);
            // It may have died meanwhile, at a step of something else that it did.
            return isLast || isDead() ? die() : answer;
          };
        },
      }),
  };
}

/** After a step is before the next: in the usual form of a run a process dies after each, in the long one before it as well. */
export const sidesOfSteps = (): readonly ('before' | 'after')[] =>
  repetitions({ usual: 1, long: 2 }) === 1 ? ['after'] : ['before', 'after'];

/** As `crashAt`, for whoever knows that it has died by what it throws. */
export const dyingAt = (step: number, when: 'before' | 'after'): Crash['partOf'] => crashAt(step, when).partOf;

/** Whether it was killed before it had finished; any other failure is one. */
export async function wasKilled(work: Promise<unknown>): Promise<boolean> {
  try {
    await work;
    return false;
  } catch (error) {
    if (error instanceof Killed) return true;
    throw error;
  }
}
