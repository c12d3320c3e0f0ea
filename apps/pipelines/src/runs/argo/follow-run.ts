import type { Clock } from '@platform-backend/core';
import { versionKey } from '../../datasets/domain/object-keys.ts';
import type { PodReport } from '../../step-engine/domain/pod-job.ts';
import { endOfStep } from '../app/step-work.ts';
import { outputVersionId } from '../domain/pod-outputs.ts';
import type { LogLine, ReportedEnd, RunOfOrganisation, RunReports, StepAttempt } from '../domain/run-engine.ts';
import { isOver, readySteps, type Run } from '../domain/run.ts';
import { taskName } from '../domain/workflow-manifest.ts';
import type { ArgoCluster } from './argo-cluster.ts';
import { linesOfPod } from './pod-log.ts';
import {
  hasBegun,
  hasPods,
  isCompleted,
  isNodeOver,
  isRetried,
  lossOf,
  podName,
  triesOf,
  type Workflow,
  type WorkflowNode,
} from './workflow.ts';

export interface FollowPorts {
  readonly reports: RunReports;
  readonly cluster: Pick<ArgoCluster, 'terminate' | 'logOf'>;
  /** What the pods of a step have reported, with the name of its output; undefined: nothing. */
  readonly readReport: (of: RunOfOrganisation, stepIndex: number) => Promise<PodOutcome | undefined>;
  /** The same of an attempt that has failed and is tried again, by the number of failures before it. */
  readonly readFailure: (of: RunOfOrganisation, stepIndex: number, failures: number) => Promise<PodOutcome | undefined>;
  readonly clock: Clock;
}

export interface PodOutcome {
  readonly report: PodReport;
  readonly output: string | null;
}

/** Argo itself should have ended a workflow by its deadline; a pod that was lost may keep it from that. */
const TIMEOUT_MS = 5 * 60_000;
/** So long the end of a step waits for the log of its pod, which is on a machine that may be gone as well. */
const LOG_TIMEOUT_MS = 2 * 60_000;

const UNTOLD_FAILURE: ReportedEnd = {
  outcome: 'FAILED',
  code: '',
  message: 'It has failed',
  seconds: 0,
  failedRows: [],
  inputVersionIds: [],
};

/** `isFinal`: Argo does not try it again. */
const endedAs = (end: ReportedEnd, isFinal: boolean): ReportedEnd =>
  end.outcome === 'FAILED' || end.outcome === 'ERROR' ? { ...end, isFinal } : end;

const GONE = 'Its workflow is gone from Kubernetes';
const TOO_LATE = 'Its workflow did not end in time';

/**
 * Brings the record of a run up to what its workflow shows, once or again, here or in several processes: the record
 * decides what of it counts. An attempt is a try of Argo's, by its number. `withLogs`: also of steps that go on.
 */
