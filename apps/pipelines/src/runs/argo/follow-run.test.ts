import { describe, expect, it } from '@jest/globals';
import { fixedClock } from '@platform-backend/core';
import type { PodReport } from '../../step-engine/domain/pod-job.ts';
import { step } from '../../steps/test/examples.ts';
import { beginStep, cancelRun, enforceCancelling, finishStep, waitStep, type StepEnd } from '../domain/change-run.ts';
import type { RunReports } from '../domain/run-engine.ts';
import { isOver, readySteps, type Run } from '../domain/run.ts';
import { taskName } from '../domain/workflow-manifest.ts';
import { noon, runOf } from '../test/examples.ts';
import { followRun } from './follow-run.ts';
import type { Workflow, WorkflowNode } from './workflow.ts';

const steps = [step('a', [], ['x']), step('b', ['x'], ['y'])];
const twice = {
  ...{ maximumAttempts: 2, initialIntervalSeconds: 1, backoffCoefficient: 1, maximumIntervalSeconds: 1 },
  nonRetryableErrorTypes: [],
};
const facts = { rows: 1, bytes: 10, columns: [], statistics: [], checksum: 'c' };
const told = { code: '', columns: [], rows: [], isCut: false, seconds: 2 };
const succeeded: PodReport = {
  report: { ...told, outcome: 'SUCCEEDED', message: '' },
  written: { ...facts, place: 0 },
  inputVersionIds: [],
};

/** A record that changes as the real one does, and what was asked of Kubernetes. */
function recordOf(
  run: Run,
  said: {
    readonly reports?: Readonly<Record<number, PodReport>>;
    readonly failures?: Readonly<Record<number, readonly PodReport[]>>;
    readonly now?: Date;
    /** What Kubernetes answers who asks for logs. */
    readonly logOf?: (pod: string) => Promise<string | undefined>;
  } = {},
) {
  const record = { run, terminated: [] as string[], logged: [] as string[] };
  const at = said.now ?? noon;
  const reports: RunReports = {
    stepStarted: ({ organisationId, runId, stepIndex }, worker) => {
      const { state, result } = beginStep(record.run, stepIndex, { worker, at });
      record.run = state;
      return Promise.resolve(
        result === undefined ? undefined : { at: { organisationId, runId, stepIndex, attempt: result }, run: state },
      );
    },
    stepWaiting: ({ stepIndex }, message) =>
      Promise.resolve((record.run = waitStep(record.run, stepIndex, message).state)),
    stepLogged: (_, lines) => Promise.resolve(void record.logged.push(...lines.map(({ text }) => text))),
    stepFinished: ({ stepIndex, attempt }, reported) => {
      const end: StepEnd = reported.outcome === 'SUCCEEDED' ? { ...reported, outputs: [] } : reported;
      record.run = finishStep(record.run, { stepIndex, attempt, end, at }).state;
      return Promise.resolve({ run: record.run, ready: readySteps(record.run), begun: undefined });
    },
  };
  const ports = {
    reports,
    cluster: {
      terminate: (name: string) => Promise.resolve(void record.terminated.push(name)),
      logOf: said.logOf ?? ((pod: string) => Promise.resolve(`2026-07-01T12:00:00Z of ${pod}\n`)),
    },
    readReport: (_: unknown, stepIndex: number) => {
      const report = said.reports?.[stepIndex];
      return Promise.resolve(report && { report, output: 'x' });
    },
    readFailure: (_: unknown, stepIndex: number, failures: number) => {
      const report = said.failures?.[stepIndex]?.[failures];
      return Promise.resolve(report && { report, output: null });
    },
    clock: fixedClock(at),
  };
  return {
    record,
    see: async (workflow: Workflow | undefined, withLogs = false) => {
      await followRun({ organisationId: 'org_1', run: record.run }, workflow, ports, withLogs);
      return record.run;
    },
  };
}

const run = runOf(steps);
const [first, second] = [taskName(run, 0), taskName(run, 1)];

/** As Argo shows it: each task with its tries. */
function workflowOf(
  tasks: Readonly<
    Record<
      string,
      { readonly phase: string; readonly tries: readonly (readonly [string, (string | undefined)?, string?])[] }
    >
  >,
  { phase = 'Running', message, isCompleted = false }: { phase?: string; message?: string; isCompleted?: boolean } = {},
): Workflow {
  const nodes: Record<string, WorkflowNode> = {};
  for (const [task, { phase: ofTask, tries }] of Object.entries(tasks)) {
    const children = tries.map(([ofTry, why, finishedAt], index) => {
      const id = `run-${task}${index}`;
      const displayName = `${task}(${index})`;
      nodes[id] = { id, displayName, type: 'Pod', templateName: task, phase: ofTry, ...(why && { message: why }) };
      if (finishedAt) nodes[id] = { ...nodes[id], finishedAt };
      return id;
    });
    nodes[`run-${task}`] = { id: `run-${task}`, displayName: task, type: 'Retry', phase: ofTask, children };
  }
  return {
    metadata: {
      name: 'run',
      labels: { 'workflows.argoproj.io/completed': String(isCompleted) },
      creationTimestamp: noon.toISOString(),
    },
    spec: { activeDeadlineSeconds: 60 },
    status: { phase, ...(message && { message }), nodes },
  };
}

