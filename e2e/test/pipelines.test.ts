import { beforeAll, describe, expect, it } from '@jest/globals';
import { waitFor } from '@platform-backend/testing';
import { itWhere } from '@platform-backend/testing/where';
import { randomUUID } from 'node:crypto';
import { uploadDataset } from '../src/datasets.ts';
import { kernelsForOneLack } from '../src/kernels-here.ts';
import { linesAbout } from '../src/logs.ts';
import { accessToken, expectOk, join, newOrganisation, newPerson, type Person } from '../src/people.ts';
import { sharedPlatform } from '../src/platform.ts';
import type { CreditBalance } from '../src/resources.ts';
import { serverSentEvents } from '../src/server-sent-events.ts';

const platform = sharedPlatform();
const lack = await kernelsForOneLack();

type Run = { id: string; status: string; workflow_manifest: { kind: string }; run_steps: { status: string }[] };
type ScheduledRun = Run & { trigger: string; workflow_metadata: { steps: { seconds: number }[] } };
type RunStep = { name: string; failed_rows: object[]; outputs: { dataset_id: string }[] };

/** Unless it is set otherwise. */
const MICROS_PER_STEP_SECOND = 1000;

const ORDERS = ['id,region,amount', '1,north,120.5', '2,south,80', '3,north,42.25', '4,west,'].join('\n');

const clean = {
  name: 'clean',
  config: {
    query: 'SELECT * FROM orders WHERE amount IS NOT NULL',
    input_datasets: ['orders'],
    output_datasets: ['clean orders'],
  },
};
const check = (query: string) => ({
  name: 'check',
  config: { job_type: 'CHECK', query, input_datasets: ['clean orders'] },
});
const sums = {
  name: 'sums',
  config: {
    query: 'SELECT region, sum(amount) AS revenue FROM "clean orders" GROUP BY region ORDER BY region',
    input_datasets: ['clean orders'],
    output_datasets: ['revenue'],
  },
};

