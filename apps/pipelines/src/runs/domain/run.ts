import type { Actor, ActorContext } from '@platform-backend/core';
import type { PipelineVersion } from '../../pipelines/domain/pipeline.ts';
import type { KernelParameters } from '../../steps/domain/kernel-job.ts';
import { maximumAttempts, type RetryPolicy } from '../../steps/domain/retry-policy.ts';
import { ENGINE_VERSION, startsRun, type JobType, type StepStatus } from '../../steps/domain/step.ts';

export type RunStatus = 'Pending' | 'Running' | 'Succeeded' | 'Failed' | 'Error' | 'Cancelling' | 'Cancelled';
export type RunTrigger = 'API' | 'SCHEDULE' | 'EVENT' | 'TASK' | 'RETRY' | 'PIPELINE' | 'BACKFILL';

/** A version of a dataset that a step has made. */
export interface RunOutput {
  readonly name: string;
  readonly datasetId: string;
  readonly datasetVersionId: string;
  /** Where its file is. */
  readonly objectKey: string;
  readonly rows: number;
  readonly bytes: number;
}

/** One step of a run; its index among them is that of the step in the version. */
export interface RunStep {
  readonly name: string;
  readonly jobType: JobType;
  /** It waits most of its time, for a kernel or whoever is called, and so has places of its own. */
  readonly needsKernel: boolean;
  /** Another run carries it out, and it needs no place here. */
  readonly startsRun: boolean;
  /** It starts that many, one for each value, and so many of them go on at once. Null: one, if any. */
  readonly forEach: { readonly runs: number; readonly concurrency: number } | null;
  /** Replicas that know no such steps leave it to others. */
  readonly engineVersion: number;
  /** Of each attempt. Null: of a run that began before it was kept. */
  readonly timeLimitSeconds: number | null;
  readonly retryPolicy: RetryPolicy | null;
  /** The indexes of those it waits for. */
  readonly after: readonly number[];
  readonly status: StepStatus;
  /** How often it was begun. Whoever reports says of which attempt; what others than the last one say is too late. */
  readonly attempt: number;
  /** How many of them were lost. */
  readonly losses: number;
  /** How many of them have failed. */
  readonly failures: number;
  /** Who carries it out, while it runs. */
  readonly worker: string | null;
  readonly startedAt: Date | null;
  readonly finishedAt: Date | null;
  /** Of a step that was postponed, or has failed and is tried again: not begun before. */
  readonly notBefore: Date | null;
  /** Why it ended as it did, was begun again, or waits. */
  readonly message: string;
  /** Of the last attempt that has failed; empty where none has, or another one succeeded. */
  readonly errorCode: string;
  readonly inputVersionIds: readonly string[];
  readonly outputs: readonly RunOutput[];
  /** Of a check that failed, some rows that broke it. */
  readonly failedRows: readonly Readonly<Record<string, unknown>>[];
  /** What is owed: how long its query or program has run, in all attempts that were not lost. */
  readonly seconds: number;
  /** It had succeeded, or was skipped, in the run that this one goes on with. */
  readonly kept: boolean;
}

/** The attempt of a step of another run that has started one, and waits for it. */
export interface ParentRun {
  readonly pipelineId: string;
  readonly runId: string;
  readonly stepIndex: number;
  readonly attempt: number;
  /** The pipelines whose runs wait for it, the outermost first. */
  readonly above: readonly string[];
}

export interface Run {
  readonly id: string;
  readonly pipelineId: string;
  readonly versionId: string;
  /** Of the workflow as well: a label of Kubernetes, made from the run's id. */
  readonly name: string;
  readonly status: RunStatus;
  readonly trigger: RunTrigger;
  readonly retryOfRunId: string | null;
  /** The step of another run that waits for it; null: none. */
  readonly parent: ParentRun | null;
  /** That has started it; null: none has. */
  readonly backfillId: string | null;
  /** Of its version, and in place of those that its steps have under these names. */
  readonly parameters: KernelParameters;
  /** The pipelines whose runs have led to this one by the data that they made, one after the other. */
  readonly eventChain: readonly string[];
  /** Words by which it is found: those of its pipeline when it was started, and its own. */
  readonly tags: readonly string[];
  /** Its pipeline named somebody to be told of its end when it was started. */
  readonly notifies: boolean;
  readonly startedBy: Actor;
  /** Whose limits what it spends counts against; null: those of the default group. */
  readonly clientGroupId: string | null;
  /** Of the request that it was started by, which the platform goes on with; null of one that began before it was kept. */
  readonly requestId: string | null;
  /** Which kind of engine carries it out. */
  readonly engine: string;
  /** From when it is admitted. */
  readonly timeLimitSeconds: number;
  /** What was set aside for it under its id, and the most that it may cost. */
  readonly reservedMicros: bigint;
  readonly createdAt: Date;
  /** Null while it waits to be admitted among the runs that go on. */
  readonly admittedAt: Date | null;
  readonly startedAt: Date | null;
  /** Since when its end is wanted. */
  readonly cancellingAt: Date | null;
  readonly finishedAt: Date | null;
  /** Why it ended as it did. Of one whose end is wanted: why it fails; empty where somebody has cancelled it. */
  readonly message: string;
  readonly steps: readonly RunStep[];
  /** How often it has changed. */
  readonly changes: number;
}

