import { step } from '../../steps/test/examples.ts';
import { beginStep, finishStep, type StepEnd } from '../domain/change-run.ts';
import { retriedRun } from '../domain/new-run.ts';
import type { Run } from '../domain/run.ts';
import { by, noon, runOf } from './examples.ts';

type EndOf<Outcome extends StepEnd['outcome']> = Extract<StepEnd, { readonly outcome: Outcome }>;

/** Three steps, each of which waits for the one before. */
export const line = () => runOf([step('a', ['r'], ['x']), step('b', ['x'], ['y']), step('c', ['y'], ['z'])]);
/** Two steps, and one that waits for both. */
export const fork = () => runOf([step('a', ['r'], ['x']), step('b', ['r'], ['y']), step('c', ['x', 'y'], ['z'])]);
export const succeeded: EndOf<'SUCCEEDED'> = { outcome: 'SUCCEEDED', outputs: [], inputVersionIds: [], seconds: 0.4 };
export const failed: EndOf<'FAILED'> = {
  outcome: 'FAILED',
  code: 'query_failed',
  message: 'no such thing',
  failedRows: [],
  inputVersionIds: [],
  seconds: 0.1,
};
export const lost: EndOf<'ERROR'> = { outcome: 'ERROR', message: 'lost' };
export const skipped: EndOf<'SKIPPED'> = { outcome: 'SKIPPED', message: 'Its condition does not hold' };

export const begun = (run: Run, stepIndex: number, worker = 'worker one') =>
  beginStep(run, stepIndex, { worker, at: noon }).state;
export const finish = (run: Run, stepIndex: number, end: StepEnd, attempt = run.steps[stepIndex]?.attempt ?? 0) =>
  finishStep(run, { stepIndex, attempt, end, at: noon });
export const done = (run: Run, stepIndex: number, end: StepEnd = succeeded) =>
  finish(begun(run, stepIndex), stepIndex, end).state;
export const again = (run: Run) =>
  retriedRun(
    by,
    run,
    {
      id: 'again',
      name: 'again',
      engine: 'embedded',
      timeLimitSeconds: 60,
      reservedMicros: 1_000_000n,
      notifies: false,
      clientGroupId: null,
    },
    noon,
  ).state;
export const statuses = (run: Run) => [run.status, ...run.steps.map(({ status }) => status)];
