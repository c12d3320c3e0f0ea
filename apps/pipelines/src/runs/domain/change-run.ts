import { decided, unchanged, type Decision } from '@platform-backend/core';
import type { PipelinesEvent } from '../../events.ts';
import { retryPauseSeconds } from '../../steps/domain/retry-policy.ts';
import { runCancelled, runFinished, stepFinished } from './run-events.ts';
import {
  dueSteps,
  isOver,
  isOverdue,
  isStepOver,
  readySteps,
  type Run,
  type RunOutput,
  type RunStatus,
  type RunStep,
} from './run.ts';

/** A step that is lost so often is given up: most likely it is what ends its workers. */
export const MAX_LOSSES = 3;

/** What a step waits for may be there soon. */
const MIN_POSTPONED_MS = 10_000;
const MAX_POSTPONED_MS = 60_000;

/** Whoever carries out a step, and when. */
export interface Beginning {
  /** Null: none of our processes, so that the step outlives all of them. */
  readonly worker: string | null;
  readonly at: Date;
}

/** The number of the attempt that has begun; undefined: it is not to begin, or has begun already. */
export function beginStep(
  run: Run,
  stepIndex: number,
  { worker, at }: Beginning,
): Decision<Run, PipelinesEvent, number | undefined> {
  const step = run.steps[stepIndex];
  // Who is none of our processes has waited by its own clock.
  const mayBegin = worker === null ? readySteps(run) : dueSteps(run, at);
  if (!step || !mayBegin.includes(stepIndex)) return { ...unchanged(run), result: undefined };
  const attempt = step.attempt + 1;
  const begun = withStep(run, stepIndex, { ...step, status: 'Running', attempt, worker, startedAt: at, message: '' });
  return decided({ ...begun, status: 'Running', startedAt: run.startedAt ?? at }, [], attempt);
}

/** What keeps a step from beginning, until it begins. */
export function waitStep(run: Run, stepIndex: number, message: string): Decision<Run, PipelinesEvent> {
  const step = run.steps[stepIndex];
  if (step?.status !== 'Pending' || step.message === message || isOver(run)) return unchanged(run);
  return decided(withStep(run, stepIndex, { ...step, message }), []);
}

/**
 * How an attempt ended. `FAILED` is the fault of what was to be done, `ERROR` of what should have done it; `RETURNED` is
 * begun again by another one, as who carried it out has to stop, and `POSTPONED` likewise but later, as what it needs is not to
 * be had now: neither is held against it.
 */
export type StepEnd =
  | {
      readonly outcome: 'SUCCEEDED';
      readonly outputs: readonly RunOutput[];
      readonly inputVersionIds: readonly string[];
      readonly seconds: number;
    }
  | {
      readonly outcome: 'FAILED';
      /** What kind of failure, as retry policies name it; empty: of none that has a name. */
      readonly code: string;
      readonly message: string;
      /** Nobody tries it again, whatever its retry policy says. */
      readonly isFinal?: boolean;
      readonly failedRows: RunStep['failedRows'];
      readonly inputVersionIds: readonly string[];
      readonly seconds: number;
    }
  /** `isFinal`: nobody tries it again. `seconds`: of one that was stopped with its run. */
  | { readonly outcome: 'ERROR'; readonly message: string; readonly isFinal?: boolean; readonly seconds?: number }
  /** Its condition did not hold: nothing of it has begun. */
  | { readonly outcome: 'SKIPPED'; readonly message: string }
  | { readonly outcome: 'RETURNED' }
  | { readonly outcome: 'POSTPONED'; readonly message: string };

/** Whether what is reported of this attempt still counts. */
export const isPresent = (run: Run, stepIndex: number, attempt: number): boolean => {
  const step = run.steps[stepIndex];
  return !isOver(run) && step?.status === 'Running' && step.attempt === attempt;
};