describe('a run that Argo carries out', () => {
  it('is what its pods have reported, in however few looks', async () => {
    const { record, see } = recordOf(run, { reports: { 0: succeeded, 1: succeeded } });
    const done = { phase: 'Succeeded', tries: [['Succeeded']] } as const;
    const shown = workflowOf({ [second]: done, [first]: done }, { phase: 'Succeeded', isCompleted: true });
    expect(await see(shown)).toMatchObject({ status: 'Succeeded' });
    expect(record.logged).toEqual([`of run-${first}-${first}0`, `of run-${second}-${second}0`]);
    expect(await see(shown)).toMatchObject({ status: 'Succeeded' });
  });

  it('has an attempt for each try of Argo, and the last one decides', async () => {
    const { see } = recordOf(run);
    const lost = ['Failed', 'main: Error (exit code 143)'] as const;
    const [ended, waits] = ['Its pod was ended from outside', 'exceeded quota: pods'];
    // Nobody knows yet whether Argo tries it again.
    expect((await see(workflowOf({ [first]: { phase: 'Running', tries: [lost] } }))).steps[0]).toMatchObject({
      ...{ status: 'Running', attempt: 1, losses: 0 },
    });
    const again = (...message: [string?]) =>
      see(workflowOf({ [first]: { phase: 'Running', tries: [lost, ['Pending', ...message]] } }));
    expect((await again()).steps[0]).toMatchObject({ status: 'Pending', attempt: 1, losses: 1, message: ended });
    expect((await again(waits)).steps[0]).toMatchObject({ status: 'Pending', attempt: 1, message: waits });
    expect(
      (await see(workflowOf({ [first]: { phase: 'Running', tries: [lost, ['Running']] } }))).steps[0],
    ).toMatchObject({
      ...{ status: 'Running', attempt: 2, message: '' },
    });
    const last = { [first]: { phase: 'Failed', tries: [lost, ['Failed', 'main: Error (exit code 137)'] as const] } };
    expect(await see(workflowOf(last))).toMatchObject({
      ...{ status: 'Error', message: 'a: Its pod was killed, as happens to one that takes too much memory' },
      steps: [{ attempt: 2 }, { status: 'Omitted' }],
    });
  });

  it('has no attempt that never was, where somebody shut its workflow down', async () => {
    const { see } = recordOf(run);
    const tries = [['Failed', 'main: Error (exit code 143)']] as const;
    await see(workflowOf({ [first]: { phase: 'Running', tries } }));
    const message = "Stopped with strategy 'Terminate'";
    const shown = workflowOf({ [first]: { phase: 'Running', tries } }, { phase: 'Failed', message, isCompleted: true });
    expect(await see(shown)).toMatchObject({
      ...{ status: 'Error', message: 'a: Its pod was ended from outside' },
      steps: [{ attempt: 1, losses: 1 }, { status: 'Omitted' }],
    });
  });

  it('tries a step again that has failed, as its pods say, and knows the last failure of them for final', async () => {
    const failing = [
      step('a', [], ['x'], { retryPolicy: { ...twice, initialIntervalSeconds: 3600 } }),
      ...steps.slice(1),
    ];
    const failure = (message: string): PodReport => ({
      report: { ...told, outcome: 'FAILED', code: 'timed_out', message },
      written: null,
      inputVersionIds: [],
    });
    const { see } = recordOf(runOf(failing), {
      failures: { 0: [failure('once')] },
      reports: { 0: failure('twice') },
    });
    const retried = ['Failed', 'main: Error (exit code 4)'] as const;
    const waiting = await see(workflowOf({ [first]: { phase: 'Running', tries: [retried] } }));
    expect(waiting.steps[0]).toMatchObject({ status: 'Pending', failures: 1, message: 'once', seconds: 2 });
    // Argo has waited, by its own clock.
    const again = await see(workflowOf({ [first]: { phase: 'Running', tries: [retried, ['Running']] } }));
    expect(again.steps[0]).toMatchObject({ status: 'Running', attempt: 2 });
    const over = { [first]: { phase: 'Failed', tries: [retried, ['Failed', 'main: Error (exit code 1)'] as const] } };
    expect(await see(workflowOf(over))).toMatchObject({
      ...{ status: 'Failed', message: 'a: twice' },
      steps: [{ attempt: 2, failures: 2, errorCode: 'timed_out', seconds: 4 }, { status: 'Omitted' }],
    });
  });

  it('says what keeps a step from its pod, also where that was to its end', async () => {
    const waits = '0/1 nodes are available: 1 Insufficient memory';
    const { see } = recordOf(run);
    const pending = { [first]: { phase: 'Running', tries: [['Pending', waits]] } } as const;
    expect((await see(workflowOf(pending))).steps[0]).toMatchObject({ status: 'Pending', attempt: 0, message: waits });
    const over = workflowOf({}, { phase: 'Failed', message: 'Step exceeded its deadline', isCompleted: true });
    expect(await see(over)).toMatchObject({ status: 'Error', message: `a: Step exceeded its deadline: ${waits}` });
  });

  it('is over when its workflow is, though a step never had a pod', async () => {
    const { see } = recordOf(run);
    const message = "invalid spec: template name 'nothing' undefined";
    expect(await see(workflowOf({}, { phase: 'Failed', message, isCompleted: true }))).toMatchObject({
      ...{ status: 'Error', message: `a: ${message}` },
    });
  });

  it('ends by a deadline of its own where a pod was lost and the workflow goes on for ever', async () => {
    const running = workflowOf({ [first]: { phase: 'Running', tries: [['Running']] } });
    const { see } = recordOf(run);
    const begun = await see(running);
    expect(begun.status).toBe('Running');
    const later = recordOf(begun, { now: new Date(noon.getTime() + 3_600_000) });
    expect(await later.see(running)).toMatchObject({ status: 'Error', message: 'a: Its workflow did not end in time' });
    expect(later.record.terminated).toEqual(['run']);
  });

  it('ends when its workflow is gone, and is left to be submitted again where nothing had begun', async () => {
    const { see } = recordOf(run);
    expect(await see(undefined)).toBe(run);
    await see(workflowOf({ [first]: { phase: 'Running', tries: [['Running']] } }));
    expect(await see(undefined)).toMatchObject({ status: 'Error', message: expect.stringContaining('gone') });
  });

  it('stays cancelled whatever its workflow does later, which is told to end', async () => {
    const cancelled = enforceCancelling(cancelRun(run, noon).state, noon).state;
    expect(isOver(cancelled)).toBe(true);
    const { record, see } = recordOf(cancelled, { reports: { 0: succeeded } });
    expect(await see(workflowOf({ [first]: { phase: 'Succeeded', tries: [['Succeeded']] } }))).toBe(cancelled);
    expect(record.terminated).toEqual(['run']);
  });

  it('ends as its pods have said, though their logs are on a machine that is gone', async () => {
    const logOf = () => Promise.reject(new Error('Kubernetes answered 500: dial tcp 10.0.0.7:10250: i/o timeout'));
    const reports = { 0: succeeded, 1: succeeded };
    const finishedAt = new Date(noon.getTime() - 60_000).toISOString();
    const done = { phase: 'Succeeded', tries: [['Succeeded', undefined, finishedAt]] } as const;
    const shown = workflowOf({ [second]: done, [first]: done }, { phase: 'Succeeded', isCompleted: true });
    // They may be had in a moment.
    await expect(recordOf(run, { reports, logOf }).see(shown)).rejects.toThrow('i/o timeout');
    const later = recordOf(run, { reports, logOf, now: new Date(noon.getTime() + 5 * 60_000) });
    expect(await later.see(shown)).toMatchObject({ status: 'Succeeded' });
    expect(later.record.logged).toEqual(['Its log could not be read', 'Its log could not be read']);
  });

  it('is followed step by step, though the log of one that goes on cannot be read', async () => {
    const logOf = (pod: string) =>
      pod.includes(first) ? Promise.reject(new Error('Kubernetes answered 500')) : Promise.resolve('');
    const beside = runOf([step('a', [], ['x']), step('b', [], ['y'])]);
    const { record, see } = recordOf(beside, { reports: { 1: succeeded }, logOf });
    const shown = workflowOf({
      [taskName(beside, 0)]: { phase: 'Running', tries: [['Running']] },
      [taskName(beside, 1)]: { phase: 'Succeeded', tries: [['Succeeded']] },
    });
    expect((await see(shown, true)).steps.map(({ status }) => status)).toEqual(['Running', 'Succeeded']);
    expect(record.logged).toEqual([]);
  });
});
