import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { newId, serviceActorContext, unavailable } from '@platform-backend/core';
import type { WorkMessage } from '@platform-backend/events';
import { newOrganisation } from '@platform-backend/service/testing';
import { waitFor } from '@platform-backend/testing';
import { datasetNotFound } from '../../datasets/domain/errors.ts';
import { step } from '../../steps/test/examples.ts';
import { beginStep, cancelRun, loseWorkers } from '../domain/change-run.ts';
import { isOver } from '../domain/run.ts';
import { nothingDone } from './orchestration-under-test.ts';
import { runsUnderTest, type RunsUnderTest } from './runs-under-test.ts';

const HOUR_MS = 3_600_000;

describe('a process that carries steps out', () => {
  let under: RunsUnderTest;
  beforeAll(async () => (under = await runsUnderTest()));
  afterEach(() => under.stopWork());
  afterAll(() => under.stop());

  const leases = () =>
    under.service.pool.system({ 'app.sweep': 'runs' }, (trx) =>
      trx('run_workers').select<{ id: string; is_over: boolean }[]>('id', trx.raw('lease_until <= now() AS is_over')),
    );

  /** A worker whose queue brings nothing, with a run of one step; `worker` is its name. */
  async function workerWithRun(options: Parameters<RunsUnderTest['orchestration']>[0] = {}) {
    const offered: string[] = [];
    const queue = {
      offer: (messages: readonly WorkMessage[]) => Promise.resolve(void offered.push(...messages.map(({ id }) => id))),
      waiting: () => Promise.resolve(0),
      take: () => ({ stop: () => Promise.resolve() }),
    };
    const organisationId = newOrganisation();
    const worker = newId();
    const orchestration = under.orchestration({ queue, worker, ...options });
    orchestration.work();
    await waitFor(async () => (await leases()).some(({ id }) => id === worker), { what: 'its lease' });
    const { id } = await (await orchestration.runsOf(organisationId, [step('a', [], ['x'])]))();
    const by = serviceActorContext('pipelines', organisationId, newId());
    const found = async () => (await orchestration.runs.find(organisationId, id))?.steps[0];
    return { orchestration, worker, id, by, offered, found };
  }

  it('gives back what is recorded as its own and never came to it, which is held against nobody', async () => {
    const { orchestration, by, id, worker, found, offered } = await workerWithRun();
    await orchestration.runs.change(by, id, (run) => beginStep(run, 0, { worker, at: new Date() }));
    await waitFor(async () => (await found())?.status === 'Pending', {
      what: 'the step that is given back',
    });
    expect(await found()).toMatchObject({ attempt: 1, losses: 0, worker: null });
    await waitFor(() => offered.includes(`${id}-0-1`), { what: 'its offer' });
  });

  it('stops what was taken away from it', async () => {
    const stopped = Promise.withResolvers<unknown>();
    const begun = Promise.withResolvers<unknown>();
    const orchestration = under.orchestration({
      executeStep: (_, { signal }) =>
        new Promise((resolve, reject) => {
          begun.resolve(undefined);
          signal.addEventListener('abort', () => {
            stopped.resolve(undefined);
            reject(new Error('it is stopped'));
          });
        }),
    });
    orchestration.work();
    const organisationId = newOrganisation();
    const { id } = await (await orchestration.runsOf(organisationId, [step('a', [], ['x'])]))();
    await begun.promise;
    const by = serviceActorContext('pipelines', organisationId, newId());
    await orchestration.runs.change(by, id, (run) => loseWorkers(run, () => true, new Date()));
    await stopped.promise;
    expect((await orchestration.runs.find(organisationId, id))?.steps[0]).toMatchObject({ losses: 1 });
    await orchestration.runs.change(by, id, (run) => cancelRun(run, new Date()));
  });

  it('is not waited for when nothing is heard of a step long after its limit', async () => {
    const { orchestration, by, id, worker, found } = await workerWithRun();
    const at = new Date(Date.now() - HOUR_MS);
    await orchestration.runs.change(by, id, (run) => beginStep(run, 0, { worker, at }));
    await orchestration.keeping.sweep();
    expect(await found()).toMatchObject({
      ...{ status: 'Pending', losses: 1, worker: null },
      message: 'It took longer than it may, and nothing was heard of it',
    });
  });

  it('has a lease by the clock of the database, whatever its own says', async () => {
    const clock = { now: () => new Date(Date.now() - HOUR_MS) };
    const { worker } = await workerWithRun({ clock });
    expect((await leases()).find(({ id }) => id === worker)).toMatchObject({ is_over: false });
  });

  it('takes nothing from others after a time in which nobody could renew a lease', async () => {
    const { orchestration, by, id, found } = await workerWithRun();
    await orchestration.runs.change(by, id, (run) => beginStep(run, 0, { worker: newId(), at: new Date() }));
    await orchestration.keeping.sweep();
    expect(await found()).toMatchObject({ status: 'Running', attempt: 1 });
  });

  it('records the end of a step once the database is there again, however long that takes', async () => {
    let failures = 0;
    const { found, run } = await ended({
      executeStep: () => Promise.resolve({ ...nothingDone, made: [made] }),
      recordOutputs: () => {
        failures += 1;
        if (failures <= 7) throw unavailable(new Error('it is away'));
        return Promise.resolve([output]);
      },
    });
    expect(run.status).toBe('Succeeded');
    expect(found).toMatchObject({ attempt: 1, outputs: [output] });
    expect(failures).toBeGreaterThanOrEqual(8);
  }, 60_000);

  it('ends a step whose output has no dataset any more', async () => {
    const { run } = await ended({
      executeStep: () => Promise.resolve({ ...nothingDone, made: [made], seconds: 2 }),
      recordOutputs: () => Promise.reject(datasetNotFound()),
    });
    expect(run).toMatchObject({
      status: 'Failed',
      message: 'a: Dataset not found',
      steps: [{ attempt: 1, seconds: 2 }],
    });
  });

  it('tries a step three times whose end is refused for no known reason', async () => {
    const { run } = await ended({
      executeStep: () => Promise.resolve({ ...nothingDone, made: [made] }),
      recordOutputs: () => Promise.reject(new Error('nobody knows why')),
    });
    expect(run).toMatchObject({ status: 'Error', message: 'a: Its end could not be recorded', steps: [{ losses: 3 }] });
  }, 60_000);

  const made = {
    dataset: 'x',
    versionId: newId(),
    objectKey: 'key',
    checksum: '',
    columns: [],
    rows: 1,
    bytes: 1,
    statistics: [] as const,
  };
  const output = { name: 'x', datasetId: newId(), datasetVersionId: newId(), objectKey: 'key', rows: 1, bytes: 1 };

  /** A run of one step, when it is over. */
  async function ended(options: Parameters<RunsUnderTest['orchestration']>[0]) {
    const orchestration = under.orchestration(options);
    orchestration.work();
    const organisationId = newOrganisation();
    const { id } = await (await orchestration.runsOf(organisationId, [step('a', [], ['x'])]))();
    const run = await waitFor(
      async () => {
        const present = await orchestration.runs.find(organisationId, id);
        return present && isOver(present) ? present : undefined;
      },
      { what: 'the end of the run' },
    );
    return { run, found: run.steps[0] };
  }
});
