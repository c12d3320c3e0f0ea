import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { openLibrary, type Library } from '@platform/events/testing';
import { member, newOrganisation, startService, type ServiceProcess } from '@platform/service/testing';
import { waitFor } from '@platform/testing';
import { clientsOf, startTestPipelines, type TestPipelines } from './test-pipelines.ts';

interface StoredStep {
  status: string;
  attempt: number;
  startedAt: string | null;
  finishedAt: string | null;
}

/** Takes long enough to go on when its process is killed. */
const long = 'SELECT one, (SELECT sum(a.range % 7 * b.range) FROM range(20000) a, range(10000) b) AS n FROM ones';

const steps = [
  {
    name: 'ones',
    config: { query: 'SELECT 1 AS one', outputDatasets: ['ones'], jobType: 'INGEST' as const },
  },
  { name: 'long', config: { query: long, inputDatasets: ['ones'], outputDatasets: ['sums'] } },
  { name: 'copy', config: { query: 'SELECT * FROM sums', inputDatasets: ['sums'], outputDatasets: ['copies'] } },
];

describe('a process that is killed after it has gone on with the next step of a run', () => {
  let events: Library;
  let service: TestPipelines;
  const workers: ServiceProcess[] = [];
  const organisationId = newOrganisation();
  const owner = member(organisationId);
  const startWorker = async (): Promise<ServiceProcess> => {
    const worker = await startService('pipelines', { ...service.env, NATS_URL: events.nats.url });
    workers.push(worker);
    return worker;
  };

  beforeAll(async () => {
    events = await openLibrary();
    // Takes no steps itself.
    service = await startTestPipelines({
      idle: true,
      environment: { PIPELINES_MICROS_PER_STEP_SECOND: '0', PIPELINES_STEP_PROCESSES: '1' },
    });
  });
  afterAll(async () => {
    await Promise.all(workers.map((worker) => worker.kill()));
    await service.stop();
    await events.close();
  });

  const stored = (runId: string) =>
    service.pool.tenant(organisationId, async (trx) => {
      const of = { organisation_id: organisationId };
      const run = await trx('runs')
        .where({ ...of, id: runId })
        .first<{ status: string; steps: StoredStep[] }>('status', 'steps');
      const made = await trx('dataset_versions')
        .where({ ...of, run_id: runId })
        .pluck<string[]>('step');
      const told = await trx('outbox')
        .where({ ...of, subject: runId })
        .orderBy('sequence')
        .pluck<string[]>('type');
      return { ...run, made, told: told.map((type) => type.replace('platform.v1.pipelines.', '')) };
    });

  it('has ended the one for good, and the other is carried out once more by another process', async () => {
    const first = await startWorker();
    const { id: pipelineId } = await service.pipelines.createPipeline({ name: 'p', steps, stepOrder: 'LISTED' }, owner);
    const { id } = await clientsOf(service.calledBy('gateway', first.address)).runs.startRun({ pipelineId }, owner);
    const before = await waitFor(
      async () => {
        const present = await stored(id);
        return present.steps[1]?.status === 'Running' ? present : undefined;
      },
      { what: 'the second step', interval: 20, timeout: 120_000 },
    );
    await first.kill();
    const [ended, begun] = before.steps;
    expect(ended).toMatchObject({ status: 'Succeeded', attempt: 1 });
    // At once, in the transaction that has ended the one before.
    expect(begun?.startedAt).toBe(ended?.finishedAt);

    await startWorker();
    const isOver = async () => (await stored(id)).status === 'Succeeded';
    await waitFor(isOver, { what: 'the end of the run', interval: 500, timeout: 240_000 });
    const after = await stored(id);
    expect(after.steps[0]).toEqual(ended);
    expect(after.steps.map(({ attempt }) => attempt)).toEqual([1, 2, 1]);
    expect(after.made.sort()).toEqual(['copy', 'long', 'ones']);
    const finished = 'run.step_finished';
    expect(after.told).toEqual(['run.started', finished, finished, finished, 'run.finished']);
  }, 400_000);
});
