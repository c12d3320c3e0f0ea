import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { newId, systemClock, serviceActorContext } from '@platform-backend/core';
import { newOrganisation } from '@platform-backend/service/testing';
import { repetitions } from '@platform-backend/testing';
import { startTestPipelines, type TestPipelines } from '../../../test/test-pipelines.ts';
import { settings } from '../../pipelines/domain/examples.ts';
import { createPipeline } from '../../pipelines/domain/pipeline.ts';
import { pipelinesStore } from '../../pipelines/store/pipelines-store.ts';
import { step } from '../../steps/domain/examples.ts';
import { beginStep, cancelRun, enforceCancelling } from '../domain/change-run.ts';
import { newRun } from '../domain/new-run.ts';
import { isOver, type Run } from '../domain/run.ts';
import { runsStore } from '../store/runs-store.ts';

const RUNS = repetitions({ usual: 20, long: 1_000 });
const AT_ONCE = 50;

describe('cancelled runs', () => {
  let service: TestPipelines;
  const organisationId = newOrganisation();
  const by = serviceActorContext('pipelines', organisationId, newId());
  beforeAll(async () => {
    service = await startTestPipelines({ idle: true });
  });
  afterAll(() => service.stop());

  it('never turn out well, whatever is reported of them before, meanwhile and later', async () => {
    const { pool: database } = service;
    const clock = systemClock;
    const recordOutputs = () => Promise.resolve([]);
    const countScheduledRuns = () => Promise.resolve();
    const onChanged = () => undefined;
    const runs = runsStore({
      ...{ database, clock, recordOutputs, countScheduledRuns, onChanged, debitsOf: () => [] },
      maxOfOrganisation: RUNS,
    });
    const pipelines = pipelinesStore(database, () => Promise.resolve());
    const steps = [step('a', [], ['x']), step('b', [], ['y'])];
    const wanted = { id: newId(), stepIds: [newId(), newId()], stepOrder: 'DATASETS', steps } as const;
    const { published } = await pipelines.add(
      by,
      createPipeline(newId(), { ...settings, maxConcurrentRuns: RUNS }, wanted, clock.now()),
    );
    if (!published) throw new Error('nothing was published');

    const ended = { outcome: 'SUCCEEDED', made: [], inputVersionIds: [], seconds: 0 } as const;
    const stay = (run: Run) => ({ state: run, events: [], result: run });
    const finish = (runId: string, stepIndex: number) =>
      runs.finishStep(
        by,
        { at: { organisationId, runId, stepIndex, attempt: 1 }, end: ended, when: clock.now() },
        stay,
      );
    const cancel = (runId: string) => runs.change(by, runId, (run) => cancelRun(run, clock.now()));

    async function live(count: number): Promise<string> {
      const id = newId();
      const wanted = {
        id,
        name: id,
        trigger: 'API',
        engine: 'test',
        timeLimitSeconds: 3600,
        reservedMicros: 0n,
        eventChain: [],
        tags: [],
        notifies: false,
        clientGroupId: null,
        parent: null,
        parameters: {},
        backfillId: null,
      } as const;
      const decision = newRun(by, published as never, wanted, clock.now());
      await runs.add(by, decision);
      const begin = (stepIndex: number) =>
        runs.change(by, id, (run) => beginStep(run, stepIndex, { worker: newId(), at: clock.now() }));
      // Each in another order, and together.
      await Promise.all([begin(0), begin(1), ...(count % 3 === 0 ? [cancel(id)] : [])]);
      await Promise.all([
        finish(id, 0),
        ...(count % 3 === 1 ? [cancel(id)] : []),
        ...(count % 5 === 0 ? [runs.change(by, id, (run) => enforceCancelling(run, clock.now()))] : []),
      ]);
      await cancel(id);
      await Promise.all([finish(id, 1), finish(id, 0), cancel(id)]);
      return id;
    }
    const ids: string[] = [];
    for (let count = 0; count < RUNS; count += AT_ONCE) {
      ids.push(...(await Promise.all(Array.from({ length: AT_ONCE }, (_, index) => live(count + index)))));
    }
    const found = await Promise.all(ids.map((id) => runs.find(organisationId, id)));
    expect(new Set(found.map((run) => run?.status))).toEqual(new Set(['Cancelled']));

    // Nor by a statement past all of this.
    const turn = (trx: Parameters<Parameters<typeof database.tenant>[1]>[0]) =>
      trx('runs').where({ organisation_id: organisationId }).update({ status: 'Succeeded' });
    await expect(database.tenant(organisationId, turn)).rejects.toThrow('a run that is over stays as it ended');
    expect(found.every((run) => run && isOver(run))).toBe(true);
  }, 300_000);
});