/** Records the end of an attempt. One that is too late changes nothing. */
export function finishStep(
  run: Run,
  { stepIndex, attempt, end, at }: { stepIndex: number; attempt: number; end: StepEnd; at: Date },
): Decision<Run, PipelinesEvent> {
  const step = run.steps[stepIndex];
  if (!step || !isPresent(run, stepIndex, attempt)) return unchanged(run);
  // Of a run that is being cancelled nothing counts any more, however it ended.
  const isUnwanted = run.status === 'Cancelling';
  const counted: RunStep = {
    ...step,
    losses: step.losses + (end.outcome === 'ERROR' ? 1 : 0),
    failures: step.failures + (end.outcome === 'FAILED' ? 1 : 0),
  };
  const pauseMs = pauseUntilNext(counted, end);
  if (pauseMs !== undefined && !isUnwanted && !hasFailed(run)) {
    const notBefore = pauseMs > 0 ? new Date(at.getTime() + pauseMs) : null;
    const failed = end.outcome === 'FAILED' && { errorCode: end.code, seconds: step.seconds + end.seconds };
    const message = 'message' in end ? end.message : step.message;
    const again: RunStep = {
      ...counted,
      ...failed,
      status: 'Pending',
      worker: null,
      startedAt: null,
      notBefore,
      message,
    };
    return decided(withStep(run, stepIndex, again), []);
  }
  const finished: RunStep = isUnwanted
    ? stoppedStep(run, step, at, end)
    : { ...counted, ...endOf(end, step.seconds), worker: null, finishedAt: at };
  const next = withStep(run, stepIndex, finished);
  return settled(next, at, [stepFinished(next, finished, at)]);
}

/** For how long a step is not begun again after an attempt that ended so, this one counted; undefined: it is over. */
function pauseUntilNext(step: RunStep, end: StepEnd): number | undefined {
  if (end.outcome === 'RETURNED') return 0;
  if (end.outcome === 'POSTPONED') return postponedMs(step);
  if (end.outcome === 'SUCCEEDED' || end.outcome === 'SKIPPED' || end.isFinal === true) return undefined;
  if (end.outcome === 'ERROR') return step.losses < MAX_LOSSES ? 0 : undefined;
  const seconds = retryPauseSeconds(step.retryPolicy, step.failures, end.code);
  return seconds === undefined ? undefined : seconds * 1000;
}

/** The longer the more often it has waited already. */
const postponedMs = ({ attempt, losses, failures }: RunStep): number =>
  Math.min(MIN_POSTPONED_MS * 2 ** (attempt - losses - failures - 1), MAX_POSTPONED_MS);

const STATUS_OF = { SUCCEEDED: 'Succeeded', FAILED: 'Failed' } as const;

/** `before`: seconds of attempts that have failed before. */
function endOf(end: StepEnd, before: number): Partial<RunStep> & Pick<RunStep, 'status'> {
  if (end.outcome === 'RETURNED' || end.outcome === 'POSTPONED') return { status: 'Omitted', message: '' };
  if (end.outcome === 'ERROR') return { status: 'Error', message: end.message };
  if (end.outcome === 'SKIPPED') return { status: 'Skipped', message: end.message, errorCode: '' };
  const seconds = before + end.seconds;
  const status = STATUS_OF[end.outcome];
  if (end.outcome === 'SUCCEEDED') {
    const { outputs, inputVersionIds } = end;
    return { status, message: '', errorCode: '', outputs, inputVersionIds, seconds };
  }
  const { code: errorCode, message, failedRows, inputVersionIds } = end;
  return { status, message, errorCode, failedRows, inputVersionIds, seconds };
}

/** A step that was interrupted with its run. What ran of it is owed. */
const stoppedStep = (run: Run, step: RunStep, at: Date, end?: StepEnd): RunStep => ({
  ...step,
  status: 'Error',
  worker: null,
  finishedAt: at,
  message: endWanted(run).message,
  seconds: step.seconds + stoppedSeconds(run, step, end),
});

