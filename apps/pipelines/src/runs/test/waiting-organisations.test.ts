import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { newId, serviceActorContext, systemClock } from '@platform-backend/core';
import { newOrganisation } from '@platform-backend/service/testing';
import { step } from '../../steps/test/examples.ts';
import type { StartedRun } from '../app/runs.ts';
import { runSweepsStore } from '../store/run-sweeps-store.ts';
import { runsUnderTest, type RunsUnderTest } from './runs-under-test.ts';

describe('organisations whose runs wait to be admitted', () => {
  let under: RunsUnderTest;
  beforeAll(async () => (under = await runsUnderTest()));
  afterAll(() => under.stop());

  it('take turns where more wait than are looked at in one go, also when no run of theirs is admitted', async () => {
    const orchestration = under.orchestration({ maxOfOrganisation: 0 });
    const waiting = Array.from({ length: 5 }, newOrganisation);
    for (const organisationId of waiting) await (await orchestration.runsOf(organisationId, [step('a', [], ['x'])]))();
    const sweeps = runSweepsStore(under.service.pool, systemClock, 0);
    const looked: string[] = [];
    for (let round = 0; round < 5; round += 1) {
      const found = await sweeps.organisationsWaiting(2);
      expect(new Set(found).size).toBe(2);
      looked.push(...found);
    }
    expect(looked.sort()).toEqual(waiting.flatMap((id) => [id, id]).sort());
    expect((await sweeps.organisationsWaiting(10)).toSorted()).toEqual(waiting.sort());
  });

  it('are told by the steps that could be begun, the longest wait first, and no more of them than asked for', async () => {
    const orchestration = under.orchestration();
    const ofOneAndTwo = [step('a', [], ['x']), step('b', [], ['y']), step('c', ['x'], ['z'])];
    const [lately, lastHour, longAgo] = [0, 3_600, 7_200].map((seconds) => ({
      seconds,
      organisationId: newOrganisation(),
    }));
    for (const one of [lately, lastHour, longAgo]) {
      const { seconds = 0, organisationId = '' } = one ?? {};
      const start = await orchestration.runsOf(organisationId, ofOneAndTwo, 'DATASETS');
      await Promise.all([start(), start()]);
      const since = `now() - make_interval(secs => ${seconds})`;
      await under.service.pool.tenant(organisationId, (trx) =>
        trx('runs')
          .where({ organisation_id: organisationId })
          .update({ due_at: trx.raw(since) }),
      );
    }
    const sweeps = runSweepsStore(under.service.pool, systemClock, 100);
    const ready = await sweeps.readySteps(1_800, 10);
    expect(ready.map(({ organisationId, steps }) => [organisationId, steps])).toEqual([
      [longAgo?.organisationId, 4],
      [lastHour?.organisationId, 4],
    ]);
    expect(ready.map(({ oldestSeconds }) => Math.floor(oldestSeconds / 3_600))).toEqual([2, 1]);
    expect((await sweeps.readySteps(1_800, 1)).map(({ organisationId }) => organisationId)).toEqual([
      longAgo?.organisationId,
    ]);
  });

  it('have children of one pipeline admitted however many of another one wait', async () => {
    const organisationId = newOrganisation();
    const { app, sweeps, pipelineOf } = under.orchestration({ maxOfOrganisation: 0 });
    const by = serviceActorContext('pipelines', organisationId, newId());
    const start = async (pipelineId: string, more: Partial<StartedRun> = {}) =>
      (await app.start(by, { runId: newId(), pipelineId, trigger: 'API', ...more })).run;
    const [crowded, other, above] = await Promise.all(
      [1, 100, 100].map((maxConcurrentRuns) =>
        pipelineOf(organisationId, [step('a', [], ['x'])], { maxConcurrentRuns }),
      ),
    );
    const parent = {
      ...{ pipelineId: above as string, runId: (await start(above as string)).id, stepIndex: 0, attempt: 1 },
      above: [above as string],
    };
    // It is admitted at once and stays, and so the next one waits.
    await start(crowded as string, { parent });
    const { id } = await start(crowded as string, { parent });
    await under.service.pool.tenant(organisationId, (trx) =>
      trx.raw(
        `INSERT INTO runs SELECT (jsonb_populate_record(runs, jsonb_build_object('id', gen_random_uuid()))).*
         FROM runs, generate_series(1, 1000) WHERE id = ?`,
        [id],
      ),
    );
    const { id: behind, admittedAt } = await start(other as string, { parent });
    await sweeps.admit(organisationId);
    expect(admittedAt ?? (await app.get(organisationId, other as string, behind)).run.admittedAt).not.toBeNull();
  });
});
