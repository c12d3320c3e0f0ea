import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { openLibrary, type Library } from '@platform-backend/events/testing';
import { member, newOrganisation } from '@platform-backend/service/testing';
import { waitFor } from '@platform-backend/testing';
import { datasetsStore } from '../src/datasets/store/datasets-store.ts';
import { dueItems } from '../src/notifications/store/due-items.ts';
import { startSteps } from '../src/step-engine/test/steps-under-test.ts';
import { datasetClient, type DatasetClient } from './dataset-client.ts';
import { startTestPipelines, type TestPipelines } from './test-pipelines.ts';

const SALES = 'region,amount\nnorth,10.50\nsouth,4.50\n';
/** By then bytes are looked for that nobody has brought. */
const LOOKED_FOR_WITHIN_MS = 3_600_000;
const ENDLESS = 'SELECT count(*) AS n FROM range(100000000) a, range(100000000) b';

const endless = { name: 'endless', config: { query: ENDLESS, outputDatasets: ['never'], jobType: 'INGEST' as const } };
const total = {
  name: 'total',
  config: { query: 'SELECT sum(amount) AS total FROM sales', inputDatasets: ['sales'], outputDatasets: ['totals'] },
};

describe('while steps of runs take all of their slots', () => {
  let events: Library;
  let running: TestPipelines;
  let datasets: DatasetClient;
  const greedy = member(newOrganisation());
  const neighbour = member(newOrganisation());
  beforeAll(async () => {
    events = await openLibrary();
    running = await startTestPipelines({
      natsUrl: events.nats.url,
      environment: { PIPELINES_STEP_PROCESSES: '1' },
    });
    datasets = datasetClient(running);
    const { id: pipelineId } = await running.pipelines.createPipeline({ name: 'greedy', steps: [endless] }, greedy);
    const { id: runId } = await running.runs.startRun({ pipelineId }, greedy);
    const isRunning = async () => (await running.runs.getRun({ pipelineId, runId }, greedy)).status === 'Running';
    await waitFor(isRunning, { what: 'the step that takes the slot' });
  });
  afterAll(async () => {
    await running.stop();
    await events.close();
  });

  it('uploads are read', async () => {
    expect((await datasets.upload('Sales', SALES, neighbour)).upload?.status).toBe('READY');
  });

  it('queries are answered', async () => {
    const answer = await running.datasets.queryDatasets({ query: 'SELECT sum(amount) FROM sales' }, neighbour);
    expect(answer.rows).toEqual([['15.00']]);
  });

  it('pipelines are checked, tried and published', async () => {
    const { steps } = await running.pipelines.trySteps({ steps: [total], sampleRows: 10 }, neighbour);
    expect(steps).toMatchObject([{ status: 'Succeeded', rows: [{ total: '15.00' }] }]);
    const published = await running.pipelines.createPipeline({ name: 'totals', steps: [total] }, neighbour);
    expect(published.currentVersion?.number).toBe(1);
  });
});

describe('the uploads of several organisations', () => {
  let running: TestPipelines;
  beforeAll(async () => (running = await startTestPipelines()));
  afterAll(() => running.stop());

  it('are read in turn, of each the oldest, however many one of them has brought before', async () => {
    const { request } = datasetClient(running);
    const [first, second, third] = [newOrganisation(), newOrganisation(), newOrganisation()].sort();
    const upload = async (name: string, organisationId = '') => (await request(name, member(organisationId))).datasetId;
    const oldest = await upload('oldest', second);
    for (const name of ['b', 'c', 'd']) await upload(name, second);
    const [before, behind] = [await upload('a', first), await upload('a', third)];

    const store = datasetsStore(running.pool);
    const at = new Date(Date.now() + LOOKED_FOR_WITHIN_MS);
    const order: string[] = [];
    let last = '';
    for (let round = 0; round < 6; round += 1) {
      const due = await store.nextDue('FILES', last, at);
      order.push(due?.datasetId ?? 'nothing');
      last = due?.organisationId ?? '';
    }
    expect(order).toEqual([before, oldest, behind, before, oldest, behind]);
    expect(await store.nextDue('FILES', '', new Date(0))).toBeUndefined();
  });
});

describe('executions of task templates', () => {
  let idle: TestPipelines;
  beforeAll(async () => (idle = await startTestPipelines({ idle: true })));
  afterAll(() => idle.stop());

  it('are looked after organisation by organisation, however many one of them has begun before', async () => {
    const begin = async (times: number) => {
      const by = member(newOrganisation());
      const { id: templateId } = await idle.taskTemplates.createTaskTemplate({ name: 'a', instruction: 'b' }, by);
      const ids: string[] = [];
      for (let time = 0; time < times; time += 1)
        ids.push((await idle.taskTemplates.runTaskTemplate({ templateId }, by)).id);
      return ids;
    };
    const [many, few] = [await begin(5), await begin(2)];
    const due = await dueItems(idle.pool, 'task_executions', new Date(), 5);
    expect(due.map(({ id }) => id)).toEqual([many[0], few[0], many[1], few[1], many[2]]);
  });
});

describe('the processes of steps', () => {
  it('give an organisation no more than its share, and the others theirs', async () => {
    const steps = await startSteps({ processes: 2, share: 1 });
    try {
      const stop = new AbortController();
      const ended: string[] = [];
      const greedy = ['one', 'two', 'three'].map((name) =>
        steps.run({ query: ENDLESS, limits: { seconds: 600 } }, stop.signal, 'greedy').then(
          () => ended.push(name),
          () => ended.push(name),
        ),
      );
      for (let count = 1; count <= 3; count += 1) {
        const answer = await steps.run({ query: 'SELECT 42 AS answer' }, undefined, 'modest');
        expect(answer.rows).toEqual([[42]]);
      }
      expect(ended).toEqual([]);
      stop.abort(new Error('the test is over'));
      await Promise.all(greedy);
    } finally {
      await steps.stop();
    }
  });
});
