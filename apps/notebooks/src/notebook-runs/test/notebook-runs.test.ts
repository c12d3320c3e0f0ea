import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { creditLedger, debitsOf } from '@platform-backend/contract-billing/client/testing';
import type { NotebookRun, NotebookRunEvent } from '@platform-backend/contract-notebooks';
import type { JsonValueInput } from '@platform-backend/contract/messages';
import { newId, parseExactJson } from '@platform-backend/core';
import type { CallOptions } from '@platform-backend/grpc';
import { member, newOrganisation, publishedEvents, refusalOf } from '@platform-backend/service/testing';
import { waitFor } from '@platform-backend/testing';
import { describeWhere } from '@platform-backend/testing/where';
import pg from 'pg';
import { keys, startNotebooksWith, startTestNotebooks, type TestNotebooks } from '../../../test/test-notebooks.ts';
import { pythonHere, sandboxHere } from '../../../test/this-machine.ts';
import type { KernelProvider } from '../../kernels/domain/kernel-provider.ts';
import { ipykernelProvider } from '../../kernels/providers/ipykernel/ipykernel-provider.ts';
import type { Python } from '../../kernels/providers/ipykernel/python.ts';
import { pyodideProvider } from '../../kernels/providers/pyodide/pyodide-provider.ts';

const sandbox = await sandboxHere();
const { python, lack } = await pythonHere();

type Notebooks = Omit<TestNotebooks, 'provider'>;

const code = (source: string, tags: readonly string[] = []) => ({
  cell_type: 'code',
  source,
  metadata: { tags: [...tags] },
  outputs: [],
  execution_count: null,
});
type Cell = Readonly<Record<string, JsonValueInput>>;

const notebookOf = (...cells: readonly Cell[]) => ({ cells, metadata: {}, nbformat: 4, nbformat_minor: 4 });

const create = ({ notebooks }: Notebooks, by: CallOptions, ...cells: readonly Cell[]) =>
  notebooks.createNotebook({ name: newId(), content: notebookOf(...cells) }, by);

/** What is repeated is done until the run is as it should be. */
const waitForRun = ({ runs, work }: Notebooks, { notebookId, id }: NotebookRun, by: CallOptions, status: string) =>
  waitFor(async () => {
    await work('the runs of notebooks');
    const run = await runs.getNotebookRun({ notebookId, runId: id }, by);
    return run.status === status ? run : undefined;
  });

async function resultOf({ runs }: Notebooks, { notebookId, id }: NotebookRun, by: CallOptions) {
  const chunks: Uint8Array[] = [];
  for await (const { chunk } of runs.exportNotebookRun({ notebookId, runId: id }, by)) chunks.push(chunk);
  const result = JSON.parse(Buffer.concat(chunks).toString()) as {
    cells: { source: string; outputs?: unknown[]; execution_count?: number | null }[];
  };
  return result.cells.map(({ source, outputs, execution_count: count }) => ({ source, outputs, count }));
}

/** What is told of a run from a step on, to its end. */
async function watched(
  { runs }: Notebooks,
  { notebookId, id: runId }: NotebookRun,
  by: CallOptions,
  { lastEventId = '', hear = () => undefined }: { lastEventId?: string; hear?: (event: NotebookRunEvent) => void } = {},
) {
  const heard: NotebookRunEvent[] = [];
  for await (const event of runs.watchNotebookRun({ notebookId, runId, lastEventId }, by)) {
    heard.push(event);
    hear(event);
  }
  return heard;
}

describe('a run of a notebook in Pyodide', () => testRuns(() => pyodideProvider({ sandbox })));
describeWhere(lack, 'a run of a notebook in ipykernel', () =>
  testRuns(() => ipykernelProvider({ sandbox, python: python as Python })),
);

