import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type {
  KernelJobFinished,
  KernelJobServiceClient,
  KernelJobStartInput,
  RunKernelJobRequestInput,
} from '@platform/contract-notebooks';
import type { CallOptions } from '@platform/grpc';
import { openSandbox } from '@platform/sandbox';
import { member, newOrganisation, refusalOf } from '@platform/service/testing';
import { waitFor } from '@platform/testing';
import { ipykernelProvider } from '../src/kernels/ipykernel/ipykernel-provider.ts';
import { findPython } from '../src/kernels/ipykernel/python.ts';
import { pyodideProvider } from '../src/kernels/pyodide/pyodide-provider.ts';
import { startNotebooksWith, type TestNotebooks } from './test-notebooks.ts';

type Notebooks = Omit<TestNotebooks, 'provider'>;

async function pyodide(): Promise<Notebooks> {
  const provider = pyodideProvider({ sandbox: await openSandbox() });
  return startNotebooksWith(provider);
}

async function ipykernel(): Promise<Notebooks | undefined> {
  const python = await findPython('/usr/bin/python3');
  if (!python) return undefined;
  const provider = ipykernelProvider({ sandbox: await openSandbox(), python });
  return startNotebooksWith(provider);
}

const cells = (...sources: readonly string[]) => ({
  cells: sources.map((source) => ({
    cell_type: 'code',
    source,
    metadata: source.includes('default') ? { tags: ['parameters'] } : {},
    outputs: [],
    execution_count: null,
  })),
  metadata: {},
  nbformat: 4,
  nbformat_minor: 4,
});

