import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { creditLedger, type CreditLedger } from '@platform-backend/contract-billing/client/testing';
import type { DebitCreated } from '@platform-backend/contract-pipelines/events';
import { newId } from '@platform-backend/core';
import { openLibrary, type Library } from '@platform-backend/events/testing';
import { member, newOrganisation, publishedEvents } from '@platform-backend/service/testing';
import { waitFor } from '@platform-backend/testing';
import { setTimeout as delay } from 'node:timers/promises';
import { kernelJobs } from '../../../test/kernel-jobs.ts';
import { keys, startTestPipelines, type TestPipelines } from '../../../test/test-pipelines.ts';
import { step } from '../../steps/test/examples.ts';
import { noCredits } from './orchestration-under-test.ts';
import { runsUnderTest, type RunsUnderTest } from './runs-under-test.ts';

const MICROS = 1000;
const ENDLESS = 'SELECT count(*) AS n FROM range(100000000) a, range(100000000) b';

type Database = Pick<TestPipelines, 'database'>;

const debitsOf = async ({ database }: Database, organisationId: string): Promise<readonly DebitCreated[]> =>
  (await publishedEvents(database))
    .filter(({ type, organisationid }) => type.endsWith('.debit.created') && organisationid === organisationId)
    .map(({ data }) => data as unknown as DebitCreated);

describe('what runs have cost', () => {
  let events: Library;
  let billing: CreditLedger;
  let kernels: Awaited<ReturnType<typeof kernelJobs>>;
  let running: TestPipelines;
  beforeAll(async () => {
    [events, billing, kernels] = [await openLibrary(), await creditLedger(keys), await kernelJobs(keys)];
    running = await startTestPipelines({
      natsUrl: events.nats.url,
      environment: {
        BILLING_ADDRESS: billing.address,
        NOTEBOOKS_ADDRESS: kernels.address,
        PIPELINES_MICROS_PER_STEP_SECOND: String(MICROS),
      },
    });
  });
  afterAll(async () => {
    await running.stop();
    await billing.close();
    await kernels.close();
    await events.close();
  });

  const query = (text: string, config: object = {}) => ({
    name: 'query',
    config: { query: text, jobType: 'INGEST' as const, outputDatasets: ['made'], ...config },
  });
  const program = query('sleeps', { queryType: 'PYTHON' });

  /** A run of this step alone, for an organisation of its own. */
  async function started(config: ReturnType<typeof query>, settings: object = {}) {
    const clientGroupId = newId();
    const organisationId = newOrganisation();
    const { caller } = member(organisationId);
    const owner = { caller: { ...caller, clientGroupId } };
    const wanted = { name: 'p', steps: [config], ...settings };
    const { id: pipelineId } = await running.pipelines.createPipeline(wanted, owner);
    const before = performance.now();
    const { id: runId } = await running.runs.startRun({ pipelineId }, owner);
    const shown = () => running.runs.getRun({ pipelineId, runId }, owner);
    const isOver = async () => ['Succeeded', 'Failed', 'Error', 'Cancelled'].includes((await shown()).status ?? '');
    return {
      runId,
      clientGroupId,
      memberId: caller.userId,
      cancel: () => running.runs.cancelRun({ pipelineId, runId }, owner),
      runs: () => waitFor(async () => (await shown()).runSteps[0]?.status === 'Running', { what: 'a step that runs' }),
      /** When it is over: how it ended, how long all of it took, and what is owed. */
      async ended() {
        await waitFor(isOver, { what: 'the end of a run' });
        const wallMs = performance.now() - before;
        return {
          status: (await shown()).status,
          wallMs,
          debits: await debitsOf(running, organisationId),
        };
      },
    };
  }

  it.each([
    ['a query', query(ENDLESS)],
    ['a program', program],
  ])('is owed by the seconds that ran when somebody cancels %s', async (_, config) => {
    const run = await started(config);
    await run.runs();
    await delay(2_500);
    await run.cancel();
    const { status, wallMs, debits } = await run.ended();
    expect(status).toBe('Cancelled');
    const { runId, memberId, clientGroupId } = run;
    expect(debits).toMatchObject([
      {
        ...{ debit_id: runId, reservation_id: runId, work_id: runId, member_id: memberId },
        ...{ purpose: 'pipeline_run', credit_class: 'INFRASTRUCTURE' },
      },
    ]);
    const micros = Number(debits[0]?.amount_micros);
    expect(micros % MICROS).toBe(0);
    expect(micros).toBeGreaterThanOrEqual(2 * MICROS);
    expect(micros).toBeLessThanOrEqual(Math.ceil(wallMs / 1000) * MICROS);
    expect(billing.reserved.get(runId)).toMatchObject({ amountMicros: String(600 * MICROS), clientGroupId });
  });

  it('is owed when a run takes longer than it may', async () => {
    const { status, wallMs, debits } = await (await started(query(ENDLESS), { runTimeLimitSeconds: 2 })).ended();
    expect(status).toBe('Failed');
    const micros = Number(debits[0]?.amount_micros);
    expect(micros).toBeGreaterThanOrEqual(MICROS);
    expect(micros).toBeLessThanOrEqual(Math.ceil(wallMs / 1000) * MICROS);
  });

  it('is owed when a query takes longer than it may, or fails after a while, and never more than was set aside', async () => {
    const late = await (await started(query(ENDLESS, { timeLimitSeconds: 2 }))).ended();
    expect([late.status, late.debits.map((debit) => debit.amount_micros)]).toEqual(['Failed', [String(2 * MICROS)]]);
    const fails = "SELECT error('after ' || s) AS e FROM (SELECT sum(hash(range)) AS s FROM range(100000000))";
    const failed = await (await started(query(fails))).ended();
    expect(failed.status).toBe('Failed');
    expect(Number(failed.debits[0]?.amount_micros)).toBeGreaterThanOrEqual(MICROS);
  });

  it('is owed when billing is away at their end', async () => {
    const run = await started(query(ENDLESS));
    await run.runs();
    await billing.close();
    await delay(200);
    await run.cancel();
    expect((await run.ended()).debits).toHaveLength(1);
  });
});

