/** What a process that was killed throws from then on. */
export class Killed extends Error {}

/**
 * Makes parts that belong to one process, which dies at its nth step, before the step or after it took effect; what is
 * dead does nothing more, not even clean up.
 */
export function dyingAt(step: number, when: 'before' | 'after'): <Part extends object>(part: Part) => Part {
  let steps = 0;
  return (part) =>
    new Proxy(part, {
      get: (target, name) => {
        const call = Reflect.get(target, name) as ((...given: unknown[]) => Promise<unknown>) | string | null;
        if (typeof call !== 'function') return call;
        return async (...given: unknown[]) => {
          steps += 1;
          if (steps > step || (steps === step && when === 'before')) throw new Killed();
          const answer = await call.apply(target, given);
          if (steps === step) throw new Killed();
          return answer;
        };
      },
    });
}

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