function testRuns(make: () => KernelProvider): void {
  let running: Notebooks;
  const organisationId = newOrganisation();
  const by = member(organisationId);
  beforeAll(async () => {
    running = await startNotebooksWith(make());
  }, 120_000);
  afterAll(() => running.stop());

  it('gives a notebook with what its cells have shown, with parameters', async () => {
    const markdown = { cell_type: 'markdown', source: '# Title', metadata: {} };
    const cells = [markdown, code('x = 1', ['parameters']), code('print("a")\nprint(x)\nx * 2')];
    const { id: notebookId } = await create(running, by, ...cells);
    const numbers = '[1152921504606846977,-0.0,1.0,1e500,-1e200000,1e-200000]';
    const parameters = { x: 21, numbers: parseExactJson(numbers) as number[] };
    const started = await running.runs.startNotebookRun({ notebookId, parameters }, by);
    expect(started).toMatchObject({ status: 'PENDING', cells: 3, notebookVersion: 1, parameters: { x: 21 } });
    expect(JSON.stringify(started.parameters)).toBe(`{"x":21,"numbers":${numbers}}`);
    const run = await waitForRun(running, started, by, 'SUCCEEDED');
    expect(run).toMatchObject({ attempts: 1, cellsDone: 3, failedCell: null, code: '' });
    expect(await resultOf(running, run, by)).toEqual([
      { source: '# Title' },
      { source: 'x = 1', outputs: [], count: 1 },
      {
        source: '# Parameters\nx = 21\nnumbers = [1152921504606846977, -0.0, 1.0, 1e500, -1e200000, 1e-200000]',
        outputs: [],
        count: 2,
      },
      {
        source: 'print("a")\nprint(x)\nx * 2',
        count: 3,
        outputs: [
          { output_type: 'stream', name: 'stdout', text: 'a\n21\n' },
          { output_type: 'execute_result', execution_count: 3, data: { 'text/plain': '42' }, metadata: {} },
        ],
      },
    ]);
    const page: Uint8Array[] = [];
    for await (const { chunk } of running.runs.exportNotebookRunPage({ notebookId, runId: run.id }, by))
      page.push(chunk);
    expect(Buffer.concat(page).toString()).toContain('a\n21');
    await waitFor(async () => (await running.kernels.listRunningServices({}, by)).services.length === 0);
    const told = (await publishedEvents(running.database)).filter(({ data }) => data['run_id'] === run.id);
    expect(told.map(({ data }) => data['status'])).toEqual([undefined, 'SUCCEEDED']);
  }, 120_000);

  it('is refused where there is no kernel of the language that the notebook is written in', async () => {
    const metadata = { kernelspec: { name: 'julia-1.11', display_name: 'Julia', language: 'julia' } };
    const content = { cells: [], metadata, nbformat: 4, nbformat_minor: 4 };
    const { id: notebookId } = await running.notebooks.createNotebook({ name: newId(), content }, by);
    await expect(running.runs.startNotebookRun({ notebookId }, by)).rejects.toMatchObject({
      code: 'no_kernel_for_language',
      message: 'The notebook is written in julia, of which there is no kernel here',
    });
    // Whoever names one has it.
    const run = await running.runs.startNotebookRun({ notebookId, kernelName: 'python3' }, by);
    expect(run).toMatchObject({ status: 'PENDING', kernelName: 'python3' });
  });

  it('fails with a cell, and gives the notebook as far as it came', async () => {
    const { id: notebookId } = await create(running, by, code('1'), code('1 / 0'), code('never'));
    const run = await waitForRun(running, await running.runs.startNotebookRun({ notebookId }, by), by, 'FAILED');
    const message = 'ZeroDivisionError: division by zero';
    expect(run).toMatchObject({ code: 'exception', message, failedCell: 1, cellsDone: 2 });
    const [first, second, third] = await resultOf(running, run, by);
    expect(first?.outputs).toMatchObject([{ data: { 'text/plain': '1' } }]);
    expect(second?.outputs).toMatchObject([{ output_type: 'error', ename: 'ZeroDivisionError' }]);
    expect(third).toMatchObject({ outputs: [], count: null });
  }, 120_000);

  it('ends as it does where there are characters that the database does not keep', async () => {
    const source = 'print("a\\0b")\nraise ValueError("c\\0d")';
    const { id: notebookId } = await create(running, by, code(source));
    const run = await waitForRun(running, await running.runs.startNotebookRun({ notebookId }, by), by, 'FAILED');
    expect(run).toMatchObject({ code: 'exception', message: 'ValueError: c\uFFFDd', failedCell: 0, attempts: 1 });
    const [cell] = await resultOf(running, run, by);
    expect(cell?.outputs).toMatchObject([
      { output_type: 'stream', text: 'a\0b\n' },
      { output_type: 'error', evalue: 'c\0d' },
    ]);
  }, 120_000);

  it('says what a parameter may be called', async () => {
    const { id: notebookId } = await create(running, by, code('1'));
    const refused = refusalOf(running.runs.startNotebookRun({ notebookId, parameters: { 'a b': 1 } }, by));
    expect(await refused).toMatchObject({ kind: 'invalid' });
  });
}