describe('what is set aside for runs', () => {
  let under: RunsUnderTest;
  beforeAll(async () => (under = await runsUnderTest()));
  afterAll(() => under.stop());

  function orchestration() {
    const calls: string[] = [];
    const note = (what: string) => (_: unknown, ids: string | readonly string[]) =>
      Promise.resolve(void calls.push(`${what} ${[ids].flat().toSorted().join(' ')}`));
    const opened = under.orchestration({
      credits: { ...noCredits, extend: note('extend'), release: note('release') },
      microsPerStepSecond: 1n,
    });
    const extend = () => opened.keeping.extendReservations(new AbortController().signal);
    return { ...opened, calls, extend };
  }

  it('stays so while they go on, by whichever process, and is given back where nothing of them ran', async () => {
    const organisationId = newOrganisation();
    const { app, calls, extend, ...opened } = orchestration();
    const startRun = await opened.runsOf(organisationId, [step('a', [], ['x'])]);
    const [one, other] = [await startRun(), await startRun()];
    await orchestration().extend();
    await extend();
    const by = { organisationId, requestId: newId(), actor: one.startedBy };
    await app.cancel(by, one.pipelineId, one.id);
    await extend();
    expect(calls).toEqual([
      `extend ${[one.id, other.id].toSorted().join(' ')}`,
      `release ${one.id}`,
      `extend ${other.id}`,
    ]);
    await app.cancel(by, other.pipelineId, other.id);
    expect(await debitsOf(under.service, organisationId)).toEqual([]);
  });

  it('is nothing that the release before would still pay for once they are over', async () => {
    const organisationId = newOrganisation();
    const { app, ...opened } = orchestration();
    const run = await (await opened.runsOf(organisationId, [step('a', [], ['x'])]))();
    const state = () =>
      under.service.pool.tenant(organisationId, (trx) =>
        trx('runs').where({ organisation_id: organisationId }).pluck<string[]>('charge_state'),
      );
    expect(await state()).toEqual(['OPEN']);
    await app.cancel({ organisationId, requestId: newId(), actor: run.startedBy }, run.pipelineId, run.id);
    expect(await state()).toEqual(['SETTLED']);
  });
});
