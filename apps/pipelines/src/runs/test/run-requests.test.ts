import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { conflict, newId, serviceActorContext, systemClock } from '@platform-backend/core';
import { quiet } from '@platform-backend/events/testing';
import { newOrganisation } from '@platform-backend/service/testing';
import type { PipelineOverlap } from '../../pipelines/domain/pipeline.ts';
import { step } from '../../steps/test/examples.ts';
import { startRequestedRuns } from '../app/start-requested-runs.ts';
import { REQUEST_ATTEMPTS, REQUEST_GIVE_UP_MS } from '../domain/limits.ts';
import { onPipelineDue, requestRunsOnNewData, runRequestsStore } from '../store/run-requests-store.ts';
import { runsUnderTest, type RunsUnderTest } from './runs-under-test.ts';

const MAX_OF_ORGANISATION = 1;

describe('what asks for runs', () => {
  let under: RunsUnderTest;
  let orchestration: ReturnType<RunsUnderTest['orchestration']>;
  let organisationId: string;
  beforeAll(async () => {
    under = await runsUnderTest();
    orchestration = under.orchestration({ maxOfOrganisation: MAX_OF_ORGANISATION });
  });
  beforeEach(() => {
    organisationId = newOrganisation();
  });
  afterAll(() => under.stop());

  const requests = () => runRequestsStore(under.service.pool);
  const by = () => serviceActorContext('pipelines', organisationId, newId());
  const start = () =>
    startRequestedRuns(
      { requests: requests(), app: orchestration.app, clock: systemClock, logger: quiet },
      new AbortController().signal,
    );
  const due = (pipelineId: string) =>
    under.service.pool.tenant(organisationId, (trx) =>
      onPipelineDue(trx, by(), { ownerId: pipelineId, dueAt: new Date() }),
    );
  const newData = (name: string, madeByRun: string | null = null) =>
    under.service.pool.tenant(organisationId, (trx) =>
      requestRunsOnNewData(trx, by(), { id: newId(), name, madeByRun }, { newId, at: new Date() }),
    );
  const rows = <Row extends object>(table: string) =>
    under.service.pool.tenant(organisationId, (trx) =>
      trx(table).where({ organisation_id: organisationId }).orderBy('id').select<Row[]>(),
    );
  const statuses = async () => (await rows<{ status: string }>('runs')).map(({ status }) => status);

  it.each<[PipelineOverlap, readonly string[]]>([
    ['SKIP', ['Pending']],
    ['BUFFER_ONE', ['Pending', 'Pending']],
    ['ALLOW', ['Pending', 'Pending', 'Pending', 'Pending']],
    ['CANCEL_OTHER', ['Cancelled', 'Cancelled', 'Cancelled', 'Pending']],
  ])('by a schedule is no more than its policy %s says, however often it is due', async (overlap, expected) => {
    const pipelineId = await orchestration.pipelineOf(organisationId, [step('a', [], ['x'])], { overlap });
    for (let time = 0; time < 4; time += 1) {
      await due(pipelineId);
      await start();
    }
    expect(await statuses()).toEqual(expected);
    expect(await rows('run_requests')).toEqual([]);
  });

  it('by a schedule ends no other run when it is not started itself', async () => {
    const pipelineId = await orchestration.pipelineOf(organisationId, [step('a', [], ['x'])], {
      overlap: 'CANCEL_OTHER',
    });
    await due(pipelineId);
    await start();
    await due(pipelineId);
    const app = { ...orchestration.app, start: () => Promise.reject(conflict('no_credits', 'there are no credits')) };
    const ports = { requests: requests(), app, clock: systemClock, logger: quiet };
    await startRequestedRuns(ports, new AbortController().signal);
    expect(await statuses()).toEqual(['Pending', 'Failed']);
  });

  it('by events is one run for all that comes before that one begins, and one more for what comes then', async () => {
    await orchestration.pipelineOf(organisationId, [step('a', ['fresh'], ['x'])], { runsOnNewData: true });
    for (let time = 0; time < 3; time += 1) await newData('fresh');
    expect(await rows('run_requests')).toHaveLength(1);
    // Whoever has begun with it may have read what was there already.
    const [taken] = await requests().take(new Date(), 10);
    await newData('fresh');
    expect(await rows('run_requests')).toHaveLength(2);
    if (taken) await requests().postpone(taken);
    expect(await rows('run_requests')).toHaveLength(1);
    await start();
    for (let time = 0; time < 3; time += 1) await newData('fresh');
    await start();
    // The first goes on, the second waits, and reads what is there by then.
    await newData('fresh');
    await start();
    expect(await statuses()).toEqual(['Pending', 'Pending']);
  });

  it('is not what a run of the pipeline itself has led to, through however many others', async () => {
    const onNewData = { runsOnNewData: true };
    const first = await orchestration.pipelineOf(organisationId, [step('a', ['x', 'z'], ['y'])], onNewData);
    const second = await orchestration.pipelineOf(organisationId, [step('b', ['y'], ['z'])], onNewData);
    const runOf = async (pipelineId: string) => {
      await start();
      return (await rows<{ id: string; pipeline_id: string }>('runs')).find((run) => run.pipeline_id === pipelineId)
        ?.id;
    };
    await newData('x');
    const firstRun = (await runOf(first)) ?? '';
    await newData('y', firstRun);
    const secondRun = (await runOf(second)) ?? '';
    await newData('z', secondRun);
    await start();
    expect(await rows('runs')).toMatchObject([
      { id: firstRun, event_chain: [] },
      { id: secondRun, event_chain: [first] },
    ]);
    // What somebody has uploaded is new to it.
    await newData('z');
    expect(await rows('run_requests')).toMatchObject([{ pipeline_id: first }]);
  });

  it('is taken organisation by organisation in turn', async () => {
    const many = await orchestration.pipelineOf(organisationId, [step('a', [], ['x'])], { overlap: 'ALLOW' });
    for (let time = 0; time < 5; time += 1) await due(many);
    const greedy = organisationId;
    organisationId = newOrganisation();
    await due(await orchestration.pipelineOf(organisationId, [step('a', [], ['x'])]));
    const both = [greedy, organisationId];
    const taken = (await requests().take(new Date(), 20)).map((request) => request.organisationId);
    expect(new Set(taken.filter((id) => both.includes(id)).slice(0, 2))).toEqual(new Set(both));
  });

  it('is tried for a day, and then has failed and says why', async () => {
    const pipelineId = await orchestration.pipelineOf(organisationId, [step('a', [], ['x'])]);
    await due(pipelineId);
    const app = { ...orchestration.app, start: () => Promise.reject(new Error('nobody is there')) };
    let now = Date.now();
    const clock = { now: () => new Date(now) };
    const tried = () =>
      startRequestedRuns({ requests: requests(), app, clock, logger: quiet }, new AbortController().signal);
    await tried();
    now += REQUEST_GIVE_UP_MS - 1000;
    await tried();
    expect(await rows('run_requests')).toMatchObject([{ attempts: 2 }]);
    // What was down for a day has not tried for a day.
    now += REQUEST_GIVE_UP_MS;
    await tried();
    expect(await rows('run_requests')).toMatchObject([{ attempts: 3 }]);
    for (let time = 3; time < REQUEST_ATTEMPTS; time += 1) {
      expect(await rows('run_requests')).toHaveLength(1);
      now += 300_000;
      await tried();
    }
    expect(await rows('run_requests')).toEqual([]);
    const message = 'It was not started: what it needs could not be reached, for a day';
    expect(await rows('runs')).toMatchObject([{ status: 'Failed', trigger: 'SCHEDULE', message }]);
  });

  it('leaves runs that are removed with their logs once they ended long ago, and no others', async () => {
    const pipelineId = await orchestration.pipelineOf(organisationId, [step('a', [], ['x'])], { maxConcurrentRuns: 2 });
    const ids = [newId(), newId(), newId()];
    for (const runId of ids) await orchestration.app.start(by(), { runId, pipelineId, trigger: 'API' });
    const [old = '', recent = ''] = ids;
    for (const runId of [old, recent]) await orchestration.app.cancel(by(), pipelineId, runId);
    await orchestration.runs.appendLog({ organisationId, runId: old, stepIndex: 0, attempt: 1 }, [
      { number: 0, at: new Date(), text: 'a line' },
    ]);
    let now = Date.now() + 364 * 86_400_000;
    const later = under.orchestration({ retentionDays: 365, clock: { now: () => new Date(now) } });
    await later.keeping.removeRuns(new AbortController().signal);
    expect(await rows('runs')).toHaveLength(3);
    now += 2 * 86_400_000;
    await later.keeping.removeRuns(new AbortController().signal);
    // What goes on is never old.
    expect(await rows('runs')).toMatchObject([{ id: ids[2] }]);
    expect(await rows('run_logs')).toEqual([]);
  });

  it('waits in any number, and the oldest of each pipeline are admitted as soon as there is room', async () => {
    const busy = await orchestration.pipelineOf(organisationId, [step('a', [], ['x'])], { maxConcurrentRuns: 1 });
    const other = await orchestration.pipelineOf(organisationId, [step('a', [], ['x'])], { maxConcurrentRuns: 1 });
    const runs: string[] = [];
    for (const pipelineId of [busy, busy, busy, other]) {
      const runId = newId();
      await orchestration.app.start(by(), { runId, pipelineId, trigger: 'API' });
      runs.push(runId);
    }
    const admitted = async () =>
      (await rows<{ id: string; admitted_at: Date | null; finished_at: Date | null }>('runs')).flatMap((run) =>
        run.admitted_at && !run.finished_at ? runs.indexOf(run.id) : [],
      );
    expect(await admitted()).toEqual([0]);
    const shown = async (pipelineId: string, index: number) =>
      await orchestration.app.get(organisationId, pipelineId, runs[index] ?? '');
    expect(await shown(busy, 0)).toMatchObject({ queuePosition: null, message: expect.stringContaining('first step') });
    expect(await shown(busy, 1)).toMatchObject({
      queuePosition: 1,
      message: expect.stringMatching(/^It waits: 1 .*pipeline/),
    });
    expect(await shown(other, 3)).toMatchObject({
      queuePosition: 3,
      message: expect.stringMatching(/^It waits: 1 .*organisation/),
    });
    await orchestration.app.cancel(by(), busy, runs[1] ?? '');
    await orchestration.app.cancel(by(), busy, runs[0] ?? '');
    expect(await admitted()).toEqual([2]);
    await orchestration.app.cancel(by(), busy, runs[2] ?? '');
    expect(await admitted()).toEqual([3]);
  });
});