describe('runs of notebooks', () => {
  let passedMs = 0;
  const clock = { now: () => new Date(Date.now() + passedMs) };
  let running: TestNotebooks;
  beforeAll(async () => {
    running = await startTestNotebooks({ clock });
  });
  afterAll(() => running.stop());
  /** Its kernel may not have begun to work yet. */
  const interruptToTheEnd = ({ notebookId, id: runId }: NotebookRun, by: CallOptions) =>
    waitFor(async () => {
      for (const kernel of running.provider.running.values()) await kernel.interrupt();
      return (await running.runs.getNotebookRun({ notebookId, runId }, by)).status === 'SUCCEEDED';
    });
  const isWorking = () => waitFor(() => [...running.provider.running.values()].length > 0);

  it('are asked for once with one key, and are seen by their organisation alone', async () => {
    const [by, stranger] = [member(newOrganisation()), member(newOrganisation())];
    const { id: notebookId } = await create(running, by, code('Hi'));
    const wanted = { notebookId, idempotencyKey: 'one' };
    const run = await running.runs.startNotebookRun(wanted, by);
    expect(await running.runs.startNotebookRun(wanted, by)).toEqual(run);
    const { runs } = await running.runs.listNotebookRuns({ notebookId }, by);
    expect(runs).toEqual([run]);
    const asked = running.runs.getNotebookRun({ notebookId, runId: run.id }, stranger);
    expect(await refusalOf(asked)).toMatchObject({ kind: 'not_found' });
    await waitForRun(running, run, by, 'SUCCEEDED');
  });

  it('refuse a key that was used for another notebook', async () => {
    const by = member(newOrganisation());
    const [one, other] = [await create(running, by, code('Hi')), await create(running, by, code('Hi'))];
    const run = await running.runs.startNotebookRun({ notebookId: one.id, idempotencyKey: 'one' }, by);
    const again = running.runs.startNotebookRun({ notebookId: other.id, idempotencyKey: 'one' }, by);
    expect(await refusalOf(again)).toMatchObject({ kind: 'invalid' });
    await waitForRun(running, run, by, 'SUCCEEDED');
  });

  it('are watched cell by cell to their end, and who comes back hears nothing twice', async () => {
    const by = member(newOrganisation());
    const { id: notebookId } = await create(running, by, code('Hi'), code('wait'), code('Ho'));
    const run = await running.runs.startNotebookRun({ notebookId }, by);
    const steps: string[] = [];
    const hear = ({ eventId }: NotebookRunEvent) => void steps.push(eventId);
    const watching = watched(running, run, by, { hear });
    await waitFor(() => steps.length === 1);
    await running.work('the runs of notebooks');
    await waitFor(() => steps.includes('running-1-1'));
    const again = watched(running, run, by, { lastEventId: 'running-1-1' });
    await interruptToTheEnd(run, by);
    const heard = await watching;
    expect(heard[0]).toMatchObject({ eventId: 'pending-0-0', event: 'run', data: { status: 'PENDING', cells: 3 } });
    const end = { eventId: 'succeeded-1-3', event: 'finished', data: { id: run.id, cellsDone: 3 } };
    expect(heard.at(-1)).toMatchObject(end);
    expect(new Set(steps).size).toBe(heard.length);
    const rest = await again;
    expect(rest.map(({ eventId }) => eventId)).not.toContain('running-1-1');
    expect(rest.at(-1)).toMatchObject(end);
    expect(await watched(running, run, by, { lastEventId: 'succeeded-1-3' })).toEqual([]);
  });

  it('go on in another replica when theirs is stopped in good order, as if they had not been begun', async () => {
    const by = member(newOrganisation());
    const { id: notebookId } = await create(running, by, code('Hi'), code('wait'));
    const replica = await running.replica({ NOTEBOOKS_LISTEN: '127.0.0.1:0' }, clock);
    const run = await running.runs.startNotebookRun({ notebookId }, by);
    await replica.work('the runs of notebooks');
    await waitFor(() => replica.provider.running.size === 1);
    await replica.stop();
    expect(replica.provider.running.size).toBe(0);
    const handedBack = await running.runs.getNotebookRun({ notebookId, runId: run.id }, by);
    expect(handedBack).toMatchObject({ status: 'PENDING', attempts: 0, cellsDone: 0 });
    await running.work('the runs of notebooks');
    await interruptToTheEnd(run, by);
  });

  it('end when they are cancelled, with their kernels', async () => {
    const by = member(newOrganisation());
    const { id: notebookId } = await create(running, by, code('wait'), code('never'));
    const run = await running.runs.startNotebookRun({ notebookId }, by);
    await running.work('the runs of notebooks');
    await isWorking();
    const cancelled = await running.runs.cancelNotebookRun({ notebookId, runId: run.id }, by);
    expect(cancelled).toMatchObject({ status: 'CANCELLED' });
    expect(await running.runs.cancelNotebookRun({ notebookId, runId: run.id }, by)).toEqual(cancelled);
    await waitFor(() => running.provider.running.size === 0);
    expect(await running.runs.getNotebookRun({ notebookId, runId: run.id }, by)).toEqual(cancelled);
  });

  it('end with their notebook, also one that has begun while that was being deleted', async () => {
    const by = member(newOrganisation());
    const { id: notebookId } = await create(running, by, code('wait'), code('never'));
    await running.runs.startNotebookRun({ notebookId }, by);
    await running.work('the runs of notebooks');
    await isWorking();
    // Its kernels were stopped before this one was there.
    const admin = new pg.Client({ connectionString: running.database.adminUrl });
    await admin.connect();
    await admin.query('DELETE FROM notebooks WHERE id = $1', [notebookId]);
    await admin.end();
    await waitFor(() => running.provider.running.size === 0);
    await waitFor(async () => (await running.jupyter.listKernels({}, by)).kernels.length === 0);
  });

  it('begin again in another replica when theirs is lost, three times at most', async () => {
    const by = member(newOrganisation());
    const { id: notebookId } = await create(running, by, code('wait'));
    const run = await running.runs.startNotebookRun({ notebookId }, by);
    for (const attempts of [1, 2, 3]) {
      await running.work('the runs of notebooks');
      await waitFor(async () => {
        const known = await running.runs.getNotebookRun({ notebookId, runId: run.id }, by);
        return known.attempts === attempts && known.status === 'RUNNING';
      });
      // By then nobody has heard of the replica; in truth it lives, and lets go when it hears of the other one.
      passedMs += 31_000;
    }
    expect(await waitForRun(running, run, by, 'FAILED')).toMatchObject({ code: 'lost', attempts: 3 });
    await waitFor(() => running.provider.running.size === 0);
  });

  it('wait while the organisation has as many kernels as it may have', async () => {
    const by = member(newOrganisation());
    for (let kernel = 0; kernel < 5; kernel += 1) await running.jupyter.startKernel({}, by);
    const { id: notebookId } = await create(running, by, code('Hi'));
    const run = await running.runs.startNotebookRun({ notebookId }, by);
    await running.work('the runs of notebooks');
    await waitFor(async () => {
      const known = await running.runs.getNotebookRun({ notebookId, runId: run.id }, by);
      return known.status === 'PENDING' && known.attempts === 0;
    });
    const [kernel] = (await running.jupyter.listKernels({}, by)).kernels;
    await running.jupyter.stopKernel({ kernelId: kernel?.id ?? '' }, by);
    passedMs += 61_000;
    await waitForRun(running, run, by, 'SUCCEEDED');
  });
});

