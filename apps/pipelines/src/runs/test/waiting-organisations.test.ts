import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { systemClock } from '@platform-backend/core';
import { newOrganisation } from '@platform-backend/service/testing';
import { step } from '../../steps/domain/examples.ts';
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
});
