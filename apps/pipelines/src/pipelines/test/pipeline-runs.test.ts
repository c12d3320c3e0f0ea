import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { RunServiceClient } from '@platform-backend/contract-pipelines';
import { newId } from '@platform-backend/core';
import type { CallOptions } from '@platform-backend/grpc';
import { newOrganisation, service } from '@platform-backend/service/testing';
import { waitFor } from '@platform-backend/testing';
import { clean, endless, sound, startSalesPipelines, sums, violationsOf } from './sales-pipelines.ts';

let sales: Awaited<ReturnType<typeof startSalesPipelines>>;
beforeAll(async () => {
  sales = await startSalesPipelines();
});
afterAll(() => sales.stop());

describe('runs of pipelines', () => {
  const create = async (...steps: object[]) =>
    (await sales.running.pipelines.createPipeline({ name: 'Runs', steps: steps as never }, sales.owner)).id;

  it('start once for one key', async () => {
    const pipelineId = await create(clean);
    const request = { pipelineId, idempotencyKey: 'the same' };
    const [one, two] = [
      await sales.running.runs.startRun(request, sales.owner),
      await sales.running.runs.startRun(request, sales.owner),
    ];
    expect(one.id).toBe(two.id);
    await sales.settled(pipelineId, one.id);
    const other = { pipelineId: await create(clean), idempotencyKey: 'the same' };
    await expect(sales.running.runs.startRun(other, sales.owner)).rejects.toMatchObject({ kind: 'invalid' });
  });

  it('start once for a task, in the name of the user whose assistant asked', async () => {
    const pipelineId = await create(clean);
    const { organisationId = '' } = sales.owner.caller;
    const fromContent = sales.running.calledBy('content').to<RunServiceClient<CallOptions>>('RunService');
    const asked = { pipelineId, taskId: newId(), userId: newId(), permissionLevel: 'EDITOR' as const };
    const start = () => fromContent.startTaskRun(asked, service('content', organisationId));
    const [one, two] = [await start(), await start()];
    expect(one).toMatchObject({ id: two.id, trigger: 'TASK' });
    await sales.settled(pipelineId, one.id);
    const elsewhere = fromContent.startTaskRun(asked, service('content', newOrganisation()));
    await expect(elsewhere).rejects.toMatchObject({ kind: 'not_found' });
  });

  it('stop at a check, say which rows failed, and go on from there when they are retried', async () => {
    const retryPolicy = { maximumAttempts: 2, initialIntervalSeconds: 1 };
    const query = 'SELECT * FROM "clean sales" WHERE amount > 7';
    const never = { ...sound, config: { ...sound.config, query, retryPolicy } };
    const pipelineId = await create(clean, never, sums);
    const failed = await sales.settled(pipelineId, (await sales.running.runs.startRun({ pipelineId }, sales.owner)).id);
    expect(failed.status).toBe('Failed');
    expect(failed.runSteps.map(({ status }) => status)).toEqual(['Succeeded', 'Failed', 'Omitted']);
    const { steps } = await sales.running.runs.listRunSteps({ pipelineId, runId: failed.id }, sales.owner);
    expect(steps[1]).toMatchObject({ attempts: 2, errorCode: 'check_failed', nextAttemptAt: null });
    expect(steps[1]?.failedRows).toEqual([
      { id: 1, region: 'north', amount: 10 },
      { id: 2, region: 'south', amount: 20 },
    ]);
    const again = await sales.settled(
      pipelineId,
      (await sales.running.runs.retryRun({ pipelineId, runId: failed.id }, sales.owner)).id,
    );
    expect(again).toMatchObject({ status: 'Failed', trigger: 'RETRY', retryOfRunId: failed.id });
    const { steps: kept } = await sales.running.runs.listRunSteps({ pipelineId, runId: again.id }, sales.owner);
    expect(kept.map((step) => step.kept)).toEqual([true, false, false]);
    expect(kept[0]?.outputs).toEqual(steps[0]?.outputs);
  });

  it('are done again from a step on, with what the steps before have made, unless that is gone', async () => {
    const pipelineId = await create(clean, sums);
    const first = await sales.settled(pipelineId, (await sales.running.runs.startRun({ pipelineId }, sales.owner)).id);
    const request = { pipelineId, runId: first.id };
    await expect(sales.running.runs.retryRun(request, sales.owner)).rejects.toMatchObject({ code: 'run_succeeded' });
    expect(await violationsOf(sales.running.runs.retryRun({ ...request, fromStep: 'sum' }, sales.owner))).toEqual([
      ['', 'Value error, no step has this name'],
    ]);
    const again = await sales.settled(
      pipelineId,
      (await sales.running.runs.retryRun({ ...request, fromStep: 'SUMS' }, sales.owner)).id,
    );
    expect(again).toMatchObject({ status: 'Succeeded', retryOfRunId: first.id });
    const stepsOf = async (runId: string) =>
      (await sales.running.runs.listRunSteps({ pipelineId, runId }, sales.owner)).steps;
    const [before, after] = [await stepsOf(first.id), await stepsOf(again.id)];
    expect(after.map(({ kept }) => kept)).toEqual([true, false]);
    expect(after[1]?.inputVersionIds).toEqual([before[0]?.outputs[0]?.datasetVersionId]);
    expect(after[1]?.outputs[0]?.datasetVersionId).not.toBe(before[1]?.outputs[0]?.datasetVersionId);
    await sales.running.datasets.deleteDataset({ datasetId: before[0]?.outputs[0]?.datasetId ?? '' }, sales.owner);
    await expect(sales.running.runs.retryRun({ ...request, fromStep: 'sums' }, sales.owner)).rejects.toMatchObject({
      code: 'run_output_gone',
    });
  });

  it('end within ten seconds when somebody cancels them, and tell who watches', async () => {
    const pipelineId = await create(endless);
    const { id: runId } = await sales.running.runs.startRun({ pipelineId }, sales.owner);
    const seen: (string | null | undefined)[] = [];
    const watching = (async () => {
      for await (const { data } of sales.running.runs.watchRun({ pipelineId, runId }, sales.owner))
        seen.push(data?.status);
    })();
    const isRunning = async () =>
      (await sales.running.runs.getRun({ pipelineId, runId }, sales.owner)).status === 'Running';
    await waitFor(isRunning, { what: 'a run that goes on' });
    const before = performance.now();
    await sales.running.runs.cancelRun({ pipelineId, runId }, sales.owner);
    expect((await sales.settled(pipelineId, runId)).status).toBe('Cancelled');
    expect(performance.now() - before).toBeLessThan(10_000);
    await watching;
    expect(seen.at(-1)).toBe('Cancelled');
    expect(await sales.running.runs.cancelRun({ pipelineId, runId }, sales.owner)).toMatchObject({
      status: 'Cancelled',
    });
  });

  it('fail when they take longer than the pipeline lets them, and what runs is interrupted', async () => {
    const { id: pipelineId } = await sales.running.pipelines.createPipeline(
      { name: 'long', steps: [endless] },
      sales.owner,
    );
    const shorter = { pipelineId, runTimeLimitSeconds: 1, updateMask: { paths: ['run_time_limit_seconds'] } };
    expect(await sales.running.pipelines.updatePipeline(shorter, sales.owner)).toMatchObject({
      runTimeLimitSeconds: 1,
    });
    const { id, timeLimitSeconds } = await sales.running.runs.startRun({ pipelineId }, sales.owner);
    expect(timeLimitSeconds).toBe(1);
    const message = 'The run took longer than 1 s';
    expect(await sales.settled(pipelineId, id)).toMatchObject({
      status: 'Failed',
      message,
      runSteps: [{ status: 'Error', message }],
    });
  });

  it('wait their turn where too many go on', async () => {
    const { id: pipelineId } = await sales.running.pipelines.createPipeline(
      { name: 'one', steps: [clean], maxConcurrentRuns: 1 },
      sales.owner,
    );
    const runs = await Promise.all([1, 2, 3].map(() => sales.running.runs.startRun({ pipelineId }, sales.owner)));
    for (const { id } of runs) expect((await sales.settled(pipelineId, id)).status).toBe('Succeeded');
    const page = await sales.running.pipelines.listPipelineRuns(
      { pipelineId, limit: 2, includeTotal: true },
      sales.owner,
    );
    expect([page.runs.length, page.totalCount]).toEqual([2, 3]);
    const rest = await sales.running.pipelines.listPipelineRuns(
      { pipelineId, limit: 2, cursor: page.nextCursor },
      sales.owner,
    );
    expect(rest.runs).toHaveLength(1);
    const failed = await sales.running.pipelines.listPipelineRuns({ pipelineId, status: ['Failed'] }, sales.owner);
    expect(failed.runs).toEqual([]);
    const spans = (await sales.running.pipelines.listPipelineRuns({ pipelineId }, sales.owner)).runs
      .map(({ startedAt, finishedAt }) => [startedAt?.getTime() ?? 0, finishedAt?.getTime() ?? 0] as const)
      .sort(([one], [other]) => one - other);
    for (const [index, [from]] of spans.entries()) {
      if (index > 0) expect(from).toBeGreaterThanOrEqual(spans[index - 1]?.[1] ?? 0);
    }
  });

  it('are listed without their workflow and the steps of their version, where that is asked for', async () => {
    const pipelineId = await create(clean);
    const { id } = await sales.running.runs.startRun({ pipelineId }, sales.owner);
    await sales.settled(pipelineId, id);
    const list = async (view?: 'BASIC') =>
      (await sales.running.pipelines.listPipelineRuns({ pipelineId, ...(view && { view }) }, sales.owner)).runs;
    const [[full], [basic]] = [await list(), await list('BASIC')];
    expect(full?.workflowManifest).toMatchObject({ kind: 'Workflow' });
    expect(full?.pipelineVersion?.steps).toHaveLength(1);
    const less = { workflowManifest: {}, workflowMetadata: {} };
    expect(basic).toEqual({ ...full, ...less, pipelineVersion: { ...full?.pipelineVersion, steps: [] } });
  });

  it('keep what their steps say, line after line, also for who follows', async () => {
    const pipelineId = await create(clean);
    const { id: runId } = await sales.running.runs.startRun({ pipelineId }, sales.owner);
    const followed: string[] = [];
    for await (const { event, data } of sales.running.runs.followRunLogs({ pipelineId, runId }, sales.owner)) {
      if (event === 'line') followed.push(data?.line?.text ?? '');
    }
    const { lines } = await sales.running.runs.listRunLogs({ pipelineId, runId }, sales.owner);
    expect(lines.length).toBeGreaterThan(0);
    expect(lines.map(({ text }) => text)).toEqual(followed);
    expect(lines[0]).toMatchObject({ step: 'clean', attempt: 1 });
  });
});