/** As its engine says; of an attempt of which nothing is heard, from its beginning until its end was wanted. */
function stoppedSeconds({ cancellingAt }: Run, { startedAt, ...step }: RunStep, end?: StepEnd): number {
  if (end?.outcome === 'POSTPONED' || step.startsRun) return 0;
  const told = end && 'seconds' in end ? end.seconds : undefined;
  if (told !== undefined || !startedAt || !cancellingAt) return told ?? 0;
  return Math.max(0, cancellingAt.getTime() - startedAt.getTime()) / 1000;
}

/** What a run comes to whose end is wanted. */
const endWanted = ({ message }: Run): Pick<Run, 'status' | 'message'> =>
  message === '' ? { status: 'Cancelled', message: 'The run was cancelled' } : { status: 'Failed', message };

/** With all that has not begun left out. */
export const omitted = (run: Run): Run => ({
  ...run,
  steps: run.steps.map((step) => (step.status === 'Pending' ? { ...step, status: 'Omitted' as const } : step)),
});

const hasFailed = ({ steps }: Run): boolean => steps.some(({ status }) => status === 'Failed' || status === 'Error');

/** What a run is after one of its steps has ended: nothing begins after a failure, and it is over when nothing runs. */
function settled(run: Run, at: Date, events: readonly PipelinesEvent[]): Decision<Run, PipelinesEvent> {
  const next = hasFailed(run) || run.status === 'Cancelling' ? omitted(run) : run;
  if (!next.steps.every(isStepOver)) return decided(next, events);
  const over = ended(next, at);
  return decided(over, [...events, runFinished(over, at)]);
}

function ended(run: Run, at: Date): Run {
  if (run.status === 'Cancelling') return { ...run, ...endWanted(run), finishedAt: at };
  const culprit =
    run.steps.find(({ status }) => status === 'Error') ?? run.steps.find(({ status }) => status === 'Failed');
  const status: RunStatus = culprit ? (culprit.status as 'Error' | 'Failed') : 'Succeeded';
  const message = culprit ? `${culprit.name}: ${culprit.message}` : '';
  return { ...run, status, message, finishedAt: at };
}

/** Asks for the end of a run. What is over stays as it is; what has not begun is over at once. */
export function cancelRun(run: Run, at: Date): Decision<Run, PipelinesEvent> {
  if (isOver(run) || run.status === 'Cancelling') return unchanged(run);
  const wanted: Run = { ...omitted(run), status: 'Cancelling', cancellingAt: at };
  return settled(wanted, at, [runCancelled(run, at)]);
}

/** Begins the end of a run that has taken longer than it may: what runs is interrupted, as of one that is cancelled. */
export function stopOverdue(run: Run, at: Date): Decision<Run, PipelinesEvent> {
  if (isOver(run) || run.status === 'Cancelling' || !isOverdue(run, at)) return unchanged(run);
  const message = `The run took longer than ${run.timeLimitSeconds} s`;
  return settled({ ...omitted(run), status: 'Cancelling', cancellingAt: at, message }, at, []);
}

/** Ends a run whose end was asked for without hearing of what still runs: it is too late by then, whatever it reports. */
export function enforceCancelling(run: Run, at: Date): Decision<Run, PipelinesEvent> {
  if (run.status !== 'Cancelling') return unchanged(run);
  const steps = run.steps.map((step) => (step.status === 'Running' ? stoppedStep(run, step, at) : step));
  return settled({ ...run, steps }, at, []);
}

/** Takes the steps of workers that are gone away from them. */
export function loseWorkers(run: Run, areGone: (worker: string) => boolean, at: Date): Decision<Run, PipelinesEvent> {
  let state = run;
  const events: PipelinesEvent[] = [];
  for (const [stepIndex, { worker, attempt }] of run.steps.entries()) {
    if (worker === null || !areGone(worker)) continue;
    const end = { outcome: 'ERROR' as const, message: 'What carried it out was lost' };
    const decision = finishStep(state, { stepIndex, attempt, end, at });
    state = decision.state;
    events.push(...decision.events);
  }
  return { state, events, result: state };
}

const withStep = (run: Run, stepIndex: number, step: RunStep): Run => ({
  ...run,
  steps: run.steps.with(stepIndex, step),
});
