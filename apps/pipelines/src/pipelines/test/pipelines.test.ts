import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { RunServiceClient } from '@platform-backend/contract-pipelines';
import { DomainError, newId } from '@platform-backend/core';
import { openLibrary, type Library } from '@platform-backend/events/testing';
import type { CallOptions } from '@platform-backend/grpc';
import { member, newOrganisation, service } from '@platform-backend/service/testing';
import { waitFor } from '@platform-backend/testing';
import { datasetClient, type DatasetClient } from '../../../test/dataset-client.ts';
import { startTestPipelines, type TestPipelines } from '../../../test/test-pipelines.ts';

const CSV = 'id,region,amount\n1,north,10\n2,south,20\n3,north,5\n4,west,\n';

const clean = {
  name: 'clean',
  config: {
    query: 'SELECT id, region, amount FROM sales WHERE amount IS NOT NULL',
    inputDatasets: ['sales'],
    outputDatasets: ['clean sales'],
  },
};
const sound = {
  name: 'sound',
  config: {
    query: 'SELECT * FROM "clean sales" WHERE amount < 0',
    inputDatasets: ['clean sales'],
    jobType: 'CHECK' as const,
  },
};
const sums = {
  name: 'sums',
  config: {
    query: 'SELECT region, sum(amount)::INTEGER AS total FROM "clean sales" GROUP BY region ORDER BY region',
    inputDatasets: ['clean sales'],
    outputDatasets: ['Totals'],
  },
};

const endless = {
  name: 'endless',
  config: {
    query: 'SELECT count(*) AS n FROM range(100000000) a, range(100000000) b',
    outputDatasets: ['never'],
    jobType: 'INGEST' as const,
  },
};

