import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { newOrganisation } from '@platform-backend/service/testing';
import { waitFor } from '@platform-backend/testing';
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { step } from '../../steps/test/examples.ts';
import { nothingDone } from './orchestration-under-test.ts';
import { runsUnderTest, type RunsUnderTest } from './runs-under-test.ts';

describe('a process that is killed after it has gone on with the next step of a run', () => {
  let under: RunsUnderTest;
  beforeAll(async () => (under = await runsUnderTest()));
  afterAll(() => under.stop());

  it('has ended the one for good, and the other is carried out by another process', async () => {
    const organisationId = newOrganisation();
    const carriedOut: [stepIndex: number, attempt: number][] = [];
    const orchestration = under.orchestration({
      executeStep: ({ at: { stepIndex, attempt } }) => {
        carriedOut.push([stepIndex, attempt]);
        return Promise.resolve(nothingDone);
      },
    });
    const startRun = await orchestration.runsOf(organisationId, [
      ...[step('a', [], ['x']), step('b', ['x'], ['y']), step('c', ['y'], ['z'])],
    ]);
    const worker = fork(
      new URL('./hanging-worker.ts', import.meta.url),
      [under.service.database.appUrl, under.events.nats.url],
      {
        execArgv: [],
      },
    );
    const { id } = await startRun();
    const present = () => orchestration.runs.find(organisationId, id);
    const before = await waitFor(
      async () => {
        const run = await present();
        return run?.steps[1]?.status === 'Running' ? run : undefined;
      },
      { what: 'the second step' },
    );
    worker.kill('SIGKILL');
    await once(worker, 'exit');
    expect(before.steps[0]).toMatchObject({ status: 'Succeeded', attempt: 1 });
    // One change: there is no moment at which the first has ended and nobody has the second.
    expect(before.changes).toBe(3);

    orchestration.work();
    const after = await waitFor(
      async () => {
        await orchestration.keeping.sweep();
        const run = await present();
        return run?.status === 'Succeeded' ? run : undefined;
      },
      { what: 'the end of the run', interval: 500 },
    );
    expect(after.steps[0]).toEqual(before.steps[0]);
    expect(carriedOut).toEqual([
      [1, 2],
      [2, 1],
    ]);
    const told = await under.service.pool.tenant(organisationId, (trx) =>
      trx('outbox').where({ organisation_id: organisationId, subject: id }).orderBy('sequence').pluck<string[]>('type'),
    );
    const ended = 'platform.v1.pipelines.run.step_finished';
    expect(told).toEqual([
      'platform.v1.pipelines.run.started',
      ...[ended, ended, ended],
      'platform.v1.pipelines.run.finished',
    ]);
  }, 240_000);
});
