import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { newId } from '@platform-backend/core';
import { member, newOrganisation } from '@platform-backend/service/testing';
import { waitFor } from '@platform-backend/testing';
import { clean, CSV, isOver, sound, startSalesPipelines, sums, violationsOf } from './sales-pipelines.ts';

let sales: Awaited<ReturnType<typeof startSalesPipelines>>;
beforeAll(async () => {
  sales = await startSalesPipelines();
});
afterAll(() => sales.stop());

describe('pipelines', () => {
  it('run their steps in the order of their datasets, and what they make is there with its origin', async () => {
    const { id: pipelineId, currentVersion } = await sales.running.pipelines.createPipeline(
      { name: 'Sales', steps: [sums, clean, sound] },
      sales.owner,
    );
    expect(currentVersion).toMatchObject({ number: 1, stepOrder: 'DATASETS' });
    const started = await sales.running.runs.startRun({ pipelineId }, sales.owner);
    expect(started).toMatchObject({ status: 'Pending', trigger: 'API', finishedAt: null });
    const run = await sales.settled(pipelineId, started.id);
    expect([run.status, run.message]).toEqual(['Succeeded', '']);
    expect(run.runSteps.map(({ name, status }) => [name, status])).toEqual([
      ['sums', 'Succeeded'],
      ['clean', 'Succeeded'],
      ['sound', 'Succeeded'],
    ]);
    const { steps } = await sales.running.runs.listRunSteps({ pipelineId, runId: run.id }, sales.owner);
    const [made] = steps[0]?.outputs ?? [];
    expect(made).toMatchObject({ name: 'Totals', rows: '2' });
    const { rows } = await sales.running.datasets.queryDatasets(
      { query: 'SELECT * FROM totals ORDER BY region' },
      sales.owner,
    );
    expect(rows).toEqual([
      ['north', 15],
      ['south', 20],
    ]);
  });

  it('are refused with what is wrong at the step: unknown datasets, SQL that does not parse, columns that are not there', async () => {
    const wrong = (config: object) =>
      violationsOf(
        sales.running.pipelines.createPipeline(
          { name: 'wrong', steps: [{ name: 'a', config: { ...clean.config, ...config } }] },
          sales.owner,
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
    expect(
      await violationsOf(sales.running.pipelines.createPipeline({ name: 'p', steps: [clean, later] }, sales.owner)),
    ).toEqual([['1.config.query', expect.stringContaining('nothing')]]);
    expect(await wrong({ queryType: 'PYTHON' })).toEqual([
      ['0.config.query_type', 'Value error, PYTHON steps cannot be run here: only SQL'],
    ]);
  });

  it('say, without content, that LLM steps cannot be run', async () => {
    const config = { queryType: 'LLM', query: 'Once', jobType: 'INGEST', outputDatasets: ['asked'] } as const;
    const created = sales.running.pipelines.createPipeline(
      { name: 'p', steps: [{ name: 'ask', config }] },
      sales.owner,
    );
    expect(await violationsOf(created)).toEqual([['0.config.query_type', 'Value error, LLM steps cannot be run here']]);
  });

  it('append to a dataset and merge into it, at the same time as well: nothing is lost, and nothing is there twice', async () => {
    const by = member(newOrganisation());
    await sales.datasets.upload('sales', CSV, by);
    const made = (name: string, more: object) => {
      const config = { ...clean.config, outputDatasets: [name], ...more };
      return sales.running.pipelines.createPipeline({ name, steps: [{ name, config }], maxConcurrentRuns: 3 }, by);
    };
    const appended = await made('log', { query: 'SELECT id, amount FROM sales', outputMode: 'APPEND' });
    const merged = await made('known', { outputMode: 'MERGE', mergeKeys: ['id'] });
    const pipelineIds = [appended.id, appended.id, appended.id, merged.id, merged.id];
    const runs = await Promise.all(
      pipelineIds.map(async (pipelineId) => {
        const { id } = await sales.running.runs.startRun({ pipelineId }, by);
        return sales.settled(pipelineId, id, by);
      }),
    );
    expect(runs.map(({ status, message }) => [status, message])).toEqual(runs.map(() => ['Succeeded', '']));
    const ask = async (query: string) => (await sales.running.datasets.queryDatasets({ query }, by)).rows;
    expect(await ask('SELECT id, count(*) FROM log GROUP BY id ORDER BY id')).toEqual(
      [1, 2, 3, 4].map((id) => [id, 3]),
    );
    expect(await ask('SELECT id, count(*) FROM known GROUP BY id ORDER BY id')).toEqual([1, 2, 3].map((id) => [id, 1]));
    const { steps } = await sales.running.runs.listRunSteps({ pipelineId: appended.id, runId: runs[0]?.id ?? '' }, by);
    expect(Number(steps[0]?.outputs[0]?.rows) % 4).toBe(0);
    const other = { query: 'SELECT id FROM sales', outputMode: 'MERGE', mergeKeys: ['key'], outputDatasets: ['log'] };
    expect(await violationsOf(made('other', other))).toEqual([
      ['0.config.merge_keys.0', 'Value error, the query makes no such column'],
      ['0.config.output_datasets.0', 'Value error, the query makes other columns than the dataset has: id, amount'],
    ]);
  });

  it('have versions that are compared and published again', async () => {
    const { id: pipelineId, currentVersion: first } = await sales.running.pipelines.createPipeline(
      { name: 'v', steps: [clean] },
      sales.owner,
    );
    const changed = { ...clean, config: { ...clean.config, query: 'SELECT * FROM sales' } };
    const second = await sales.running.pipelines.publishPipelineVersion(
      { pipelineId, steps: [changed, sound] },
      sales.owner,
    );
    expect(second.number).toBe(2);
    const ids = { pipelineId, versionId: second.id, withVersionId: first?.id ?? '' };
    const { steps } = await sales.running.pipelines.comparePipelineVersions(ids, sales.owner);
    expect(steps.map(({ name, change, changedFields }) => [name, change, changedFields])).toEqual([
      ['clean', 'CHANGED', ['query']],
      ['sound', 'ADDED', []],
    ]);
    const third = await sales.running.pipelines.rollBackPipeline(
      { pipelineId, versionId: first?.id ?? '' },
      sales.owner,
    );
    expect(third).toMatchObject({ number: 3, steps: [{ name: 'clean', config: { query: clean.config.query } }] });
    const { versions } = await sales.running.pipelines.listPipelineVersions({ pipelineId }, sales.owner);
    expect(versions.map(({ number }) => number)).toEqual([3, 2, 1]);
    const { pipelines } = await sales.running.pipelines.listPipelines({ search: 'v' }, sales.owner);
    expect(pipelines).toMatchObject([{ id: pipelineId, currentVersionId: third.id }]);
  });

  it('are due by their schedules once they have a version, and say so before', async () => {
    const created = await sales.running.pipelines.createPipeline(
      { name: 'due', cronSchedule: '0 3 * * *' },
      sales.owner,
    );
    expect(created).toMatchObject({
      scheduleEnabled: true,
      nextRunAt: null,
      pausedReason: 'It has no version yet: the schedule begins with the first one',
    });
    const { id: pipelineId } = created;
    await sales.running.pipelines.publishPipelineVersion({ pipelineId, steps: [clean] }, sales.owner);
    const shown = await sales.running.pipelines.getPipeline({ pipelineId }, sales.owner);
    expect(shown).toMatchObject({ nextRunAt: expect.any(Date), pausedReason: null });
    const change = { pipelineId, scheduleEnabled: false, updateMask: { paths: ['schedule_enabled'] } };
    const paused = await sales.running.pipelines.updatePipeline(change, sales.owner);
    expect(paused).toMatchObject({ scheduleEnabled: false, nextRunAt: null, pausedReason: null });
  });

  it('are found by their tags, as their runs are by those and their own', async () => {
    const { id: pipelineId, tags } = await sales.running.pipelines.createPipeline(
      { name: 'tagged', tags: ['Finance', 'finance', 'every day'], steps: [clean] },
      sales.owner,
    );
    expect(tags).toEqual(['finance', 'every day']);
    const found = async (filter: object) =>
      (await sales.running.pipelines.listPipelines(filter, sales.owner)).pipelines.map(({ name }) => name);
    expect(await found({ tags: ['FINANCE', 'every day'] })).toEqual(['tagged']);
    expect(await found({ tags: ['finance', 'never'] })).toEqual([]);
    expect(await found({ search: 'very d' })).toEqual(['tagged']);
    const { id: runId, tags: ofRun } = await sales.running.runs.startRun(
      { pipelineId, tags: ['Year end'] },
      sales.owner,
    );
    expect(ofRun).toEqual(['finance', 'every day', 'year end']);
    await sales.settled(pipelineId, runId);
    const changed = { pipelineId, tags: ['other'], updateMask: { paths: ['tags'] } };
    expect(await sales.running.pipelines.updatePipeline(changed, sales.owner)).toMatchObject({ tags: ['other'] });
    const { id: laterId, tags: ofLater } = await sales.running.runs.startRun({ pipelineId }, sales.owner);
    expect(ofLater).toEqual(['other']);
    await sales.settled(pipelineId, laterId);
    const runsOf = async (filter: object) =>
      (await sales.running.pipelines.listPipelineRuns({ pipelineId, ...filter }, sales.owner)).runs.map(({ id }) => id);
    expect(await runsOf({ tags: ['finance', 'YEAR END'] })).toEqual([runId]);
    expect(await runsOf({ tags: ['other'], trigger: ['API', 'RETRY'] })).toEqual([laterId]);
    expect(await runsOf({ trigger: ['SCHEDULE'] })).toEqual([]);
  });

  it('tell whom they name how runs end that are started from then on', async () => {
    const { id: pipelineId, notifyOn } = await sales.running.pipelines.createPipeline(
      { name: 'told', steps: [clean] },
      sales.owner,
    );
    expect(notifyOn).toBe('FAILURE');
    const quiet = await sales.settled(pipelineId, (await sales.running.runs.startRun({ pipelineId }, sales.owner)).id);
    const notificationSettings = [{ email: { userIds: [newId()] } }];
    const paths = ['notification_settings', 'notify_on'];
    const changed = { pipelineId, notificationSettings, notifyOn: 'FINISH' as const, updateMask: { paths } };
    expect(await sales.running.pipelines.updatePipeline(changed, sales.owner)).toMatchObject({ notificationSettings });
    const { id: runId, notifications } = await sales.running.runs.startRun({ pipelineId }, sales.owner);
    expect([quiet.notifications, notifications]).toEqual([[], []]);
    await sales.settled(pipelineId, runId);
    const told = (await sales.running.runs.getRun({ pipelineId, runId }, sales.owner)).notifications;
    expect(told).toMatchObject([{ method: 'EMAIL', recipient: notificationSettings[0]?.email.userIds[0] }]);
    const { runs } = await sales.running.pipelines.listPipelineRuns({ pipelineId }, sales.owner);
    expect(runs.flatMap((run) => run.notifications)).toEqual([]);
  });

  it('are archived, so that nothing starts, and cloned', async () => {
    const { id: pipelineId } = await sales.running.pipelines.createPipeline(
      { name: 'old', steps: [clean], cronSchedule: '0 3 * * *' },
      sales.owner,
    );
    const clone = await sales.running.pipelines.clonePipeline({ pipelineId, name: 'new' }, sales.owner);
    expect(clone).toMatchObject({ name: 'new', cronSchedule: null, currentVersion: { number: 1 } });
    await sales.running.pipelines.archivePipeline({ pipelineId }, sales.owner);
    await expect(sales.running.runs.startRun({ pipelineId }, sales.owner)).rejects.toMatchObject({
      code: 'pipeline_archived',
    });
    await sales.running.pipelines.restorePipeline({ pipelineId }, sales.owner);
    const { id: runId } = await sales.running.runs.startRun({ pipelineId }, sales.owner);
    await sales.settled(pipelineId, runId);
  });

  it('show what would come of steps, without keeping anything', async () => {
    const { steps } = await sales.running.pipelines.trySteps(
      { steps: [sums, clean, sound], sampleRows: 2 },
      sales.owner,
    );
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
    const { steps: all } = await sales.running.pipelines.trySteps({ steps: woven }, sales.owner);
    expect(all.map(({ status, rows }) => [status, rows])).toEqual(
      woven.map((_, at) => ['Succeeded', [{ n: at < 2 ? 4 : 2 }]]),
    );
  });

  it('run by themselves with new data of what they read, where that is wanted', async () => {
    const { id } = await sales.datasets.upload('fresh', CSV, sales.owner);
    const copy = { query: 'SELECT * FROM fresh', inputDatasets: ['Fresh'], outputDatasets: ['copy'] };
    const wanted = { name: 'fresh', steps: [{ name: 'copy', config: copy }], runsOnNewData: true };
    const { id: pipelineId } = await sales.running.pipelines.createPipeline(wanted, sales.owner);
    // None of this is new data.
    const described = { datasetId: id, description: 'As it comes', updateMask: { paths: ['description'] } };
    await sales.running.datasets.updateDataset(described, sales.owner);
    const entries = [{ name: 'amount', description: 'In euros' }];
    await sales.running.datasets.updateDataDictionary({ datasetId: id, entries }, sales.owner);
    await sales.datasets.upload('fresh', `${CSV}5,east,1\n`, sales.owner, { id });
    const found = async () => (await sales.running.pipelines.listPipelineRuns({ pipelineId }, sales.owner)).runs;
    await waitFor(async () => (await found()).some(({ status }) => isOver(status)), { what: 'a run' });
    expect(await found()).toMatchObject([{ trigger: 'EVENT', status: 'Succeeded' }]);
  });
});