/** Nothing turns a run that is so into anything else. */
export const FINAL: ReadonlySet<RunStatus> = new Set(['Succeeded', 'Failed', 'Error', 'Cancelled']);

export const isOver = ({ status }: Pick<Run, 'status'>): boolean => FINAL.has(status);

/** What waits for it may begin, as on Argo. */
export const isPassed = (step: Pick<RunStep, 'status'> | undefined): boolean =>
  step?.status === 'Succeeded' || step?.status === 'Skipped';

export const isStepOver = ({ status }: Pick<RunStep, 'status'>): boolean =>
  status !== 'Pending' && status !== 'Running';

/** What the platform itself does about a run comes of the request that has started it. */
export const causeOf = (by: ActorContext, { requestId }: Pick<Run, 'requestId'>): ActorContext =>
  by.actor.type === 'service' && requestId !== null ? { ...by, requestId } : by;

/** The indexes of the steps that this release can carry out and that wait for no other one, nor for their run to be admitted. */
export const readySteps = (run: Run): readonly number[] => (run.admittedAt === null ? [] : stepsInFront(run));

/** The same of a run that may have to be admitted first. */
export function stepsInFront(run: Run): readonly number[] {
  if (run.status !== 'Pending' && run.status !== 'Running') return [];
  return run.steps.flatMap(({ status, after, engineVersion }, stepIndex) =>
    status === 'Pending' && engineVersion <= ENGINE_VERSION && after.every((other) => isPassed(run.steps[other]))
      ? [stepIndex]
      : [],
  );
}

/** Those of them that nobody has postponed beyond this moment. */
export const dueSteps = (run: Run, at: Date): readonly number[] =>
  readySteps(run).filter((stepIndex) => (run.steps[stepIndex]?.notBefore ?? at) <= at);

/** Those of one kind, which wait for places of their own. */
export const dueStepsOf = (run: Run, { needsKernel }: Pick<RunStep, 'needsKernel'>, at: Date): readonly number[] =>
  dueSteps(run, at).filter((stepIndex) => {
    const step = run.steps[stepIndex];
    return step?.startsRun === false && step.needsKernel === needsKernel;
  });

/** Whether it has taken longer than it may; what waits to be admitted takes no time. */
export const isOverdue = ({ admittedAt, timeLimitSeconds }: Run, at: Date): boolean =>
  admittedAt !== null && at.getTime() - admittedAt.getTime() >= timeLimitSeconds * 1000;

/** The versions that steps of a run read which are kept from another one. */
export const keptVersionIds = ({ steps }: Run, inputsOf: (stepIndex: number) => readonly number[]): readonly string[] =>
  steps.flatMap(({ kept }, stepIndex) =>
    kept
      ? []
      : inputsOf(stepIndex).flatMap((maker) =>
          steps[maker]?.kept === true ? steps[maker].outputs.map(({ datasetVersionId }) => datasetVersionId) : [],
        ),
  );

/** Who carries out something of it now. */
export const workersOf = (run: Run): readonly string[] => [
  ...new Set(run.steps.flatMap(({ worker }) => (worker === null ? [] : [worker]))),
];

/** What it may cost at most, without what other runs cost that it starts: every attempt of each step that is carried out takes all of its time. */
export function highestMicros(
  { steps }: PipelineVersion,
  microsPerStepSecond: bigint,
  run?: Pick<Run, 'steps'>,
): bigint {
  const seconds = steps.map(({ config }, stepIndex) =>
    run?.steps[stepIndex]?.kept === true || startsRun({ config })
      ? 0
      : config.timeLimitSeconds * maximumAttempts(config.retryPolicy),
  );
  return BigInt(seconds.reduce((sum, one) => sum + one, 0)) * microsPerStepSecond;
}

/** What it has cost so far: whole seconds of its steps, whatever became of them. Attempts that the platform lost cost nothing. */
export function owedMicros({ steps, reservedMicros }: Run, microsPerStepSecond: bigint): bigint {
  const seconds = Math.ceil(steps.reduce((sum, step) => (step.kept ? sum : sum + step.seconds), 0));
  const micros = BigInt(seconds) * microsPerStepSecond;
  return micros < reservedMicros ? micros : reservedMicros;
}