describe('pipelines', () => {
  let events: Library;
  let running: TestPipelines;
  let datasets: DatasetClient;
  const owner = member(newOrganisation());

  beforeAll(async () => {
    events = await openLibrary();
    running = await startTestPipelines({
      areQueriesExplained: true,
      natsUrl: events.nats.url,
    });
    datasets = datasetClient(running);
    await datasets.upload('sales', CSV, owner);
  });
  afterAll(async () => {
    await running.stop();
    await events.close();
  });

  const isOver = (status: string | null) => ['Succeeded', 'Failed', 'Error', 'Cancelled'].includes(status ?? '');
  async function settled(pipelineId: string, runId: string, as = owner) {
    const look = () => running.runs.getRun({ pipelineId, runId }, as);
    await waitFor(async () => isOver((await look()).status), { what: 'the end of a run' });
    return look();
  }

  it('run their steps in the order of their datasets, and what they make is there with its origin', async () => {
    const { id: pipelineId, currentVersion } = await running.pipelines.createPipeline(
      { name: 'Sales', steps: [sums, clean, sound] },
      owner,
    );
    expect(currentVersion).toMatchObject({ number: 1, stepOrder: 'DATASETS' });
    const started = await running.runs.startRun({ pipelineId }, owner);
    expect(started).toMatchObject({ status: 'Pending', trigger: 'API', finishedAt: null });
    const run = await settled(pipelineId, started.id);
    expect([run.status, run.message]).toEqual(['Succeeded', '']);
    expect(run.runSteps.map(({ name, status }) => [name, status])).toEqual([
      ['sums', 'Succeeded'],
      ['clean', 'Succeeded'],
      ['sound', 'Succeeded'],
    ]);
    const { steps } = await running.runs.listRunSteps({ pipelineId, runId: run.id }, owner);
    const [made] = steps[0]?.outputs ?? [];
    expect(made).toMatchObject({ name: 'Totals', rows: '2' });
    const { rows } = await running.datasets.queryDatasets({ query: 'SELECT * FROM totals ORDER BY region' }, owner);
    expect(rows).toEqual([
      ['north', 15],
      ['south', 20],
    ]);
  });

  const violationsOf = (call: Promise<unknown>): Promise<unknown> =>
    call.then(
      () => 'carried out',
      (error: unknown) =>
        error instanceof DomainError ? error.violations?.map(({ loc, msg }) => [loc.slice(2).join('.'), msg]) : error,
    );

  it('are refused with what is wrong at the step: unknown datasets, SQL that does not parse, columns that are not there', async () => {
    const wrong = (config: object) =>
      violationsOf(
        running.pipelines.createPipeline(
          { name: 'wrong', steps: [{ name: 'a', config: { ...clean.config, ...config } }] },
          owner,
        ),
      );
    expect(await wrong({ inputDatasets: ['nowhere'] })).toEqual([
      ['0.config.input_datasets.0', 'Value error, there is no such dataset'],
    ]);
    expect(await wrong({ query: 'SELEC id FROM sales' })).toEqual([
      ['0.config.query', expect.stringContaining('syntax error')],
    ]);
    expect(await wrong({ query: 'SELECT price FROM sales' })).toEqual([
      ['0.config.query', expect.stringContaining('price')],
    ]);
    const later = { ...sums, config: { ...sums.config, query: 'SELECT nothing FROM "clean sales"' } };
    expect(await violationsOf(running.pipelines.createPipeline({ name: 'p', steps: [clean, later] }, owner))).toEqual([
      ['1.config.query', expect.stringContaining('nothing')],
    ]);
    expect(await wrong({ queryType: 'PYTHON' })).toEqual([
      ['0.config.query_type', 'Value error, PYTHON steps cannot be run here: only SQL'],
    ]);
  });

  it('say, without content, that LLM steps cannot be run', async () => {
    const config = { queryType: 'LLM', query: 'Once', jobType: 'INGEST', outputDatasets: ['asked'] } as const;
    const created = running.pipelines.createPipeline({ name: 'p', steps: [{ name: 'ask', config }] }, owner);
    expect(await violationsOf(created)).toEqual([['0.config.query_type', 'Value error, LLM steps cannot be run here']]);
  });

  it('append to a dataset and merge into it, at the same time as well: nothing is lost, and nothing is there twice', async () => {
    const by = member(newOrganisation());
    await datasets.upload('sales', CSV, by);
    const made = (name: string, more: object) => {
      const config = { ...clean.config, outputDatasets: [name], ...more };
      return running.pipelines.createPipeline({ name, steps: [{ name, config }], maxConcurrentRuns: 3 }, by);
    };
    const appended = await made('log', { query: 'SELECT id, amount FROM sales', outputMode: 'APPEND' });
    const merged = await made('known', { outputMode: 'MERGE', mergeKeys: ['id'] });
    const pipelineIds = [appended.id, appended.id, appended.id, merged.id, merged.id];
    const runs = await Promise.all(
      pipelineIds.map(async (pipelineId) => {
        const { id } = await running.runs.startRun({ pipelineId }, by);
        return settled(pipelineId, id, by);
      }),
    );
    expect(runs.map(({ status, message }) => [status, message])).toEqual(runs.map(() => ['Succeeded', '']));
    const ask = async (query: string) => (await running.datasets.queryDatasets({ query }, by)).rows;
    expect(await ask('SELECT id, count(*) FROM log GROUP BY id ORDER BY id')).toEqual(
      [1, 2, 3, 4].map((id) => [id, 3]),
    );
    expect(await ask('SELECT id, count(*) FROM known GROUP BY id ORDER BY id')).toEqual([1, 2, 3].map((id) => [id, 1]));
    const { steps } = await running.runs.listRunSteps({ pipelineId: appended.id, runId: runs[0]?.id ?? '' }, by);
    expect(Number(steps[0]?.outputs[0]?.rows) % 4).toBe(0);
    const other = { query: 'SELECT id FROM sales', outputMode: 'MERGE', mergeKeys: ['key'], outputDatasets: ['log'] };
    expect(await violationsOf(made('other', other))).toEqual([
      ['0.config.merge_keys.0', 'Value error, the query makes no such column'],
      ['0.config.output_datasets.0', 'Value error, the query makes other columns than the dataset has: id, amount'],
    ]);
  });

  it('have versions that are compared and published again', async () => {
    const { id: pipelineId, currentVersion: first } = await running.pipelines.createPipeline(
      { name: 'v', steps: [clean] },
      owner,
    );
    const changed = { ...clean, config: { ...clean.config, query: 'SELECT * FROM sales' } };
    const second = await running.pipelines.publishPipelineVersion({ pipelineId, steps: [changed, sound] }, owner);
    expect(second.number).toBe(2);
    const ids = { pipelineId, versionId: second.id, withVersionId: first?.id ?? '' };
    const { steps } = await running.pipelines.comparePipelineVersions(ids, owner);
    expect(steps.map(({ name, change, changedFields }) => [name, change, changedFields])).toEqual([
      ['clean', 'CHANGED', ['query']],
      ['sound', 'ADDED', []],
    ]);
    const third = await running.pipelines.rollBackPipeline({ pipelineId, versionId: first?.id ?? '' }, owner);
    expect(third).toMatchObject({ number: 3, steps: [{ name: 'clean', config: { query: clean.config.query } }] });
    const { versions } = await running.pipelines.listPipelineVersions({ pipelineId }, owner);
    expect(versions.map(({ number }) => number)).toEqual([3, 2, 1]);
    const { pipelines } = await running.pipelines.listPipelines({ search: 'v' }, owner);
    expect(pipelines).toMatchObject([{ id: pipelineId, currentVersionId: third.id }]);
  });

  it('are due by their schedules once they have a version, and say so before', async () => {
    const created = await running.pipelines.createPipeline({ name: 'due', cronSchedule: '0 3 * * *' }, owner);
    expect(created).toMatchObject({
      scheduleEnabled: true,
      nextRunAt: null,
      pausedReason: 'It has no version yet: the schedule begins with the first one',
    });
    const { id: pipelineId } = created;
    await running.pipelines.publishPipelineVersion({ pipelineId, steps: [clean] }, owner);
    const shown = await running.pipelines.getPipeline({ pipelineId }, owner);
    expect(shown).toMatchObject({ nextRunAt: expect.any(Date), pausedReason: null });
    const change = { pipelineId, scheduleEnabled: false, updateMask: { paths: ['schedule_enabled'] } };
    const paused = await running.pipelines.updatePipeline(change, owner);
    expect(paused).toMatchObject({ scheduleEnabled: false, nextRunAt: null, pausedReason: null });
  });

  it('are found by their tags, as their runs are by those and their own', async () => {
    const { id: pipelineId, tags } = await running.pipelines.createPipeline(
      { name: 'tagged', tags: ['Finance', 'finance', 'every day'], steps: [clean] },
      owner,
    );
    expect(tags).toEqual(['finance', 'every day']);
    const found = async (filter: object) =>
      (await running.pipelines.listPipelines(filter, owner)).pipelines.map(({ name }) => name);
    expect(await found({ tags: ['FINANCE', 'every day'] })).toEqual(['tagged']);
    expect(await found({ tags: ['finance', 'never'] })).toEqual([]);
    expect(await found({ search: 'very d' })).toEqual(['tagged']);
    const { id: runId, tags: ofRun } = await running.runs.startRun({ pipelineId, tags: ['Year end'] }, owner);
    expect(ofRun).toEqual(['finance', 'every day', 'year end']);
    await settled(pipelineId, runId);
    const changed = { pipelineId, tags: ['other'], updateMask: { paths: ['tags'] } };
    expect(await running.pipelines.updatePipeline(changed, owner)).toMatchObject({ tags: ['other'] });
    const { id: laterId, tags: ofLater } = await running.runs.startRun({ pipelineId }, owner);
    expect(ofLater).toEqual(['other']);
    await settled(pipelineId, laterId);
    const runsOf = async (filter: object) =>
      (await running.pipelines.listPipelineRuns({ pipelineId, ...filter }, owner)).runs.map(({ id }) => id);
    expect(await runsOf({ tags: ['finance', 'YEAR END'] })).toEqual([runId]);
    expect(await runsOf({ tags: ['other'], trigger: ['API', 'RETRY'] })).toEqual([laterId]);
    expect(await runsOf({ trigger: ['SCHEDULE'] })).toEqual([]);
  });

  it('tell whom they name how runs end that are started from then on', async () => {
    const { id: pipelineId, notifyOn } = await running.pipelines.createPipeline(
      { name: 'told', steps: [clean] },
      owner,
    );
    expect(notifyOn).toBe('FAILURE');
    const quiet = await settled(pipelineId, (await running.runs.startRun({ pipelineId }, owner)).id);
    const notificationSettings = [{ email: { userIds: [newId()] } }];
    const paths = ['notification_settings', 'notify_on'];
    const changed = { pipelineId, notificationSettings, notifyOn: 'FINISH' as const, updateMask: { paths } };
    expect(await running.pipelines.updatePipeline(changed, owner)).toMatchObject({ notificationSettings });
    const { id: runId, notifications } = await running.runs.startRun({ pipelineId }, owner);
    expect([quiet.notifications, notifications]).toEqual([[], []]);
    await settled(pipelineId, runId);
    const told = (await running.runs.getRun({ pipelineId, runId }, owner)).notifications;
    expect(told).toMatchObject([{ method: 'EMAIL', recipient: notificationSettings[0]?.email.userIds[0] }]);
    const { runs } = await running.pipelines.listPipelineRuns({ pipelineId }, owner);
    expect(runs.flatMap((run) => run.notifications)).toEqual([]);
  });

  it('are archived, so that nothing starts, and cloned', async () => {
    const { id: pipelineId } = await running.pipelines.createPipeline(
      { name: 'old', steps: [clean], cronSchedule: '0 3 * * *' },
      owner,
    );
    const clone = await running.pipelines.clonePipeline({ pipelineId, name: 'new' }, owner);
    expect(clone).toMatchObject({ name: 'new', cronSchedule: null, currentVersion: { number: 1 } });
    await running.pipelines.archivePipeline({ pipelineId }, owner);
    await expect(running.runs.startRun({ pipelineId }, owner)).rejects.toMatchObject({ code: 'pipeline_archived' });
    await running.pipelines.restorePipeline({ pipelineId }, owner);
    const { id: runId } = await running.runs.startRun({ pipelineId }, owner);
    await settled(pipelineId, runId);
  });

  it('show what would come of steps, without keeping anything', async () => {
    const { steps } = await running.pipelines.trySteps({ steps: [sums, clean, sound], sampleRows: 2 }, owner);
    expect(steps.map(({ name, status, rows }) => [name, status, rows.length])).toEqual([
      ['sums', 'Succeeded', 2],
      ['clean', 'Succeeded', 2],
      ['sound', 'Succeeded', 0],
    ]);
    expect(steps[0]?.rows[0]).toEqual({ region: 'north', total: 10 });
    // Each of them is needed by two others, and by those that need these.
    const woven = Array.from({ length: 20 }, (_, at) => {
      const inputs = at < 2 ? ['sales'] : [`made ${at - 1}`, `made ${at - 2}`];
      const query = `SELECT ${inputs.map((input) => `(SELECT count(*) FROM "${input}")`).join(' + ')} AS n`;
      return { name: `step ${at}`, config: { query, inputDatasets: inputs, outputDatasets: [`made ${at}`] } };
    });
    const { steps: all } = await running.pipelines.trySteps({ steps: woven }, owner);
    expect(all.map(({ status, rows }) => [status, rows])).toEqual(
      woven.map((_, at) => ['Succeeded', [{ n: at < 2 ? 4 : 2 }]]),
    );
  });

  it('run by themselves with new data of what they read, where that is wanted', async () => {
    const { id } = await datasets.upload('fresh', CSV, owner);
    const copy = { query: 'SELECT * FROM fresh', inputDatasets: ['Fresh'], outputDatasets: ['copy'] };
    const wanted = { name: 'fresh', steps: [{ name: 'copy', config: copy }], runsOnNewData: true };
    const { id: pipelineId } = await running.pipelines.createPipeline(wanted, owner);
    // None of this is new data.
    const described = { datasetId: id, description: 'As it comes', updateMask: { paths: ['description'] } };
    await running.datasets.updateDataset(described, owner);
    const entries = [{ name: 'amount', description: 'In euros' }];
    await running.datasets.updateDataDictionary({ datasetId: id, entries }, owner);
    await datasets.upload('fresh', `${CSV}5,east,1\n`, owner, { id });
    const found = async () => (await running.pipelines.listPipelineRuns({ pipelineId }, owner)).runs;
    await waitFor(async () => (await found()).some(({ status }) => isOver(status)), { what: 'a run' });
    expect(await found()).toMatchObject([{ trigger: 'EVENT', status: 'Succeeded' }]);
  });

  describe('and their runs', () => {
    const create = async (...steps: object[]) =>
      (await running.pipelines.createPipeline({ name: 'Runs', steps: steps as never }, owner)).id;

    it('start once for one key', async () => {
      const pipelineId = await create(clean);
      const request = { pipelineId, idempotencyKey: 'the same' };
      const [one, two] = [await running.runs.startRun(request, owner), await running.runs.startRun(request, owner)];
      expect(one.id).toBe(two.id);
      await settled(pipelineId, one.id);
      const other = { pipelineId: await create(clean), idempotencyKey: 'the same' };
      await expect(running.runs.startRun(other, owner)).rejects.toMatchObject({ kind: 'invalid' });
    });

    it('start once for a task, in the name of the user whose assistant asked', async () => {
      const pipelineId = await create(clean);
      const { organisationId = '' } = owner.caller;
      const fromContent = running.calledBy('content').to<RunServiceClient<CallOptions>>('RunService');
      const asked = { pipelineId, taskId: newId(), userId: newId(), permissionLevel: 'EDITOR' as const };
      const start = () => fromContent.startTaskRun(asked, service('content', organisationId));
      const [one, two] = [await start(), await start()];
      expect(one).toMatchObject({ id: two.id, trigger: 'TASK' });
      await settled(pipelineId, one.id);
      const elsewhere = fromContent.startTaskRun(asked, service('content', newOrganisation()));
      await expect(elsewhere).rejects.toMatchObject({ kind: 'not_found' });
    });

    it('stop at a check, say which rows failed, and go on from there when they are retried', async () => {
      const retryPolicy = { maximumAttempts: 2, initialIntervalSeconds: 1 };
      const query = 'SELECT * FROM "clean sales" WHERE amount > 7';
      const never = { ...sound, config: { ...sound.config, query, retryPolicy } };
      const pipelineId = await create(clean, never, sums);
      const failed = await settled(pipelineId, (await running.runs.startRun({ pipelineId }, owner)).id);
      expect(failed.status).toBe('Failed');
      expect(failed.runSteps.map(({ status }) => status)).toEqual(['Succeeded', 'Failed', 'Omitted']);
      const { steps } = await running.runs.listRunSteps({ pipelineId, runId: failed.id }, owner);
      expect(steps[1]).toMatchObject({ attempts: 2, errorCode: 'check_failed', nextAttemptAt: null });
      expect(steps[1]?.failedRows).toEqual([
        { id: 1, region: 'north', amount: 10 },
        { id: 2, region: 'south', amount: 20 },
      ]);
      const again = await settled(
        pipelineId,
        (await running.runs.retryRun({ pipelineId, runId: failed.id }, owner)).id,
      );
      expect(again).toMatchObject({ status: 'Failed', trigger: 'RETRY', retryOfRunId: failed.id });
      const { steps: kept } = await running.runs.listRunSteps({ pipelineId, runId: again.id }, owner);
      expect(kept.map((step) => step.kept)).toEqual([true, false, false]);
      expect(kept[0]?.outputs).toEqual(steps[0]?.outputs);
    });

    it('are done again from a step on, with what the steps before have made, unless that is gone', async () => {
      const pipelineId = await create(clean, sums);
      const first = await settled(pipelineId, (await running.runs.startRun({ pipelineId }, owner)).id);
      const request = { pipelineId, runId: first.id };
      await expect(running.runs.retryRun(request, owner)).rejects.toMatchObject({ code: 'run_succeeded' });
      expect(await violationsOf(running.runs.retryRun({ ...request, fromStep: 'sum' }, owner))).toEqual([
        ['', 'Value error, no step has this name'],
      ]);
      const again = await settled(
        pipelineId,
        (await running.runs.retryRun({ ...request, fromStep: 'SUMS' }, owner)).id,
      );
      expect(again).toMatchObject({ status: 'Succeeded', retryOfRunId: first.id });
      const stepsOf = async (runId: string) => (await running.runs.listRunSteps({ pipelineId, runId }, owner)).steps;
      const [before, after] = [await stepsOf(first.id), await stepsOf(again.id)];
      expect(after.map(({ kept }) => kept)).toEqual([true, false]);
      expect(after[1]?.inputVersionIds).toEqual([before[0]?.outputs[0]?.datasetVersionId]);
      expect(after[1]?.outputs[0]?.datasetVersionId).not.toBe(before[1]?.outputs[0]?.datasetVersionId);
      await running.datasets.deleteDataset({ datasetId: before[0]?.outputs[0]?.datasetId ?? '' }, owner);
      await expect(running.runs.retryRun({ ...request, fromStep: 'sums' }, owner)).rejects.toMatchObject({
        code: 'run_output_gone',
      });
    });

    it('end within ten seconds when somebody cancels them, and tell who watches', async () => {
      const pipelineId = await create(endless);
      const { id: runId } = await running.runs.startRun({ pipelineId }, owner);
      const seen: (string | null | undefined)[] = [];
      const watching = (async () => {
        for await (const { data } of running.runs.watchRun({ pipelineId, runId }, owner)) seen.push(data?.status);
      })();
      const isRunning = async () => (await running.runs.getRun({ pipelineId, runId }, owner)).status === 'Running';
      await waitFor(isRunning, { what: 'a run that goes on' });
      const before = performance.now();
      await running.runs.cancelRun({ pipelineId, runId }, owner);
      expect((await settled(pipelineId, runId)).status).toBe('Cancelled');
      expect(performance.now() - before).toBeLessThan(10_000);
      await watching;
      expect(seen.at(-1)).toBe('Cancelled');
      expect(await running.runs.cancelRun({ pipelineId, runId }, owner)).toMatchObject({ status: 'Cancelled' });
    });

    it('fail when they take longer than the pipeline lets them, and what runs is interrupted', async () => {
      const { id: pipelineId } = await running.pipelines.createPipeline({ name: 'long', steps: [endless] }, owner);
      const shorter = { pipelineId, runTimeLimitSeconds: 1, updateMask: { paths: ['run_time_limit_seconds'] } };
      expect(await running.pipelines.updatePipeline(shorter, owner)).toMatchObject({ runTimeLimitSeconds: 1 });
      const { id, timeLimitSeconds } = await running.runs.startRun({ pipelineId }, owner);
      expect(timeLimitSeconds).toBe(1);
      const message = 'The run took longer than 1 s';
      expect(await settled(pipelineId, id)).toMatchObject({
        status: 'Failed',
        message,
        runSteps: [{ status: 'Error', message }],
      });
    });

    it('wait their turn where too many go on', async () => {
      const { id: pipelineId } = await running.pipelines.createPipeline(
        { name: 'one', steps: [clean], maxConcurrentRuns: 1 },
        owner,
      );
      const runs = await Promise.all([1, 2, 3].map(() => running.runs.startRun({ pipelineId }, owner)));
      for (const { id } of runs) expect((await settled(pipelineId, id)).status).toBe('Succeeded');
      const page = await running.pipelines.listPipelineRuns({ pipelineId, limit: 2, includeTotal: true }, owner);
      expect([page.runs.length, page.totalCount]).toEqual([2, 3]);
      const rest = await running.pipelines.listPipelineRuns({ pipelineId, limit: 2, cursor: page.nextCursor }, owner);
      expect(rest.runs).toHaveLength(1);
      const failed = await running.pipelines.listPipelineRuns({ pipelineId, status: ['Failed'] }, owner);
      expect(failed.runs).toEqual([]);
      const spans = (await running.pipelines.listPipelineRuns({ pipelineId }, owner)).runs
        .map(({ startedAt, finishedAt }) => [startedAt?.getTime() ?? 0, finishedAt?.getTime() ?? 0] as const)
        .sort(([one], [other]) => one - other);
      for (const [index, [from]] of spans.entries()) {
        if (index > 0) expect(from).toBeGreaterThanOrEqual(spans[index - 1]?.[1] ?? 0);
      }
    });

    it('keep what their steps say, line after line, also for who follows', async () => {
      const pipelineId = await create(clean);
      const { id: runId } = await running.runs.startRun({ pipelineId }, owner);
      const followed: string[] = [];
      for await (const { event, data } of running.runs.followRunLogs({ pipelineId, runId }, owner)) {
        if (event === 'line') followed.push(data?.line?.text ?? '');
      }
      const { lines } = await running.runs.listRunLogs({ pipelineId, runId }, owner);
      expect(lines.length).toBeGreaterThan(0);
      expect(lines.map(({ text }) => text)).toEqual(followed);
      expect(lines[0]).toMatchObject({ step: 'clean', attempt: 1 });
    });
  });
});
