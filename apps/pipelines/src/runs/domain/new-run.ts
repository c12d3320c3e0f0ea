import { decided, type ActorContext, type Decision } from '@platform-backend/core';
import type { PipelinesEvent } from '../../events.ts';
import type { PipelineVersion } from '../../pipelines/domain/pipeline.ts';
import { stepGraph } from '../../steps/domain/step-graph.ts';
import {
  CONDITIONS_VERSION,
  engineVersionOf,
  PARAMETERS_VERSION,
  startsRun,
  waitsElsewhere,
} from '../../steps/domain/step.ts';
import { omitted } from './change-run.ts';
import { runNotOver, runSucceeded } from './errors.ts';
import { runFinished, runStarted } from './run-events.ts';
import { isOver, isPassed, type Run, type RunStep } from './run.ts';

export type RunInput = Pick<
  Run,
  | 'id'
  | 'name'
  | 'trigger'
  | 'engine'
  | 'timeLimitSeconds'
  | 'reservedMicros'
  | 'eventChain'
  | 'tags'
  | 'notifies'
  | 'clientGroupId'
  | 'parent'
  | 'parameters'
  | 'backfillId'
>;

/** A run of a version, from the beginning. */
export function newRun(
  by: ActorContext,
  version: PipelineVersion,
  wanted: RunInput,
  at: Date,
): Decision<Run, PipelinesEvent> {
  const graph = stepGraph(version.steps, version.stepOrder);
  const needed = neededVersion(version);
  const run: Run = {
    ...wanted,
    ...begunBy(by, at),
    pipelineId: version.pipelineId,
    versionId: version.id,
    retryOfRunId: null,
    steps: version.steps.map(({ name, config }, stepIndex) => ({
      ...untouched,
      name,
      jobType: config.jobType,
      needsKernel: waitsElsewhere({ config }),
      startsRun: startsRun({ config }),
      forEach: config.forEach && { runs: config.forEach.values.length, concurrency: config.forEach.concurrency },
      engineVersion: Math.max(engineVersionOf({ config }), needed),
      timeLimitSeconds: config.timeLimitSeconds,
      retryPolicy: config.retryPolicy,
      after: graph[stepIndex] ?? [],
    })),
  };
  return decided(run, runStarted(run, at));
}

/** Of whoever carries out any step of it. */
function neededVersion({ steps, parameters }: PipelineVersion): number {
  if (steps.some(({ config }) => config.when.length > 0)) return CONDITIONS_VERSION;
  return parameters.length > 0 ? PARAMETERS_VERSION : 1;
}

/** What a run is as long as nothing has happened. */
const begunBy = (by: ActorContext, at: Date) =>
  ({
    status: 'Pending',
    startedBy: by.actor,
    requestId: by.requestId,
    createdAt: at,
    admittedAt: null,
    startedAt: null,
    cancellingAt: null,
    finishedAt: null,
    message: '',
    changes: 0,
  }) as const;

/** A run that was asked for and could not be started: it is over, and says why. */
export function refusedRun(
  by: ActorContext,
  version: PipelineVersion,
  wanted: RunInput,
  reason: string,
  at: Date,
): Decision<Run, PipelinesEvent> {
  const { state, events } = newRun(by, version, wanted, at);
  const message = `It was not started: ${reason}`;
  const over: Run = { ...omitted(state), status: 'Failed', finishedAt: at, message };
  return decided(over, [...events, runFinished(over, at)]);
}

const untouched = {
  status: 'Pending',
  attempt: 0,
  losses: 0,
  failures: 0,
  worker: null,
  startedAt: null,
  finishedAt: null,
  notBefore: null,
  message: '',
  errorCode: '',
  inputVersionIds: [],
  outputs: [],
  failedRows: [],
  seconds: 0,
  kept: false,
} as const satisfies Partial<RunStep>;

/**
 * A run that keeps what succeeded or was skipped in another one, but for a step and all that wait for it, if one is given. CONFLICT: that one is not over,
 * or has succeeded and no step is given.
 */
export function retriedRun(
  by: ActorContext,
  failed: Run,
  {
    fromStep,
    ...wanted
  }: Omit<RunInput, 'trigger' | 'eventChain' | 'tags' | 'parent' | 'parameters' | 'backfillId'> & {
    readonly fromStep?: number | undefined;
  },
  at: Date,
): Decision<Run, PipelinesEvent> {
  if (!isOver(failed)) throw runNotOver();
  if (failed.status === 'Succeeded' && fromStep === undefined) throw runSucceeded();
  const isAgain = fromStep === undefined ? new Set<number>() : withFollowing(failed, fromStep);
  const run: Run = {
    ...failed,
    ...wanted,
    ...begunBy(by, at),
    trigger: 'RETRY',
    retryOfRunId: failed.id,
    // Nobody waits for it, whoever waited for the other one.
    parent: null,
    backfillId: null,
    steps: failed.steps.map((step, stepIndex) =>
      isPassed(step) && !isAgain.has(stepIndex) ? { ...step, kept: true } : { ...step, ...untouched },
    ),
  };
  return decided(run, runStarted(run, at));
}

/** A step with all that wait for it, or for what waits for it. */
function withFollowing({ steps }: Run, first: number): ReadonlySet<number> {
  const found = new Set([first]);
  for (let before = 0; before !== found.size;) {
    before = found.size;
    for (const [stepIndex, { after }] of steps.entries())
      if (after.some((other) => found.has(other))) found.add(stepIndex);
  }
  return found;
}
