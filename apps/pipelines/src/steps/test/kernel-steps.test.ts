import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { DomainError } from '@platform-backend/core';
import { openLibrary, type Library } from '@platform-backend/events/testing';
import { member, newOrganisation, refusalOf } from '@platform-backend/service/testing';
import { waitFor } from '@platform-backend/testing';
import { datasetClient } from '../../../test/dataset-client.ts';
import { kernelJobs } from '../../../test/kernel-jobs.ts';
import { keys, startTestPipelines, type TestPipelines } from '../../../test/test-pipelines.ts';

const CSV = 'region,amount\nnorth,10\nsouth,20\nwest,30\n';

const program = (query: string, config: object = {}) => ({
  name: 'program',
  config: { queryType: 'PYTHON', query, inputDatasets: ['Sales'], outputDatasets: ['made'], ...config },
});
const check = (query: string, config: object = {}) =>
  program(query, { jobType: 'CHECK', outputDatasets: [], ...config });

describe('steps that run in kernels', () => {
  let events: Library;
  let kernels: Awaited<ReturnType<typeof kernelJobs>>;
  let service: TestPipelines;
  const organisationId = newOrganisation();
  const owner = member(organisationId);

  beforeAll(async () => {
    events = await openLibrary();
    kernels = await kernelJobs(keys);
    service = await startTestPipelines({
      natsUrl: events.nats.url,
      environment: { NOTEBOOKS_ADDRESS: kernels.address },
    });
    await datasetClient(service).upload('Sales', CSV, owner);
  });
  afterAll(async () => {
    await service.stop();
    await kernels.close();
    await events.close();
  });

  const create = async (...steps: object[]) =>
    service.pipelines.createPipeline({ name: 'p', steps: steps as never }, owner);
  const start = (pipelineId: string) => service.runs.startRun({ pipelineId }, owner);
  async function ended(pipelineId: string, runId: string) {
    const isOver = async () => {
      const { status } = await service.runs.getRun({ pipelineId, runId }, owner);
      return ['Succeeded', 'Failed', 'Error', 'Cancelled'].includes(status ?? '');
    };
    await waitFor(isOver, { what: 'the end of a run' });
    const [{ steps }, { lines }] = await Promise.all([
      service.runs.listRunSteps({ pipelineId, runId }, owner),
      service.runs.listRunLogs({ pipelineId, runId }, owner),
    ]);
    return { steps, log: lines.map(({ text }) => text) };
  }
  async function run(...steps: object[]) {
    const { id: pipelineId } = await create(...steps);
    return ended(pipelineId, (await start(pipelineId)).id);
  }
  const rowsOf = async (query: string) => (await service.datasets.queryDatasets({ query }, owner)).rows;

  it('read what SQL made, and make what SQL reads, with a log line by line', async () => {
    const clean = {
      name: 'clean',
      config: {
        query: "SELECT * FROM sales WHERE region <> 'west'",
        inputDatasets: ['sales'],
        outputDatasets: ['clean'],
      },
    };
    const doubled = program('double()', {
      inputDatasets: ['Clean'],
      outputDatasets: ['doubled'],
      parameters: { factor: 3 },
    });
    const sums = {
      name: 'sums',
      config: {
        query: 'SELECT sum(amount)::INTEGER AS total FROM doubled',
        inputDatasets: ['doubled'],
        outputDatasets: ['sums'],
      },
    };
    const { steps, log } = await run(clean, doubled, sums);
    expect(steps.map(({ status, message }) => [status, message])).toEqual(Array(3).fill(['Succeeded', '']));
    expect(await rowsOf('SELECT * FROM sums')).toEqual([[90]]);
    expect(steps[1]).toMatchObject({ outputs: [{ name: 'doubled', rows: '2' }] });
    expect(log).toEqual(expect.arrayContaining(['read 2 rows', 'and red']));
    const [seen] = kernels.jobs.slice(-1);
    expect(seen).toMatchObject({
      organisationId,
      end: 'finished',
      start: { outputs: ['doubled'], timeLimitSeconds: 600, memoryLimitMb: 512, parameters: { factor: 3 } },
    });
    expect(seen?.inputs.get('clean')).toBe('{"region":"north","amount":10}\n{"region":"south","amount":20}\n');
  });

  it('run a notebook as it is, also when it has another name since its pipeline was published', async () => {
    const id = kernels.addNotebook('Double', 'double');
    const { id: pipelineId, currentVersion } = await create(program('Double', { queryType: 'NOTEBOOK' }));
    expect(currentVersion?.steps[0]?.config?.query).toBe(id);
    kernels.rename('Double', 'Twice');
    const { steps } = await ended(pipelineId, (await start(pipelineId)).id);
    expect(steps).toMatchObject([{ status: 'Succeeded', outputs: [{ rows: '3' }] }]);
    kernels.remove('Twice');
    const gone = await ended(pipelineId, (await start(pipelineId)).id);
    expect(gone.steps).toMatchObject([{ status: 'Failed', message: 'The notebook is not there' }]);
  });

  it('fail with what the program raised', async () => {
    const { steps, log } = await run(program('raises'));
    expect(steps[0]).toMatchObject({
      status: 'Failed',
      message: expect.stringMatching(/ZeroDivisionError: .* by zero$/),
    });
    expect(log).toContain('before');
  });

  it('fail with the end of what the program raised when it is long, of whole characters', async () => {
    const { steps } = await run(program('cries'));
    expect(steps[0]).toMatchObject({ status: 'Failed', message: `…${'😀'.repeat(999)}.` });
  });

  it('fail with what is wrong with their output: no rows, too many bytes, none where one has to be', async () => {
    const messageOf = async (query: string) => (await run(program(query))).steps[0]?.message;
    expect(await messageOf('values')).toMatch(/^What it wrote to made cannot be read as rows: /);
    expect(await messageOf('floods')).toBe('What it wrote to made is larger than 64 MiB as JSON lines');
    expect(await messageOf('nothing')).toBe('It wrote nothing to made: datasets.write("made", rows)');
    const unknown = program('empties', { outputDatasets: ['never made'] });
    expect((await run(unknown)).steps[0]?.message).toMatch(/^It wrote no rows to never made/);
  });

  it('keep the columns of a dataset of which there are no rows now', async () => {
    await run(program('double', { outputDatasets: ['kept'] }));
    const { steps } = await run(program('empties', { outputDatasets: ['Kept'] }));
    expect(steps).toMatchObject([{ status: 'Succeeded', outputs: [{ rows: '0' }] }]);
    expect(await rowsOf('SELECT count(region), count(amount) FROM kept')).toEqual([[0, 0]]);
  });

  it('are checks that fail with the rows they write', async () => {
    const failing = await run(check('double'));
    expect(failing.steps[0]).toMatchObject({
      status: 'Failed',
      message: '3 rows failed the check',
      failedRows: [
        { region: 'north', amount: 20 },
        { region: 'south', amount: 40 },
        { region: 'west', amount: 60 },
      ],
    });
    expect(kernels.jobs.at(-1)?.start.outputs).toEqual(['failed_rows']);
    for (const passing of ['nothing', 'empties']) {
      expect((await run(check(passing))).steps[0]).toMatchObject({ status: 'Succeeded', outputs: [] });
    }
  });

  it('fail when they take too long, and are given no input that is too large', async () => {
    expect((await run(program('sleeps', { timeLimitSeconds: 1 }))).steps[0]).toMatchObject({
      status: 'Failed',
      message: 'It took longer than 1 s',
    });
    const wide = {
      name: 'wide',
      config: {
        query: "SELECT repeat('x', 1000) AS text FROM range(80000)",
        jobType: 'INGEST',
        outputDatasets: ['wide'],
      },
    };
    const { steps } = await run(wide, program('double', { inputDatasets: ['wide'] }));
    expect(steps[1]?.message).toBe(
      'wide is larger than 64 MiB as JSON lines: filter or aggregate it by an SQL step first',
    );
  });

  it('end with their run, and so does the call', async () => {
    const { id: pipelineId } = await create(program('sleeps'));
    const { id: runId } = await start(pipelineId);
    const before = kernels.jobs.length;
    const job = await waitFor(() => kernels.jobs[before], { what: 'the job' });
    await service.runs.cancelRun({ pipelineId, runId }, owner);
    const { steps } = await ended(pipelineId, runId);
    expect(steps[0]?.message).toBe('The run was cancelled');
    await waitFor(() => job.end === 'left', { what: 'the end of the call' });
  });

  it('begin again with another kernel when theirs has died, and wait where the organisation has all it may have', async () => {
    const { steps } = await run(program('dies at first'));
    expect(steps).toMatchObject([{ status: 'Succeeded', attempts: 2 }]);
    const crowded = await run(program('crowded'));
    expect(crowded.steps).toMatchObject([{ status: 'Succeeded', attempts: 1 }]);
    expect(crowded.log).toContain('waits for a kernel: So many kernels run already');
  });

  it('leave their slot and say what they wait for where too many kernels were started, and go on afterwards', async () => {
    const { id: pipelineId } = await create(program('limited'));
    const { id: runId } = await start(pipelineId);
    const waits = async () => {
      const { status, runSteps } = await service.runs.getRun({ pipelineId, runId }, owner);
      expect(status).toMatch(/Pending|Running/);
      const [step] = runSteps;
      return step?.status === 'Pending' && step.message === 'Waits for a kernel: So many were started already';
    };
    await waitFor(waits, { what: 'a step that waits' });
    kernels.allowStarts();
    const { steps } = await ended(pipelineId, runId);
    expect(steps).toMatchObject([{ status: 'Succeeded', message: '', outputs: [{ rows: '3' }] }]);
    expect(Number(steps[0]?.attempts)).toBeGreaterThan(1);
  }, 120_000);

  const violations = (...steps: object[]): Promise<unknown> =>
    create(...steps).then(
      () => 'carried out',
      (error: unknown) =>
        error instanceof DomainError ? error.violations?.map(({ loc, msg }) => [loc.slice(2).join('.'), msg]) : error,
    );

  it('are refused where they are no Python, all of a version at once, beside what is wrong with its SQL', async () => {
    kernels.addNotebook('Broken', 'no Python');
    const wrong = program('no Python at all');
    const notebook = program('Broken', { queryType: 'NOTEBOOK', outputDatasets: ['b'] });
    const named = program('double', { outputDatasets: ['c'], parameters: { class: 1 } });
    const query = program('SELEC 1', { queryType: 'SQL', outputDatasets: ['d'] });
    const steps = [program('double', { outputDatasets: ['a'] }), wrong, notebook, named, query];
    const before = kernels.checks.length;
    expect(await violations(...steps.map((step, at) => ({ ...step, name: `step ${at}` })))).toEqual([
      ['4.config.query', expect.stringContaining('syntax error')],
      ['1.config.query', 'Value error, SyntaxError: invalid syntax (line 2, column 5)'],
      ['2.config.query', 'Value error, Cell 2: SyntaxError: invalid syntax (line 2, column 5)'],
      ['3.config.query', 'Value error, Parameters: no variable is called class'],
    ]);
    expect(kernels.checks.slice(before)).toMatchObject([{ organisationId, programs: { length: 4 } }]);
    const contextOf = async (step: object) =>
      ((await refusalOf(create(step))) as DomainError).violations?.map(({ ctx }) => ctx);
    expect(await contextOf(wrong)).toEqual([{ error: 'syntax', line: 2, column: 5 }]);
    expect(await contextOf(notebook)).toEqual([{ error: 'syntax', cell: 2, line: 2, column: 5 }]);
    // Of a version that has no program nobody is asked.
    await create(program('SELECT * FROM sales', { queryType: 'SQL' }));
    expect(kernels.checks).toHaveLength(before + 3);
  });

  it('are refused where they cannot be: unknown notebooks, variables of queries, SQL after them that is none', async () => {
    expect(await violations(program('Nowhere', { queryType: 'NOTEBOOK' }))).toEqual([
      ['0.config.query', 'Value error, there is no such notebook'],
    ]);
    expect(await violations(program('SELECT 1', { queryType: 'SQL', parameters: { n: 1 } }))).toEqual([
      ['0.config.parameters', expect.stringContaining('a step of type SQL has no parameters')],
    ]);
    const after = (query: string) => ({
      name: 'after',
      config: { query, inputDatasets: ['made by it'], outputDatasets: ['x'] },
    });
    const before = program('double', { outputDatasets: ['made by it'] });
    expect(await violations(before, after('SELEC 1'))).toEqual([
      ['1.config.query', expect.stringContaining('syntax error')],
    ]);
    expect(await violations(before, after('SELECT whatever FROM "made by it"'))).toBe('carried out');
  });

  describe('that are only tried', () => {
    const tried = async (steps: readonly object[], sampleRows = 100) =>
      (await service.pipelines.trySteps({ steps: steps as never, sampleRows }, owner)).steps;
    const after = (query: string) => ({
      name: 'after',
      config: { query, inputDatasets: ['tried'], outputDatasets: ['after it'] },
    });

    it('show what they make of samples, and steps after them go on with it, but nothing is kept', async () => {
      kernels.addNotebook('Tried', 'double');
      const before = (await service.datasets.listDatasets({}, owner)).datasets.length;
      const big = {
        name: 'big',
        config: { query: 'SELECT * FROM sales WHERE amount > 10', inputDatasets: ['sales'], outputDatasets: ['Big'] },
      };
      const first = program('double', {
        inputDatasets: ['big'],
        outputDatasets: ['Tried'],
        parameters: { factor: 10 },
      });
      const sums = after('SELECT count(*) AS n, sum(amount)::INTEGER AS total FROM tried');
      const second = {
        ...program('Tried', { queryType: 'NOTEBOOK', inputDatasets: ['After it', 'TRIED'], outputDatasets: ['last'] }),
        name: 'second',
      };
      const steps = await tried([second, sums, first, big], 2);
      expect(steps.map(({ name, status, message }) => [name, status, message])).toEqual(
        ['second', 'after', 'program', 'big'].map((name) => [name, 'Succeeded', '']),
      );
      expect(steps[2]).toMatchObject({
        columns: [
          { name: 'region', type: 'VARCHAR' },
          { name: 'amount', type: 'BIGINT' },
        ],
        rows: [{ region: 'south', amount: 200 }],
      });
      expect(steps[1]).toMatchObject({ columns: [{ name: 'n' }, { name: 'total' }], rows: [{ n: 1, total: 200 }] });
      const [one, other] = kernels.jobs.slice(-2);
      expect([one, other]).toMatchObject([{ end: 'finished' }, { end: 'finished' }]);
      expect([...(other?.inputs ?? [])]).toEqual([
        ['after it', '{"n":1,"total":200}\n'],
        ['Tried', '{"region":"south","amount":200}\n'],
      ]);
      expect((await service.datasets.listDatasets({}, owner)).datasets).toHaveLength(before);
    });

    it('say what they raise, what they lack, and which rows failed, as those that are SQL do', async () => {
      const made = { outputDatasets: ['tried'] };
      expect(await tried([program('raises', made), after('SELECT * FROM tried')])).toMatchObject([
        { status: 'Failed', message: expect.stringMatching(/ZeroDivisionError: .* by zero$/), rows: [] },
        { status: 'Omitted', rows: [] },
      ]);
      expect(await tried([program('double', made), after('SELECT nothing FROM tried')])).toMatchObject([
        { status: 'Succeeded' },
        { status: 'Failed', message: expect.stringContaining('nothing') },
      ]);
      expect(await tried([check('double')], 1)).toMatchObject([
        { status: 'Failed', message: '1 row failed the check', rows: [{ region: 'north', amount: 20 }] },
      ]);
      expect(await tried([check('nothing')])).toMatchObject([{ status: 'Succeeded', rows: [] }]);
      expect(await tried([program('nothing', made)])).toMatchObject([
        { status: 'Failed', message: 'It wrote nothing to tried: datasets.write("tried", rows)' },
      ]);
      expect(await tried([program('full', made)])).toMatchObject([
        { status: 'Error', message: 'There is no kernel for it now: So many kernels run already' },
      ]);
    });

    it('end before whoever waits gives up, and their kernel with them', async () => {
      const request = { steps: [program('sleeps', { outputDatasets: ['tried'] }), after('SELECT * FROM tried')] };
      const before = kernels.jobs.length;
      const { steps } = await service.pipelines.trySteps(request, { ...owner, timeoutMs: 10_000 });
      expect(steps).toMatchObject([
        { status: 'Failed', message: 'It takes longer than there is time for a dry run' },
        { status: 'Omitted' },
      ]);
      await waitFor(() => kernels.jobs[before]?.end === 'left', { what: 'the end of the call' });
    });
  });
});