describe.each([
  ['Pyodide', pyodide],
  ['ipykernel', ipykernel],
] as const)('a job in a kernel of %s', (make, start) => {
  let running: Notebooks | undefined;
  let client: KernelJobServiceClient<CallOptions>;
  beforeAll(async () => {
    running = await start();
    if (running) client = running.calledBy('pipelines').to('KernelJobService');
    else process.stderr.write(`${make} is not installed here: its jobs are left out\n`);
  }, 120_000);
  afterAll(async () => {
    await running?.stop();
  });

  const promises = (what: string, test: (notebooks: Notebooks) => Promise<void>) =>
    it(what, async () => (running ? test(running) : undefined), 120_000);

  const pipelines = (organisationId: string): CallOptions => ({
    caller: { kind: 'service', service: 'pipelines', organisationId, scopes: [] },
  });

  async function* requests(start: KernelJobStartInput, inputs: Readonly<Record<string, Buffer>>) {
    await Promise.resolve();
    yield { start: { ...start, inputs: Object.keys(inputs) } } satisfies RunKernelJobRequestInput;
    for (const [dataset, rows] of Object.entries(inputs)) {
      for (let from = 0; from < rows.length; from += 256 * 1024) {
        yield { rows: { dataset, chunk: rows.subarray(from, from + 256 * 1024), isLast: false } };
      }
      yield { rows: { dataset, chunk: new Uint8Array(), isLast: true } };
    }
  }

  const run = async (
    start: KernelJobStartInput,
    inputs: Readonly<Record<string, Buffer>> = {},
    organisationId = newOrganisation(),
  ) => {
    const written = new Map<string, Buffer[]>();
    let [out, err] = ['', ''];
    let finished: KernelJobFinished | undefined;
    for await (const answer of client.runKernelJob(requests(start, inputs), pipelines(organisationId))) {
      if (answer.log?.isError) err += answer.log.text;
      else if (answer.log) out += answer.log.text;
      if (answer.rows) {
        const { dataset, chunk } = answer.rows;
        written.set(dataset, [...(written.get(dataset) ?? []), chunk]);
      }
      finished = answer.finished ?? finished;
    }
    const outputs = [...written].map(([name, pieces]) => [name, Buffer.concat(pieces).toString()] as const);
    return { out, err, finished, outputs: Object.fromEntries(outputs) };
  };

  promises('reads datasets, prints, and writes others', async () => {
    const orders = Buffer.from('{"id": 1, "price": 2.5}\n{"id": 2, "price": null, "name": "Zoë 🎈"}\n');
    const code = `
rows = datasets.read('ORDERS')
print(len(rows), rows[1]['name'], limit)
datasets.write('Result', [{**row, 'nan': float('nan')} for row in datasets.rows('orders')])
datasets.write('nothing', [])
len(datasets.read('empty'))`;
    const start = { code, parameters: { limit: [1, true, null, 'a"b'] }, outputs: ['result', 'nothing', 'unwritten'] };
    const { out, err, outputs, finished } = await run(start, { orders, empty: Buffer.of() });
    expect({ out, err }).toEqual({ out: `2 Zoë 🎈 [1, True, None, 'a"b']\n0\n`, err: '' });
    expect(finished).toMatchObject({ outcome: 'SUCCEEDED', code: '', cell: null });
    expect(outputs).toEqual({
      result: '{"id": 1, "price": 2.5, "nan": null}\n{"id": 2, "price": null, "name": "Zoë 🎈", "nan": null}\n',
      nothing: '',
    });
  });

  promises('carries datasets of many pieces there and back as they are', async () => {
    const rows = Buffer.from(
      Array.from({ length: 20_000 }, (_, id) => `{"id": ${id}, "text": "${'é'.repeat(20)}"}\n`).join(''),
    );
    const code = `datasets.write('copy', datasets.rows('rows'))`;
    const { outputs, finished } = await run({ code, outputs: ['copy'] }, { rows });
    expect(finished).toMatchObject({ outcome: 'SUCCEEDED' });
    expect(outputs['copy'] === rows.toString()).toBe(true);
  });

  promises('fails with the exception of its program, and writes nothing then', async () => {
    const code = `datasets.write('result', [{'a': 1}])\n1 / 0`;
    const { err, outputs, finished } = await run({ code, outputs: ['result'] });
    expect(finished).toMatchObject({
      outcome: 'FAILED',
      code: 'exception',
      message: 'ZeroDivisionError: division by zero',
    });
    expect(err).toContain('ZeroDivisionError');
    expect(outputs).toEqual({});
  });

  promises('says what a program may read and write, and that nobody answers its questions', async () => {
    const read = await run({ code: `datasets.read('other')` }, { orders: Buffer.from('{}\n') });
    expect(read.finished?.message).toContain("There is no dataset 'other' to read; there is: orders");
    const written = await run({ code: `datasets.write('other', [])`, outputs: ['result'] });
    expect(written.finished?.message).toContain("There is no dataset 'other' to write; there is: result");
    const asked = await run({ code: `input('Who?')` });
    expect(asked.finished?.message).toContain('StdinNotImplementedError');
  });

  promises('ends a program that takes too long', async () => {
    const { finished } = await run({ code: 'while True: pass', timeLimitSeconds: 2 });
    expect(finished).toMatchObject({
      outcome: 'FAILED',
      code: 'timed_out',
      message: 'The program ran for more than 2 s',
    });
  });

  promises('ends a program that needs too much memory, and says so', async () => {
    const { finished } = await run({ code: `held = b'x' * 1024 ** 3` });
    expect(finished).toMatchObject({ outcome: 'FAILED', code: 'out_of_memory' });
  });

  promises(
    'runs a notebook as it is now, with parameters behind its own, and says which cell failed',
    async (notebooks) => {
      const organisationId = newOrganisation();
      const content = cells('x = 1 # default', 'print(x)', 'raise ValueError(x)', 'print("never")');
      const { id: notebookId } = await notebooks.notebooks.createNotebook(
        { name: 'Report', content },
        member(organisationId),
      );
      const { out, finished } = await run({ notebookId, parameters: { x: 42 } }, {}, organisationId);
      expect(out).toBe('42\n');
      expect(finished).toMatchObject({ outcome: 'FAILED', code: 'exception', message: 'ValueError: 42', cell: 2 });
      const named = await client.findNotebook({ name: 'Report' }, pipelines(organisationId));
      expect(named).toMatchObject({ id: notebookId });
      expect(await refusalOf(run({ notebookId }))).toMatchObject({ kind: 'not_found' });
    },
  );

  promises('ends with whoever has called for it', async (notebooks) => {
    const organisationId = newOrganisation();
    const by = member(organisationId);
    const ending = new AbortController();
    const options = { ...pipelines(organisationId), signal: ending.signal };
    const answers = client.runKernelJob(requests({ code: 'print("on", flush=True)\nwhile True: pass' }, {}), options);
    const heard = (async () => {
      for await (const { log } of answers) if (log) ending.abort();
    })();
    await expect(heard).rejects.toThrow();
    await waitFor(async () => (await notebooks.kernels.listRunningServices({}, by)).services.length === 0);
  });
});
