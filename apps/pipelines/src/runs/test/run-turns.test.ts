import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { openWorkQueue } from '@platform-backend/events';
import { quiet } from '@platform-backend/events/testing';
import { newOrganisation } from '@platform-backend/service/testing';
import { waitFor } from '@platform-backend/testing';
import { step } from '../../steps/domain/examples.ts';
import { isOver } from '../domain/run.ts';
import { runsUnderTest, type RunsUnderTest } from './runs-under-test.ts';

const LONG_STEP_MS = 60_000;

describe('runs of several organisations in a process that takes one step at a time', () => {
  let under: RunsUnderTest;
  beforeAll(async () => (under = await runsUnderTest()));
  afterAll(() => under.stop());

  it('take turns after each long step, and short steps follow one another', async () => {
    let now = Date.now();
    const [greedy, modest] = [newOrganisation(), newOrganisation()];
    const carriedOut: string[] = [];
    const [firstIsThere, goOn] = [Promise.withResolvers<unknown>(), Promise.withResolvers<unknown>()];
    const queue = openWorkQueue({ bus: under.events.bus, logger: quiet, service: 'pipelines', name: 'steps' });
    const orchestration = under.orchestration({
      ...{ queue, slots: 1, clock: { now: () => new Date(now) } },
      async executeStep({ at: { organisationId, stepIndex } }) {
        carriedOut.push(`${organisationId === greedy ? 'long' : 'short'} ${stepIndex}`);
        firstIsThere.resolve(undefined);
        await goOn.promise;
        if (organisationId === greedy) now += LONG_STEP_MS;
        return { outcome: 'SUCCEEDED', made: [], inputVersionIds: [], seconds: 0 };
      },
    });
    orchestration.work();
    const steps = [step('a', [], ['x']), step('b', ['x'], ['y']), step('c', ['y'], ['z'])];
    const { id } = await (await orchestration.runsOf(greedy, steps))();
    await firstIsThere.promise;
    await (
      await orchestration.runsOf(modest, steps)
    )();
    await waitFor(async () => (await queue.waiting()) > 0, { what: 'the step that waits' });
    goOn.resolve(undefined);
    await waitFor(
      async () => {
        const run = await orchestration.runs.find(greedy, id);
        return run && isOver(run);
      },
      { what: 'the end of the long run' },
    );
    expect(carriedOut).toEqual(['long 0', 'short 0', 'short 1', 'short 2', 'long 1', 'long 2']);
    expect(await queue.waiting()).toBe(0);
  });
});
