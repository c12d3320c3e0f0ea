import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { openLibrary, type Library } from '@platform-backend/events/testing';
import { member, newOrganisation, refusalOf } from '@platform-backend/service/testing';
import { waitFor } from '@platform-backend/testing';
import { languageModels } from '../../../test/language-models.ts';
import { keys, startTestPipelines, type TestPipelines } from '../../../test/test-pipelines.ts';
import { child, pipelineDriver, sql } from './pipeline-driver.ts';

const owner = member(newOrganisation());

describe('a step that starts a run of another pipeline', () => {
  let events: Library;
  let models: Awaited<ReturnType<typeof languageModels>>;
  let service: TestPipelines;
  let of: ReturnType<typeof pipelineDriver>;
  beforeAll(async () => {
    events = await openLibrary();
    models = await languageModels(keys);
    const environment = { CONTENT_ADDRESS: models.address, PIPELINES_CONCURRENT_RUNS: '1' };
    service = await startTestPipelines({ natsUrl: events.nats.url, environment });
    of = pipelineDriver(service, owner);
  });
  afterAll(async () => {
    await service.stop();
    await models.close();
    await events.close();
  });

  it('waits for it, and those after it read what that has made, also where the organisation has a place for one run alone', async () => {
    const other = await of.create([
      sql('a', 'SELECT 1 AS one', 'ones'),
      sql('b', 'SELECT one + 1 AS two FROM ones', 'twos', ['ones']),
    ]);
    const own = await of.create([
      child(other, { outputDatasets: ['twos', 'ones'] }),
      sql('sum', 'SELECT one + two AS three FROM ones, twos', 'threes', ['ones', 'twos']),
    ]);
    const { runId, run, steps } = await of.run(own);
    expect(run).toMatchObject({ status: 'Succeeded', message: '' });
    expect(await of.rows('SELECT three FROM threes')).toEqual([[3]]);
    const [found, ...others] = await of.runsOf(other);
    expect(others).toEqual([]);
    expect(found).toMatchObject({ trigger: 'PIPELINE', status: 'Succeeded', parentRun: { pipelineId: own, runId } });
    expect(steps[0]).toMatchObject({ childRun: { pipelineId: other, runId: found?.id }, attempts: 1 });
    expect(steps[0]?.outputs.map(({ name }) => name)).toEqual(['twos', 'ones']);
    // What has succeeded is kept, with the run that made it; from a step on it is another run.
    const again = await service.runs.retryRun({ pipelineId: own, runId, fromStep: 'sum' }, owner);
    expect((await of.ended(own, again.id)).run.status).toBe('Succeeded');
    expect(await of.runsOf(other)).toHaveLength(1);
    const whole = await service.runs.retryRun({ pipelineId: own, runId, fromStep: 'child' }, owner);
    expect((await of.ended(own, whole.id)).run.status).toBe('Succeeded');
    expect(await of.runsOf(other)).toHaveLength(2);
  });

  it('starts the version that is current then, or always the same, with other parameters', async () => {
    models.answers(({ prompt }) => ({ text: prompt }));
    const ask = (what: string) => ({
      name: 'ask',
      config: {
        ...{ queryType: 'LLM', query: `${what} {{parameters.who}}`, jobType: 'INGEST' },
        ...{ outputDatasets: ['asked'], parameters: { who: 'nobody' } },
      },
    });
    const other = await of.create([ask('Hello')]);
    const first = (await service.pipelines.getPipeline({ pipelineId: other }, owner)).currentVersion?.id ?? '';
    await of.publish(other, [ask('Goodbye')]);
    const own = await of.create([child(other, { outputDatasets: ['asked'], parameters: { who: 'Ada' } })]);
    await of.run(own);
    expect(await of.rows('SELECT answer FROM asked')).toEqual([['Goodbye Ada']]);
    await of.publish(own, [child(other, { pipelineVersionId: first })]);
    await of.run(own);
    expect(await of.rows('SELECT answer FROM asked')).toEqual([['Hello nobody']]);
  });

  it('has the parameters of its version, whoever starts it, and so has what is done again', async () => {
    models.answers(({ prompt }) => ({ text: prompt }));
    const made = sql(
      'a',
      "SELECT getvariable('day') AS day, getvariable('region') AS region, getvariable('n') + 1 AS n",
      'days',
    );
    const asks = {
      name: 'ask',
      config: {
        ...{ queryType: 'LLM', query: 'In {{parameters.region}}', jobType: 'INGEST', outputDatasets: ['asked'] },
      },
    };
    const parameters = [
      { name: 'day', type: 'DATE', required: true },
      { name: 'region', defaultValue: "nor'th" },
      { name: 'n', type: 'INTEGER', defaultValue: 1 },
    ];
    const other = await of.create([made, asks], { parameters });
    const refused = async (given: object) => {
      const { violations = [] } = (await refusalOf(
        service.runs.startRun({ pipelineId: other, parameters: given } as never, owner),
      )) as { violations?: readonly { loc: readonly unknown[]; msg: string }[] };
      return violations.map(({ loc, msg }) => `${loc.slice(1).join('.')}: ${msg}`);
    };
    expect(await refused({})).toEqual(['parameters.day: Value error, it is required']);
    expect(await refused({ day: '2026-02-30', n: 'x', who: 1 })).toEqual([
      'parameters.day: Value error, it is a date such as 2026-07-01',
      'parameters.n: Value error, it is a whole number of up to 2^53 - 1',
      'parameters.who: Value error, the version has no such parameter: day, region, n',
    ]);
    const given = { day: '2026-07-01', n: 4 };
    const { id } = await service.runs.startRun({ pipelineId: other, parameters: given }, owner);
    const { run } = await of.ended(other, id);
    expect(run).toMatchObject({ status: 'Succeeded', message: '', parameters: { ...given, region: "nor'th" } });
    const rows = () => of.rows('SELECT typeof(day), day, region, n FROM days');
    expect(await rows()).toEqual([['DATE', '2026-07-01', "nor'th", 5]]);
    expect(await of.rows('SELECT answer FROM asked')).toEqual([["In nor'th"]]);
    const again = await service.runs.retryRun({ pipelineId: other, runId: id, fromStep: 'a' }, owner);
    expect((await of.ended(other, again.id)).run).toMatchObject({ status: 'Succeeded', parameters: run.parameters });
    // A step hands its own on, of the same name.
    const starts = child(other, { outputDatasets: ['days'], parameters: { day: null, region: 'west' } });
    const own = await of.create([starts], { parameters: [{ name: 'day', type: 'DATE', defaultValue: '2026-07-02' }] });
    expect((await of.run(own)).run).toMatchObject({ status: 'Succeeded', parameters: { day: '2026-07-02' } });
    expect(await rows()).toEqual([['DATE', '2026-07-02', 'west', 2]]);
    const violations = async (call: Promise<unknown>) =>
      ((await refusalOf(call)) as { violations?: readonly { msg: string }[] }).violations?.map(({ msg }) => msg);
    expect(await violations(of.create([child(other)]))).toEqual(['Value error, the pipeline requires it']);
    const unknown = of.create([sql('a', "SELECT getvariable('nothing') AS one", 'ones')]);
    expect(await violations(unknown)).toEqual(['Value error, there is no parameter nothing']);
    const wrong = service.pipelines.updatePipeline(
      { pipelineId: other, scheduleParameters: { n: 'x' }, updateMask: { paths: ['schedule_parameters'] } },
      owner,
    );
    expect(await violations(wrong)).toEqual(['Value error, it is a whole number of up to 2^53 - 1']);
  });

  it('is skipped with its condition, and so are queries, and what follows reads what was there before', async () => {
    const other = await of.create([sql('a', 'SELECT 1 AS one', 'inner')]);
    const when = (subject: string, name: string, value: unknown, operator = 'EQUALS') => [
      { all: [{ subject, name, operator, value }] },
    ];
    const given = (one: { name: string; config: object }, condition: object) => ({
      ...one,
      config: { ...one.config, when: condition },
    });
    const parameters = [{ name: 'n', type: 'INTEGER', defaultValue: 1, required: false, description: '' }];
    const steps = [
      given(child(other), when('PARAMETER', 'n', 1)),
      given(sql('made', "SELECT getvariable('n') AS n", 'made'), when('PARAMETER', 'n', 2, 'LESS_THAN')),
      given(sql('read', 'SELECT n FROM made', 'read', ['made']), when('ROW_COUNT', 'MADE', 0, 'GREATER_THAN')),
      given(sql('instead', 'SELECT 0 AS n', 'instead'), when('STEP_STATUS', 'made', 'Skipped')),
    ];
    const own = await of.create(steps, { parameters });
    const { steps: first } = await of.run(own);
    expect(first.map(({ status }) => status)).toEqual(['Succeeded', 'Succeeded', 'Succeeded', 'Skipped']);
    const started = await service.runs.startRun({ pipelineId: own, parameters: { n: 2 } }, owner);
    const { run, steps: second } = await of.ended(own, started.id);
    expect(run).toMatchObject({ status: 'Succeeded', message: '' });
    expect(second).toMatchObject([
      { status: 'Skipped', childRun: null, message: 'Its condition does not hold: n is 2' },
      { status: 'Skipped', outputs: [], attempts: 1 },
      { status: 'Succeeded', inputVersionIds: first[2]?.inputVersionIds },
      { status: 'Succeeded' },
    ]);
    expect(await of.runsOf(other)).toHaveLength(1);
    expect(await of.rows('SELECT n FROM read')).toEqual([[1]]);
    const wrong = of.create([given(sql('a', 'SELECT 1 AS n', 'x'), when('PARAMETER', 'm', 1))], { parameters });
    expect(await refusalOf(wrong)).toMatchObject({
      kind: 'invalid',
      violations: [{ loc: ['body', 'steps', 0, 'config', 'when', 0, 'all', 0, 'name'] }],
    });
  });

  it('may start one for each of several values, whose rows come together', async () => {
    const region = sql('a', "SELECT getvariable('region') AS region", 'regions');
    const adds = { ...region, config: { ...region.config, outputMode: 'APPEND' } };
    const other = await of.create([adds], { parameters: [{ name: 'region', required: true }], maxConcurrentRuns: 3 });
    const forEach = { parameter: 'region', values: ['north', 'south', 'west'], concurrency: 2 };
    const own = await of.create([
      child(other, { outputDatasets: ['regions'], forEach }),
      sql('count', 'SELECT count(*) AS n FROM regions', 'counted', ['regions']),
    ]);
    const { runId, run, steps } = await of.run(own);
    expect(run).toMatchObject({ status: 'Succeeded', message: '' });
    expect(await of.rows('SELECT n FROM counted')).toEqual([[3]]);
    expect(steps[0]).toMatchObject({ childRun: null, outputs: [{ name: 'regions', rows: '3' }] });
    const told = steps[0]?.childRuns.map(({ value, run: started, status }) => [value, started?.pipelineId, status]);
    expect(told).toEqual(forEach.values.map((value) => [value, other, 'Succeeded']));
    const found = await of.runsOf(other);
    expect(found.map(({ id }) => id).sort()).toEqual(steps[0]?.childRuns.map((one) => one.run?.runId).sort());
    expect(found.map(({ parentRun }) => parentRun?.runId)).toEqual([runId, runId, runId]);
    const violations = async (config: object) =>
      (
        (await refusalOf(of.create([child(other, config)]))) as { violations?: readonly { loc: readonly unknown[] }[] }
      ).violations?.map(({ loc }) => loc.slice(4).join('.'));
    expect(await violations({ forEach: { ...forEach, values: ['north', 1] } })).toEqual(['for_each.values.1']);
    expect(await violations({ forEach: { ...forEach, values: ['a', 'a'] } })).toEqual(['for_each.values.1']);
    expect(await violations({ forEach: { ...forEach, parameter: 'x' } })).toEqual([
      ...['for_each.parameter', 'parameters.region'],
    ]);
  });

  it('may be one of many that a backfill starts, a few at a time and each once, until somebody cancels it', async () => {
    const made = sql('d', "SELECT getvariable('day') AS day", 'day of run');
    const pipelineId = await of.create([made], { parameters: [{ name: 'day', type: 'DATE', required: true }] });
    const { backfills } = service;
    const wanted = {
      pipelineId,
      parameter: 'day',
      range: { first: '2026-07-01', last: '2026-07-03' },
      maxConcurrentRuns: 2,
    };
    const key = { idempotencyKey: crypto.randomUUID() };
    const started = await backfills.startBackfill({ ...wanted, ...key }, owner);
    expect(started).toMatchObject({
      status: 'Running',
      totalRuns: 3,
      values: ['2026-07-01', '2026-07-02', '2026-07-03'],
    });
    expect((await backfills.startBackfill({ ...wanted, ...key }, owner)).id).toBe(started.id);
    const get = (backfillId: string) => backfills.getBackfill({ pipelineId, backfillId }, owner);
    await waitFor(async () => (await get(started.id)).status === 'Succeeded', { what: 'its end' });
    expect(await get(started.id)).toMatchObject({ succeededRuns: 3, startedRuns: 3, failedRuns: 0, message: '' });
    const { runs } = await service.pipelines.listPipelineRuns({ pipelineId, backfillId: started.id }, owner);
    expect(runs.map(({ trigger, parameters }) => [trigger, parameters['day']]).sort()).toEqual([
      ...['2026-07-01', '2026-07-02', '2026-07-03'].map((day) => ['BACKFILL', day]),
    ]);
    models.answers(
      (_, signal) =>
        new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(signal.reason as Error))),
    );
    const slow = { queryType: 'LLM', query: '{{parameters.n}}', jobType: 'INGEST', outputDatasets: ['asked'] };
    const parameters = [{ name: 'n', type: 'INTEGER' }];
    const waiting = await of.create([{ name: 'ask', config: slow }], { parameters });
    const endless = await backfills.startBackfill({ pipelineId: waiting, parameter: 'n', values: [1, 2, 3] }, owner);
    const ref = { pipelineId: waiting, backfillId: endless.id };
    const first = async () => (await backfills.getBackfill(ref, owner)).startedRuns === 1;
    await waitFor(first, { what: 'its first run' });
    expect(await backfills.cancelBackfill(ref, owner)).toMatchObject({ status: 'Cancelled', startedRuns: 1 });
    await waitFor(async () => (await of.runsOf(waiting))[0]?.status === 'Cancelled', { what: 'the end of its run' });
    expect(await backfills.cancelBackfill(ref, owner)).toMatchObject({ status: 'Cancelled', cancelledRuns: 1 });
    const { backfills: listed } = await backfills.listBackfills({ pipelineId: waiting, status: ['Cancelled'] }, owner);
    expect(listed).toMatchObject([{ id: endless.id, totalRuns: 3, values: [] }]);
    const stranger = member(newOrganisation());
    expect(await refusalOf(backfills.getBackfill(ref, stranger))).toMatchObject({ kind: 'not_found' });
    const twice = backfills.startBackfill({ pipelineId: waiting, parameter: 'n', values: [1, 1] }, owner);
    expect(await refusalOf(twice)).toMatchObject({ violations: [{ loc: ['body', 'values', 1] }] });
  });

  it('fails with it, and starts another one by its retry policy', async () => {
    const other = await of.create([sql('a', "SELECT CAST('x' AS INT) AS one", 'never')]);
    const retryPolicy = { maximumAttempts: 2, initialIntervalSeconds: 1 };
    const own = await of.create([child(other, { outputDatasets: ['never'], retryPolicy })]);
    const { steps, run } = await of.run(own);
    expect(run.status).toBe('Failed');
    expect(steps).toMatchObject([{ status: 'Failed', errorCode: 'run_failed', attempts: 2 }]);
    const failed = await of.runsOf(other);
    expect(failed.map(({ status }) => status)).toEqual(['Failed', 'Failed']);
    expect(steps[0]?.message).toContain(`ended as Failed: a: `);
    expect(failed.map(({ id }) => id)).toContain(steps[0]?.childRun?.runId);
  });

  it('ends it when its own run is cancelled, or when it takes longer than it may', async () => {
    models.answers(
      (_, signal) =>
        new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(signal.reason as Error))),
    );
    const slow = { queryType: 'LLM', query: 'For ever', jobType: 'INGEST', outputDatasets: ['asked'] };
    const innermost = await of.create([{ name: 'ask', config: slow }]);
    const middle = await of.create([child(innermost)]);
    const own = await of.create([child(middle)]);
    const runId = await of.start(own);
    await waitFor(async () => (await of.runsOf(innermost))[0]?.status === 'Running', { what: 'the innermost run' });
    await service.runs.cancelRun({ pipelineId: own, runId }, owner);
    expect((await of.ended(own, runId)).run.status).toBe('Cancelled');
    await waitFor(
      async () =>
        (await Promise.all([middle, innermost].map(async (id) => (await of.runsOf(id))[0]?.status))).join() ===
        'Cancelled,Cancelled',
      { what: 'the end of both' },
    );
    const short = await of.create([child(innermost, { timeLimitSeconds: 1 })]);
    expect((await of.run(short)).steps).toMatchObject([{ status: 'Failed', errorCode: 'timed_out' }]);
    await waitFor(async () => (await of.runsOf(innermost)).every(({ status }) => status === 'Cancelled'), {
      what: 'its end',
    });
  }, 120_000);

  it('is refused where it leads back, too deep, to nothing, or to what makes no such dataset', async () => {
    const refused = async (pipelineId: string, config: object, of = '') => {
      const steps = [child(pipelineId, config)] as never;
      const call =
        of === ''
          ? service.pipelines.createPipeline({ name: 'p', steps }, owner)
          : service.pipelines.publishPipelineVersion({ pipelineId: of, steps }, owner);
      const { violations = [] } = (await refusalOf(call)) as unknown as {
        violations?: { loc: unknown[]; msg: string }[];
      };
      return violations.map(({ loc, msg }) => `${loc.slice(3).join('.')}: ${msg.replace('Value error, ', '')}`);
    };
    const first = await of.create([sql('a', 'SELECT 1 AS one', 'ones')]);
    expect(await refused(first, { outputDatasets: ['others'] })).toEqual([
      'config.output_datasets.0: the pipeline makes no such dataset',
    ]);
    expect(await refused(first, { parameters: { who: 1 } })).toEqual([
      'config.parameters.who: no step of the pipeline has this parameter',
    ]);
    expect(await refused(first, {}, first)).toEqual(['config.query: the pipelines start each other in a circle']);
    expect(await refused(crypto.randomUUID(), {})).toEqual(['config.query: there is no such pipeline']);
    const chain = [first];
    for (let depth = 1; depth < 5; depth += 1) chain.push(await of.create([child(chain.at(-1) ?? '')]));
    expect(await refused(chain[2] ?? '', {}, first)).toEqual([
      'config.query: the pipelines start each other in a circle',
    ]);
    expect(await refused(chain.at(-1) ?? '', {})).toEqual([
      'config.query: more than 5 pipelines would start each other',
    ]);
    const stranger = member(newOrganisation());
    const foreign = service.pipelines.createPipeline({ name: 'p', steps: [child(first)] as never }, stranger);
    expect(await refusalOf(foreign)).toMatchObject({
      kind: 'invalid',
      violations: [{ msg: 'Value error, there is no such pipeline' }],
    });
  });

  it('fails where a circle has come to be meanwhile', async () => {
    const one = await of.create([sql('a', 'SELECT 1 AS one', 'ones')]);
    const other = await of.create([child(one)]);
    // As two that publish at the same moment might.
    await service.pool.tenant(owner.caller.organisationId ?? '', async (trx) => {
      const id = crypto.randomUUID();
      await trx.raw(
        `INSERT INTO pipeline_versions (id, organisation_id, pipeline_id, number, step_order, steps, created_at)
         SELECT ?, organisation_id, ?, 99, step_order, jsonb_set(steps, '{0,config,query}', to_jsonb(?::text)), created_at
         FROM pipeline_versions WHERE pipeline_id = ?`,
        [id, one, other, other],
      );
      await trx('pipelines').where({ id: one }).update({ current_version_id: id });
    });
    expect((await of.run(one)).steps).toMatchObject([{ status: 'Failed', errorCode: 'run_failed' }]);
    const [run] = await of.runsOf(other);
    expect(await of.stepsOf(other, run?.id ?? '')).toMatchObject([{ status: 'Failed', errorCode: 'pipeline_cycle' }]);
    expect(await of.runsOf(one)).toHaveLength(1);
  });
});
