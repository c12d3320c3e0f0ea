import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { creditLedger, type CreditLedger } from '@platform-backend/contract-billing/client/testing';
import { openLibrary, type Library } from '@platform-backend/events/testing';
import {
  member,
  newOrganisation,
  publishedEvents,
  startService,
  type ServiceProcess,
} from '@platform-backend/service/testing';
import { repetitions, waitFor } from '@platform-backend/testing';
import { datasetClient } from '../../../test/dataset-client.ts';
import { keys, startTestPipelines, type TestPipelines } from '../../../test/test-pipelines.ts';

const PIPELINES = 4;
const RUNS = repetitions({ usual: 8, long: 50 });
const STEPS = 1;
/** The service of the test, and those that are killed. */
const WORKERS = repetitions({ usual: 2, long: 3 });
const PROCESSES = 1 + WORKERS;
const KILLS = repetitions({ usual: 1, long: 6 });
/** So many more runs end between two kills. */
const MIN_PROGRESS = repetitions({ usual: 4, long: 8 });

interface RunRow {
  id: string;
  status: string;
  steps: {
    name: string;
    status: string;
    attempt: number;
    worker: string | null;
    seconds: number;
    outputs: { datasetVersionId: string }[];
  }[];
}

describe('processes that carry steps out, of which one after the other is killed', () => {
  let events: Library;
  let billing: CreditLedger;
  let service: TestPipelines;
  let workers: ServiceProcess[] = [];
  const organisationId = newOrganisation();
  const owner = member(organisationId);

  beforeAll(async () => {
    events = await openLibrary();
    billing = await creditLedger(keys);
    service = await startTestPipelines({
      natsUrl: events.nats.url,
      environment: {
        BILLING_ADDRESS: billing.address,
        PIPELINES_MICROS_PER_STEP_SECOND: '1000',
        PIPELINES_STEP_PROCESSES: '1',
        PIPELINES_CONCURRENT_RUNS: '100',
      },
    });
    await datasetClient(service).upload('numbers', 'n\n1\n2\n3\n', owner);
  });
  afterAll(async () => {
    await Promise.all(workers.map((worker) => worker.kill()));
    await service.stop();
    await billing.close();
    await events.close();
  });

  const runs = (): Promise<RunRow[]> =>
    service.pool.tenant(organisationId, (trx) =>
      trx('runs').where({ organisation_id: organisationId }).select<RunRow[]>('id', 'status', 'steps'),
    );

  /** What each run that is over owes, and what is written down of it. */
  const owed = async (): Promise<[run: string, micros: string][]> =>
    (await runs())
      .filter(({ status }) => status === 'Succeeded')
      .map(({ id, steps }) => [id, String(Math.ceil(steps.reduce((sum, { seconds }) => sum + seconds, 0)) * 1000)]);
  const debits = async () =>
    (await publishedEvents(service.database)).flatMap(({ type, data }): [unknown, unknown][] =>
      type.endsWith('.debit.created') ? [[data['debit_id'], data['amount_micros']]] : [],
    );

  it('end all steps, none of them has made its data twice, and each run is owed once', async () => {
    const pipelineIds: string[] = [];
    for (let count = 0; count < PIPELINES; count += 1) {
      const config = {
        query: 'SELECT sum(n)::INTEGER AS total FROM numbers',
        inputDatasets: ['numbers'],
        outputDatasets: [`sums ${count}`],
      };
      const never = {
        query: `SELECT * FROM "sums ${count}"`,
        inputDatasets: [`sums ${count}`],
        outputDatasets: [`never ${count}`],
        when: [{ all: [{ subject: 'ROW_COUNT', name: `sums ${count}`, operator: 'GREATER_THAN', value: 1 }] }],
      };
      const steps = [
        { name: 'sum', config },
        { name: 'never', config: never },
      ];
      const wanted = { name: `p ${count}`, steps: steps as never, maxConcurrentRuns: 100 };
      pipelineIds.push((await service.pipelines.createPipeline(wanted, owner)).id);
    }
    const run = () => startService('pipelines', service.env);
    workers = await Promise.all(Array.from({ length: WORKERS }, run));
    await Promise.all(
      Array.from({ length: PIPELINES * RUNS }, (_, count) =>
        service.runs.startRun({ pipelineId: pipelineIds[count % PIPELINES] ?? '' }, owner),
      ),
    );
    const overAmong = (found: readonly RunRow[]) => found.filter(({ status }) => status === 'Succeeded').length;
    const over = async () => overAmong(await runs());
    const all = PIPELINES * RUNS * STEPS;
    // Whichever process is killed, then, has a step in hand.
    const allWork = (found: readonly RunRow[]) => {
      const running = found.flatMap(({ steps }) => steps.filter(({ status }) => status === 'Running'));
      return new Set(running.map(({ worker }) => worker)).size === PROCESSES;
    };
    const someWereLost = async () => (await runs()).some(({ steps }) => steps.some(({ attempt }) => attempt > 1));
    for (let kills = 0; kills < KILLS; kills += 1) {
      const worker = workers[kills % WORKERS];
      const before = await over();
      if (before === all) break;
      /** It stands still while it is looked whether it has a step in hand, so that this step is lost. */
      const isTime = async () => {
        const found = await runs();
        if (overAmong(found) === all) return true;
        if (overAmong(found) <= before + MIN_PROGRESS || !allWork(found)) return false;
        worker?.freeze();
        if (allWork(await runs())) return true;
        worker?.thaw();
        return false;
      };
      await waitFor(isTime, { what: 'progress', interval: 20 });
      await worker?.kill();
      // Whatever has ended by now is owed: there is no moment at which a process could die in between.
      const ended = await owed();
      expect(await debits()).toEqual(expect.arrayContaining(ended));
      workers[kills % WORKERS] = await run();
    }
    await waitFor(async () => (await over()) === all, { what: 'the end of all runs', interval: 500 });
    const ended = await runs();
    expect(ended).toHaveLength(all);
    const outputs = ended.flatMap(({ steps }) => steps.flatMap((step) => step.outputs));
    expect(new Set(ended.map(({ steps }) => `${steps[1]?.status} ${steps[1]?.seconds}`))).toEqual(
      new Set(['Skipped 0']),
    );
    expect(new Set(outputs.map(({ datasetVersionId }) => datasetVersionId)).size).toBe(all);
    const versions = await service.pool.tenant(organisationId, (trx) =>
      trx('dataset_versions')
        .where({ organisation_id: organisationId })
        .whereNotNull('run_id')
        .select<{ run_id: string; step: string }[]>('run_id', 'step'),
    );
    expect(versions).toHaveLength(all);
    expect(new Set(versions.map((version) => `${version.run_id} ${version.step}`)).size).toBe(all);
    expect((await debits()).sort()).toEqual((await owed()).sort());
    // Some of them were lost with a process, or the test has shown nothing.
    expect(await someWereLost()).toBe(true);
  }, 900_000);
});