describe('the minutes of a run of a notebook', () => {
  let passedMs = 0;
  const clock = { now: () => new Date(Date.now() + passedMs) };
  let ledger: Awaited<ReturnType<typeof creditLedger>>;
  let running: TestNotebooks;
  beforeAll(async () => {
    ledger = await creditLedger(keys);
    // Time passes in leaps.
    const patient = { NOTEBOOKS_RUN_LEASE_SECONDS: '3600' };
    const environment = { BILLING_ADDRESS: ledger.address, NOTEBOOKS_KERNEL_MINUTE_MICROS: '5000', ...patient };
    running = await startTestNotebooks({ clock, environment });
  });
  afterAll(async () => {
    await running.stop();
    await ledger.close();
  });

  /** One whose cell works until it is interrupted. */
  async function startLongRun(organisationId: string) {
    const by = member(organisationId);
    const { id: notebookId } = await create(running, by, code('wait'));
    const run = await running.runs.startNotebookRun({ notebookId }, by);
    await running.work('the runs of notebooks');
    await waitFor(async () => (await debitsOf(running, organisationId)).length === 1);
    return { by, run };
  }

  it('are paid for, each once, as long as it goes on', async () => {
    const organisationId = newOrganisation();
    const { by, run } = await startLongRun(organisationId);
    passedMs += 90_000;
    await running.work('the counting of minutes');
    await running.work('the counting of minutes');
    const owed = () => debitsOf(running, organisationId);
    expect((await owed()).map(({ amount_micros: micros }) => micros)).toEqual(['5000', '5000']);
    await running.runs.cancelNotebookRun({ notebookId: run.notebookId, runId: run.id }, by);
    await waitFor(() => running.provider.running.size === 0);
    passedMs += 600_000;
    await running.work('the counting of minutes');
    expect(await owed()).toHaveLength(2);
    expect(ledger.heldBy(organisationId)).toHaveLength(2);
  });

  it('end with the credits, and so does the run, which says why', async () => {
    const organisationId = newOrganisation();
    const { by, run } = await startLongRun(organisationId);
    ledger.useUp(organisationId);
    passedMs += 60_000;
    await running.work('the counting of minutes');
    const failed = await waitForRun(running, run, by, 'FAILED');
    const message = 'There are too few credits for its next minute';
    expect(failed).toMatchObject({ code: 'payment_required', message, failedCell: 0, attempts: 1 });
    const late = running.runs.startNotebookRun({ notebookId: run.notebookId }, by);
    expect(await refusalOf(late)).toMatchObject({ kind: 'payment_required' });
    expect(await debitsOf(running, organisationId)).toHaveLength(1);
  });
});
