import { describe, expect, it } from '@jest/globals';
import { pipelinesContract } from '@platform-backend/contract-pipelines';
import { openLibrary } from '@platform-backend/events/testing';
import {
  member,
  migratedDatabase,
  newOrganisation,
  startCrashTestService,
  testEnvironment,
} from '@platform-backend/service/testing';
import { repetitions, runDirectory, waitFor } from '@platform-backend/testing';
import { mkdtempSync } from 'node:fs';
import { join } from 'node:path';
import { clientsOf, keys, objectsIn } from '../../../test/test-pipelines.ts';
import { service as declaration } from '../../service.ts';
import { child, OVER, sql } from './pipeline-driver.ts';

const owner = member(newOrganisation());

describe('child runs, and runs of backfills, of a service that is killed at random', () => {
  it('are one for each attempt or value, and lose neither end', async () => {
    const PARENTS = repetitions({ usual: 3, long: 60 });
    const events = await openLibrary();
    const postgres = await migratedDatabase(declaration);
    const env = {
      ...testEnvironment(declaration, postgres, keys),
      ...objectsIn(mkdtempSync(join(runDirectory(), 'objects-'))),
      ...{ NATS_URL: events.nats.url, PIPELINES_MICROS_PER_STEP_SECOND: '0' },
    };
    const crashing = await startCrashTestService({
      ...{ name: 'pipelines', contract: pipelinesContract, env, keys, maxAnswers: repetitions({ usual: 8, long: 12 }) },
      maxKills: repetitions({ usual: 1, long: 20 }),
    });
    try {
      const { pipelines, runs, backfills } = clientsOf(crashing.calling);
      const call = async <T>(make: () => Promise<T>): Promise<T> =>
        (await crashing.untilAnswered(make, ['unavailable'])) as T;
      const create = async (steps: readonly object[], more: object = {}) =>
        (
          await call(() =>
            pipelines.createPipeline({ name: 'p', steps: steps as never, maxConcurrentRuns: 100, ...more }, owner),
          )
        ).id;
      const other = await create([sql('a', 'SELECT 1 AS one', 'ones')]);
      const own = await create([
        child(other, { outputDatasets: ['ones'] }),
        sql('b', 'SELECT one FROM ones', 'twos', ['ones']),
      ]);
      const numbers = await create([sql('n', "SELECT getvariable('n') AS n", 'numbers')], {
        parameters: [{ name: 'n', type: 'INTEGER', required: true }],
      });
      const values = Array.from({ length: PARENTS }, (_, index) => index);
      const forEach = { parameter: 'n', values, concurrency: 2 };
      const several = await create([child(numbers, { outputDatasets: ['numbers'], forEach })]);
      const wanted = { pipelineId: numbers, parameter: 'n', values, maxConcurrentRuns: 2 };
      const key = crypto.randomUUID();
      const { id: backfillId } = await call(() => backfills.startBackfill({ ...wanted, idempotencyKey: key }, owner));
      const started: string[] = [];
      for (let at = 0; at < PARENTS; at += 1) {
        const idempotencyKey = crypto.randomUUID();
        started.push((await call(() => runs.startRun({ pipelineId: own, idempotencyKey }, owner))).id);
      }
      const forAll = { pipelineId: several, idempotencyKey: crypto.randomUUID() };
      const { id: severalRun } = await call(() => runs.startRun(forAll, owner));
      for (const { pipelineId, runId } of [
        ...started.map((runId) => ({ pipelineId: own, runId })),
        { pipelineId: several, runId: severalRun },
      ])
        await waitFor(
          async () => OVER.includes((await call(() => runs.getRun({ pipelineId, runId }, owner))).status ?? ''),
          { what: 'the end of a run' },
        );
      const backfill = () => call(() => backfills.getBackfill({ pipelineId: numbers, backfillId }, owner));
      await waitFor(async () => (await backfill()).status !== 'Running', { what: 'the end of the backfill' });
      expect(await backfill()).toMatchObject({
        ...{ status: 'Succeeded', message: '', totalRuns: PARENTS, startedRuns: PARENTS, succeededRuns: PARENTS },
      });
      expect(await crashing.spare()).toBeGreaterThan(0);
      const all = async (pipelineId: string) =>
        (await call(() => pipelines.listPipelineRuns({ pipelineId, limit: 200 }, owner))).runs;
      const ofNumbers = await all(numbers);
      for (const by of ['BACKFILL', 'PIPELINE']) {
        const ofValues = ofNumbers.flatMap(({ trigger, parameters }) =>
          trigger === by ? [Number(parameters['n'])] : [],
        );
        expect(ofValues.sort((a, b) => a - b)).toEqual(values);
      }
      expect((await all(several)).map(({ status }) => status)).toEqual(['Succeeded']);
      const [parents, children] = [await all(own), await all(other)];
      expect(parents.map(({ status }) => status)).toEqual(started.map(() => 'Succeeded'));
      expect(children.map(({ status }) => status)).toEqual(started.map(() => 'Succeeded'));
      expect(children.map(({ parentRun }) => parentRun?.runId).sort()).toEqual([...started].sort());
    } finally {
      await crashing.stop();
      await postgres.drop();
      await events.close();
    }
  }, 600_000);
});
