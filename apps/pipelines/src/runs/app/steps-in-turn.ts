import type { StepRef } from '../domain/run-engine.ts';
import type { RunStep } from '../domain/run.ts';
import { dueStepsOf } from '../domain/run.ts';
import type { DueSteps } from '../domain/runs.ts';

export interface StepsInTurnPorts {
  readonly due: DueSteps;
  /** The present time, for what has been postponed. */
  readonly now: () => Date;
}

/** So many runs are looked up at once. */
const LIMIT = 32;
/** What was found is forgotten by then: others have come, or have been begun elsewhere. */
const KNOWN_FOR_MS = 100;
/** Organisations of which it is remembered when they had their turn: each look sends them, and looks through them for every step. */
const MAX_SERVED = 1_000;

/** Which step is next, organisation by organisation in turn, of one kind of them. */
export function stepsInTurn({ due, now }: StepsInTurnPorts, { needsKernel }: Pick<RunStep, 'needsKernel'>) {
  /** The latest last. */
  const served = new Set<string>();
  let known: Promise<StepRef[]> = Promise.resolve([]);
  let knownUntil = 0;

  async function look(isForIdle: boolean): Promise<StepRef[]> {
    const found = await due.inTurn({ needsKernel, served: [...served], isForIdle, limit: LIMIT });
    return found.flatMap(({ organisationId, run }) =>
      dueStepsOf(run, { needsKernel }, now()).map((stepIndex) => ({ organisationId, runId: run.id, stepIndex })),
    );
  }

  return {
    /** Undefined: nothing waits. It may have been begun elsewhere a moment ago. */
    async next(): Promise<StepRef | undefined> {
      const left = await known;
      if (left.length > 0 && performance.now() < knownUntil) return left.shift();
      const looked = look(false);
      known = looked.catch(() => []);
      knownUntil = performance.now() + KNOWN_FOR_MS;
      return (await looked).shift();
    },

    /** Of an organisation for which nothing is carried out anywhere. */
    nextOfIdle: async (): Promise<StepRef | undefined> => (await look(true)).shift(),

    hadTurn(organisationId: string): void {
      served.delete(organisationId);
      served.add(organisationId);
      const [oldest] = served;
      if (served.size > MAX_SERVED && oldest !== undefined) served.delete(oldest);
    },
  };
}