export async function followRun(
  of: RunOfOrganisation,
  workflow: Workflow | undefined,
  { reports, cluster, readReport, readFailure, clock }: FollowPorts,
  withLogs: boolean,
): Promise<void> {
  const { organisationId } = of;
  const { id: runId, name } = of.run;
  const goesOn = workflow !== undefined && !isCompleted(workflow);
  if (goesOn && workflow.spec.shutdown === undefined && isUnwanted(of.run, workflow)) await cluster.terminate(name);
  if (isOver(of.run)) return;
  // Nobody has submitted it yet, or Kubernetes lost it before anything happened: it is submitted again.
  if (workflow === undefined) return of.run.startedAt === null ? undefined : giveUp(of.run, GONE);

  let run = of.run;
  for (let before: Run | undefined; before !== run && !isOver(run);) {
    before = run;
    for (const stepIndex of run.steps.keys()) run = await followStep(run, workflow, stepIndex);
  }
  if (isOver(run)) return;
  if (!goesOn) return giveUp(run, workflow.status?.message ?? 'Its workflow ended without this step');
  if (!isOverdue(workflow)) return;
  await cluster.terminate(name);
  await giveUp(run, TOO_LATE);

  async function followStep(present: Run, shown: Workflow, stepIndex: number): Promise<Run> {
    const step = present.steps[stepIndex];
    const { pods, areAll } = triesOf(shown, taskName(present, stepIndex));
    if (step?.status === 'Pending') {
      const pod = pods[step.attempt];
      if (!pod) return present;
      if (!hasBegun(pod)) return waiting(present, stepIndex, pod.message ?? '');
      return (await reports.stepStarted({ organisationId, runId, stepIndex }, null))?.run ?? present;
    }
    const pod = step?.status === 'Running' ? pods[step.attempt - 1] : undefined;
    if (!step || !pod) return present;
    const at = { organisationId, runId, stepIndex, attempt: step.attempt };
    if (isNodeOver(pod) || withLogs) await keepLog(at, pod);
    if (!isNodeOver(pod)) return present;
    const isLast = pods.length === step.attempt;
    if (isRetried(pod)) {
      const failure = await readFailure({ organisationId, run: present }, stepIndex, step.failures);
      const end = failure ? reportedEnd(failure, stepIndex) : UNTOLD_FAILURE;
      return (await reports.stepFinished(at, endedAs(end, isLast && (areAll || !goesOn)))).run;
    }
    const told = await readReport({ organisationId, run: present }, stepIndex);
    // Its pod knows how often it may fail.
    if (told) return (await reports.stepFinished(at, endedAs(reportedEnd(told, stepIndex), true))).run;
    // Whether Argo tries it again shows by the next try, or by the end of all of them.
    if (isLast && !areAll && goesOn) return present;
    return (await reports.stepFinished(at, { outcome: 'ERROR', message: lossOf(pod), isFinal: isLast })).run;
  }

  /** Quota, image or nodes keep it from its pod: Kubernetes says what. */
  async function waiting(present: Run, stepIndex: number, message: string): Promise<Run> {
    if (message === '' || message === present.steps[stepIndex]?.message) return present;
    return reports.stepWaiting({ organisationId, runId, stepIndex }, message);
  }

  async function keepLog(at: StepAttempt, pod: WorkflowNode): Promise<void> {
    const lines = await logOf(pod);
    if (lines.length > 0) await reports.stepLogged(at, lines);
  }

  async function logOf(pod: WorkflowNode): Promise<readonly LogLine[]> {
    try {
      return linesOfPod((await cluster.logOf(podName(name, pod))) ?? '');
    } catch (error) {
      // It is read again.
      if (!isNodeOver(pod)) return [];
      const late = clock.now();
      if (late.getTime() - Date.parse(pod.finishedAt ?? '') < LOG_TIMEOUT_MS) throw error;
      return [{ number: 0, at: late, text: 'Its log could not be read' }];
    }
  }

  /** Its own report says how it ended, whatever Argo says of its pod. */
  function reportedEnd(
    { report: { report, written, inputVersionIds }, output: dataset }: PodOutcome,
    stepIndex: number,
  ): ReportedEnd {
    const { outcome, message } = report;
    if (outcome === 'SKIPPED') return { outcome, message };
    const output = written && kept(written, stepIndex);
    return endOfStep({ ...report, outcome, output }, dataset, { inputVersionIds });
  }

  function kept({ place: location, ...facts }: NonNullable<PodReport['written']>, stepIndex: number) {
    const versionId = outputVersionId(runId, stepIndex, location);
    return { ...facts, versionId, objectKey: versionKey(organisationId, versionId) };
  }

  /** Nothing comes of it any more: what runs has ended, and else the next step that could begin. */
  async function giveUp(present: Run, message: string): Promise<void> {
    const end = { outcome: 'ERROR', message, isFinal: true } as const;
    let left = present;
    for (const [stepIndex, { status, attempt }] of present.steps.entries()) {
      if (status !== 'Running') continue;
      left = (await reports.stepFinished({ organisationId, runId, stepIndex, attempt }, end)).run;
    }
    const [stepIndex] = readySteps(left);
    if (stepIndex === undefined) return;
    const kept = left.steps[stepIndex]?.message ?? '';
    const begun = await reports.stepStarted({ organisationId, runId, stepIndex }, null);
    const why = kept === '' ? message : `${message}: ${kept}`;
    if (begun) await reports.stepFinished(begun.at, { ...end, message: why });
  }

  function isOverdue({ metadata, spec }: Workflow): boolean {
    const begun = new Date(metadata.creationTimestamp ?? clock.now()).getTime();
    return begun + (spec.activeDeadlineSeconds ?? 0) * 1000 + TIMEOUT_MS < clock.now().getTime();
  }
}

/** What has come to its own end is let come to it in Kubernetes as well. */
const isUnwanted = (run: Run, workflow: Workflow): boolean =>
  run.status === 'Cancelling' || run.status === 'Cancelled' || (isOver(run) && hasPods(workflow));