describe('a pipeline', () => {
  let owner: Person;
  let editor: Person;
  let viewer: Person;
  let stranger: Person;
  beforeAll(async () => {
    owner = await newPerson(platform, 'Olga');
    const organisation = await newOrganisation(owner);
    [editor, viewer] = [await newPerson(platform, 'Edith'), await newPerson(platform, 'Vera')];
    await join(owner, organisation, editor, 'EDITOR');
    await join(owner, organisation, viewer, 'VIEWER');
    stranger = await newPerson(platform, 'Sam');
    await newOrganisation(stranger);
    expectOk(await owner.call('POST', '/credits/purchases/', { body: { credits: 100 } }));
    const available = async () =>
      expectOk(await owner.call<CreditBalance>('GET', '/credits/balance/')).available_micros > 0;
    await waitFor(available, { what: 'the credits' });
  });

  const create = async (...steps: object[]) =>
    expectOk(await editor.call<{ id: string }>('POST', '/pipelines/', { body: { name: randomUUID(), steps } })).id;

  /** Starts a run and watches it to its end. */
  async function run(pipelineId: string): Promise<Run> {
    const path = `/pipelines/${pipelineId}/runs/`;
    const { id } = expectOk(await editor.call<Run>('POST', path, { body: {} }));
    const watched = serverSentEvents((await viewer.call('GET', `${path}${id}/events/`)).text);
    expect(watched.at(-1)?.event).toBe('finished');
    return expectOk(await viewer.call<Run>('GET', `${path}${id}/`));
  }

  it('begins with a file that is uploaded and read', async () => {
    const id = await uploadDataset(editor, 'orders', ORDERS);
    const described = { body: { entries: [{ name: 'amount', description: 'In euros' }] } };
    expectOk(await editor.call('PATCH', `/data-dictionary/${id}/`, described));
    expect(expectOk(await viewer.call('GET', `/data-dictionary/${id}/`))).toEqual([
      { name: 'id', description: expect.any(String) },
      { name: 'region', description: expect.any(String) },
      { name: 'amount', description: 'In euros' },
    ]);
    expect((await stranger.call('GET', `/datasets/${id}/`)).status).toBe(404);
    expect((await stranger.call('GET', `/data-dictionary/${id}/`)).status).toBe(404);
  });

  it('is refused at the step that is wrong, and tried before it is kept', async () => {
    const wrong = { ...sums, config: { ...sums.config, query: 'SELECT price FROM "clean orders"' } };
    const refused = await editor.call<{ detail: { loc: unknown[] }[] }>('POST', '/pipelines/', {
      body: { name: 'wrong', steps: [clean, wrong] },
    });
    expect(refused.status).toBe(422);
    expect(refused.body.detail[0]?.loc).toEqual(['body', 'steps', 1, 'config', 'query']);
    const python = { ...sums, config: { ...sums.config, query_type: 'PYTHON', query: 'rows = []\nrows = = 1' } };
    // Programs are checked in a kernel, and the first one of a platform may still be starting.
    const checked = async () => {
      const answer = await editor.call<object>('POST', '/pipelines/', { body: { name: 'p', steps: [clean, python] } });
      return answer.status === 503 ? undefined : answer;
    };
    expect(await waitFor(checked, { what: 'a kernel that checks' })).toMatchObject({
      status: 422,
      body: {
        detail: [
          {
            loc: ['body', 'steps', 1, 'config', 'query'],
            msg: 'Value error, SyntaxError: invalid syntax (line 2, column 8)',
            ctx: { error: 'syntax', line: 2, column: 8 },
          },
        ],
      },
    });
    const tried = await editor.call<{ steps: { rows: object[] }[] }>('POST', '/pipelines/dry-run/', {
      body: { steps: [clean, sums], sample_rows: 2 },
    });
    expect(expectOk(tried).steps[0]?.rows).toHaveLength(2);
    expect((await viewer.call('POST', '/pipelines/', { body: { name: 'x', steps: [clean] } })).status).toBe(403);
  });

  it('runs to figures of which everybody sees where they come from, and how it went', async () => {
    const pipelineId = await create(clean, check('SELECT * FROM "clean orders" WHERE amount <= 0'), sums);
    const ended = await run(pipelineId);
    expect([ended.status, ended.workflow_manifest.kind]).toEqual(['Succeeded', 'Workflow']);
    const path = `/pipelines/${pipelineId}/runs/${ended.id}/`;
    const steps = expectOk(await viewer.call<RunStep[]>('GET', `${path}steps/`));
    const made = steps.flatMap(({ outputs }) => outputs.map((output) => output.dataset_id)).at(-1) ?? '';
    const body = { query: 'SELECT * FROM revenue ORDER BY revenue DESC' };
    expect(expectOk(await viewer.call<{ rows: unknown[] }>('POST', '/datasets/query/', { body })).rows).toEqual([
      ['north', '162.75'],
      ['south', '80.00'],
    ]);
    expect(expectOk(await viewer.call('GET', `/data-dictionary/${made}/`))).toMatchObject([
      { name: 'region' },
      { name: 'revenue' },
    ]);
    const lineage = expectOk(await viewer.call('GET', `/datasets/${made}/lineage/`));
    expect(JSON.stringify(lineage)).toContain('orders');
    expect(expectOk(await viewer.call<unknown[]>('GET', `/pipelines/${pipelineId}/versions/`))).toHaveLength(1);
    expect(expectOk(await viewer.call<Run[]>('GET', `/pipelines/${pipelineId}/runs/?status=Succeeded`))).toMatchObject([
      { id: ended.id },
    ]);

    const report = { run: { pipeline_id: pipelineId, run_id: ended.id } };
    expect(expectOk(await editor.call('POST', '/reports/', { body: report }))).toMatchObject({
      run_id: ended.id,
      markdown: expect.stringMatching(/\*\*Succeeded\*\*[^]*\| sums \| revenue \| Succeeded \|/),
    });
    expect((await stranger.call('POST', '/reports/', { body: report })).status).toBe(404);
    for (const gone of [path, `/pipelines/${pipelineId}/`, `/pipelines/${pipelineId}/versions/`]) {
      expect((await stranger.call('GET', gone)).status).toBe(404);
    }
  });

  it('is found in the logs of all services by the id of the request that has started it, to its end', async () => {
    const pipelineId = await create(clean);
    // Of somebody whom the gateway has not seen yet, so that identity is asked.
    const token = await accessToken(platform, editor);
    const started = await editor.call<Run>('POST', `/pipelines/${pipelineId}/runs/`, { token, body: {} });
    const { id } = expectOk(started);
    const requestId = started.headers['x-request-id'] ?? '';
    const linesOf = (service: string) =>
      linesAbout(platform, service, requestId).map(({ type, method }) => type ?? method ?? '');
    const published = (what: string) => `platform.v1.pipelines.${what}`;
    await waitFor(() => linesOf('billing').includes(published('debit.created')), {
      what: `the end of run ${id} to be paid for`,
    });
    expect(linesOf('gateway')).toContain('POST');
    expect(linesOf('identity')).toEqual(
      expect.arrayContaining([expect.stringContaining('AuthenticationService/ResolveUser')]),
    );
    expect(linesOf('billing')).toEqual(expect.arrayContaining([expect.stringContaining('/ReserveCredits')]));
    expect(linesOf('pipelines')).toEqual(
      expect.arrayContaining([
        expect.stringContaining('/StartRun'),
        ...[published('run.started'), published('run.finished'), published('debit.created')],
      ]),
    );
  });

  itWhere(lack, 'runs Python and a notebook over its data, whose rows SQL goes on with', async () => {
    const cells = [
      {
        cell_type: 'code',
        id: 'a',
        metadata: { tags: ['parameters'] },
        source: 'least = 0',
        outputs: [],
        execution_count: null,
      },
      {
        cell_type: 'code',
        id: 'b',
        metadata: {},
        source: 'datasets.write("large", [row for row in datasets.rows("taxed") if row["gross"] > least])',
        outputs: [],
        execution_count: null,
      },
    ];
    const notebook = { name: 'Large orders', content: { cells, metadata: {}, nbformat: 4, nbformat_minor: 5 } };
    expectOk(await editor.call('POST', '/notebooks/', { body: notebook }));
    const taxed = {
      name: 'taxed',
      config: {
        query_type: 'PYTHON',
        query: [
          'rows = datasets.read("Clean orders")',
          'print(len(rows), "orders")',
          'datasets.write("taxed", [{**row, "gross": round(row["amount"] * (1 + tax), 2)} for row in rows])',
        ].join('\n'),
        parameters: { tax: 0.2 },
        input_datasets: ['clean orders'],
        output_datasets: ['taxed'],
      },
    };
    const gross = {
      name: 'gross',
      config: { query: 'SELECT sum(gross) AS total FROM taxed', input_datasets: ['taxed'], output_datasets: ['gross'] },
    };
    const large = {
      name: 'large',
      config: {
        query_type: 'NOTEBOOK',
        query: 'Large orders',
        parameters: { least: 100 },
        input_datasets: ['taxed'],
        output_datasets: ['large'],
      },
    };
    const sound = {
      name: 'sound',
      config: { job_type: 'CHECK', query: 'SELECT * FROM large WHERE gross <= 100', input_datasets: ['large'] },
    };
    const dryRun = { body: { steps: [clean, taxed, gross], sample_rows: 1 } };
    const tried = async () =>
      expectOk(await editor.call<{ steps: { message: string }[] }>('POST', '/pipelines/dry-run/', dryRun)).steps;
    // A kernel that is not warm may take longer to start than there is time.
    const inTime = async () => {
      const steps = await tried();
      return steps.some(({ message }) => message.includes('longer')) ? undefined : steps;
    };
    expect(await waitFor(inTime, { what: 'a kernel that is warm' })).toMatchObject([
      { status: 'Succeeded' },
      { status: 'Succeeded', message: '', rows: [{ id: 1, region: 'north', amount: 120.5, gross: 144.6 }] },
      { status: 'Succeeded', columns: [{ name: 'total', type: 'DOUBLE' }], rows: [{ total: 144.6 }] },
    ]);
    expect(expectOk(await viewer.call('GET', '/notebooks/services/running'))).toEqual({ services: [] });
    const pipelineId = await create(clean, taxed, large, sound);
    const ended = await run(pipelineId);
    const path = `/pipelines/${pipelineId}/runs/${ended.id}/`;
    expect(expectOk(await viewer.call<RunStep[]>('GET', `${path}steps/`))).toMatchObject(
      ['clean', 'taxed', 'large', 'sound'].map((name) => ({ name, status: 'Succeeded', message: '' })),
    );
    const body = { query: 'SELECT region, gross FROM large ORDER BY gross' };
    expect(expectOk(await viewer.call<{ rows: unknown[] }>('POST', '/datasets/query/', { body })).rows).toEqual([
      ['north', 144.6],
    ]);
    const log = expectOk(await viewer.call<{ text: string }[]>('GET', `${path}logs/?step=taxed`));
    expect(log.map(({ text }) => text)).toContain('3 orders');

    const wrong = { ...taxed, config: { ...taxed.config, query: 'datasets.read("clean orders")[0]["price"]' } };
    const failed = await run(await create(clean, wrong));
    expect(failed).toMatchObject({
      status: 'Failed',
      run_steps: [{}, { message: expect.stringContaining('KeyError') }],
    });
  });

  it('runs by its schedule, and costs the seconds of its steps', async () => {
    /** Once what was set aside for runs is spent or given back. */
    const settled = () =>
      waitFor(
        async () => {
          const balance = expectOk(await owner.call<CreditBalance>('GET', '/credits/balance/'));
          return balance.reserved_micros === 0 ? balance : null;
        },
        { what: 'the settlement of all runs', interval: 500 },
      );
    const before = await settled();
    const body = { name: randomUUID(), steps: [clean], cron_schedule: '* * * * *' };
    const { id } = expectOk(await editor.call<{ id: string }>('POST', '/pipelines/', { body }));
    const runs = async () => expectOk(await viewer.call<ScheduledRun[]>('GET', `/pipelines/${id}/runs/`));
    await waitFor(async () => (await runs()).length > 0, { what: 'a run', interval: 500 });
    expectOk(await editor.call('PATCH', `/pipelines/${id}/`, { body: { cron_schedule: null } }));
    await waitFor(async () => (await runs()).every(({ status }) => status === 'Succeeded'), {
      what: 'the end of the run',
    });
    const ended = await runs();
    expect(ended.map(({ trigger }) => trigger)).toEqual(ended.map(() => 'SCHEDULE'));
    const seconds = ended.map(({ workflow_metadata: { steps } }) =>
      Math.ceil(steps.reduce((sum, step) => sum + step.seconds, 0)),
    );
    const cost = seconds.reduce((sum, one) => sum + one * MICROS_PER_STEP_SECOND, 0);
    expect(before.available_micros - (await settled()).available_micros).toBe(cost);
  });

  it('stops at a check that fails, and says which rows', async () => {
    const pipelineId = await create(clean, check('SELECT * FROM "clean orders" WHERE amount > 100'), sums);
    const ended = await run(pipelineId);
    expect(ended.status).toBe('Failed');
    expect(ended.run_steps.map(({ status }) => status)).toEqual(['Succeeded', 'Failed', 'Omitted']);
    const path = `/pipelines/${pipelineId}/runs/${ended.id}/`;
    const [, failed] = expectOk(await viewer.call<RunStep[]>('GET', `${path}steps/`));
    expect(failed?.failed_rows).toMatchObject([{ id: 1, region: 'north' }]);
    const again = expectOk(await editor.call<Run>('POST', `${path}retry/`, { body: {} }));
    const watch = `/pipelines/${pipelineId}/runs/${again.id}/events/`;
    expect(serverSentEvents((await viewer.call('GET', watch)).text).at(-1)?.event).toBe('finished');
    const cancel = await editor.call<Run>('POST', `/pipelines/${pipelineId}/runs/${again.id}/cancel/`, { body: {} });
    expect(expectOk(cancel).status).toBe('Failed');
  });
});
