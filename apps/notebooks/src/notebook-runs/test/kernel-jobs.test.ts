import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type {
  CheckedProgramInput,
  KernelJobFinished,
  KernelJobServiceClient,
  KernelJobStartInput,
  RunKernelJobRequestInput,
} from '@platform-backend/contract-notebooks';
import type { CallOptions } from '@platform-backend/grpc';
import { member, newOrganisation, refusalOf } from '@platform-backend/service/testing';
import { waitFor } from '@platform-backend/testing';
import { describeWhere } from '@platform-backend/testing/where';
import { startNotebooksWith, type TestNotebooks } from '../../../test/test-notebooks.ts';
import { pythonHere, sandboxHere } from '../../../test/this-machine.ts';
import type { KernelProvider } from '../../kernels/domain/kernel-provider.ts';
import { ipykernelProvider } from '../../kernels/providers/ipykernel/ipykernel-provider.ts';
import type { Python } from '../../kernels/providers/ipykernel/python.ts';
import { pyodideProvider } from '../../kernels/providers/pyodide/pyodide-provider.ts';

type Notebooks = Omit<TestNotebooks, 'provider'>;

const sandbox = await sandboxHere();
const { python, lack } = await pythonHere();

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

/** As one kernel or the other says it. */
const UNFINISHED = /^SyntaxError: ('.' was never closed|incomplete input)$/;

describe('a job in a kernel of Pyodide', () => testJobs('Pyodide', () => pyodideProvider({ sandbox })));
describeWhere(lack, 'a job in a kernel of ipykernel', () =>
  testJobs('ipykernel', () => ipykernelProvider({ sandbox, python: python as Python })),
);

function testJobs(make: 'Pyodide' | 'ipykernel', open: () => KernelProvider): void {
  let running: Notebooks;
  let client: KernelJobServiceClient<CallOptions>;
  beforeAll(async () => {
    running = await startNotebooksWith(open());
    client = running.calledBy('pipelines').to('KernelJobService');
  }, 120_000);
  afterAll(async () => {
    await running.stop();
  });

  const promises = (what: string, test: (notebooks: Notebooks) => Promise<void>) =>
    it(what, () => test(running), 120_000);

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
    const order: string[] = [];
    let finished: KernelJobFinished | undefined;
    for await (const answer of client.runKernelJob(requests(start, inputs), pipelines(organisationId))) {
      const [what = ''] = Object.entries(answer).find(([, value]) => value !== null) ?? [];
      if (order.at(-1) !== what) order.push(what);
      if (answer.log?.isError) err += answer.log.text;
      else if (answer.log) out += answer.log.text;
      if (answer.rows) {
        const { dataset, chunk } = answer.rows;
        written.set(dataset, [...(written.get(dataset) ?? []), chunk]);
      }
      finished = answer.finished ?? finished;
    }
    const outputs = [...written].map(([name, pieces]) => [name, Buffer.concat(pieces).toString()] as const);
    return { out, err, finished, order, outputs: Object.fromEntries(outputs) };
  };

  /** What a notebook prints and shows whose cells all run, whichever of them fail. */
  async function toldByAll({ notebooks }: Notebooks, sources: readonly string[]): Promise<string> {
    const organisationId = newOrganisation();
    const { cells: shape, ...rest } = cells(...sources);
    const content = { ...rest, cells: shape.map((cell) => ({ ...cell, metadata: { tags: ['raises-exception'] } })) };
    const { id: notebookId } = await notebooks.createNotebook({ name: 'Fails', content }, member(organisationId));
    let told = '';
    for await (const { log } of client.runKernelJob(requests({ notebookId }, {}), pipelines(organisationId))) {
      told += log?.text ?? '';
    }
    return told;
  }

  promises('reads datasets, prints, and writes others', async () => {
    const orders = Buffer.from('{"id": 1, "price": 2.5}\n{"id": 2, "price": null, "name": "Zoë 🎈"}\n');
    const code = `
rows = datasets.read('ORDERS')
print(len(rows), rows[1]['name'], limit)
datasets.write('Result', [{**row, 'nan': float('nan')} for row in datasets.rows('orders')])
datasets.write('nothing', [])
len(datasets.read('empty'))`;
    const start = { code, parameters: { limit: [1, true, null, 'a"b'] }, outputs: ['result', 'nothing', 'unwritten'] };
    const { out, err, outputs, finished, order } = await run(start, { orders, empty: Buffer.of() });
    expect(order).toEqual(['started', 'log', 'rows', 'finished']);
    expect({ out, err }).toEqual({ out: `2 Zoë 🎈 [1, True, None, 'a"b']\n0\n`, err: '' });
    expect(finished).toMatchObject({ outcome: 'SUCCEEDED', code: '', cell: null });
    expect(outputs).toEqual({
      result: '{"id": 1, "price": 2.5, "nan": null}\n{"id": 2, "price": null, "name": "Zoë 🎈", "nan": null}\n',
      nothing: '',
    });
  });

  promises(
    'carries datasets of many pieces there and back as they are, and prints whole characters, however long a line is',
    async () => {
      const rows = Buffer.from(
        Array.from({ length: 20_000 }, (_, id) => `{"id": ${id}, "text": "${'é'.repeat(20)}"}\n`).join(''),
      );
      const code = `datasets.write('copy', datasets.rows('rows'))\nprint('.' + '🎈' * 100_000)`;
      const { out, outputs, finished } = await run({ code, outputs: ['copy'] }, { rows });
      expect(finished).toMatchObject({ outcome: 'SUCCEEDED' });
      expect(outputs['copy'] === rows.toString()).toBe(true);
      expect(out === `.${'🎈'.repeat(100_000)}\n`).toBe(true);
    },
  );

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
    const code = `
def refused(call):
    try:
        call()
    except Exception as error:
        print(type(error).__name__, error)
refused(lambda: datasets.read('other'))
refused(lambda: datasets.write('other', []))
input('Who?')`;
    const { out, finished } = await run({ code, outputs: ['result'] }, { orders: Buffer.from('{}\n') });
    expect(out.split('\n')).toEqual([
      expect.stringContaining("There is no dataset 'other' to read; there is: orders"),
      expect.stringContaining("There is no dataset 'other' to write; there is: result"),
      '',
    ]);
    expect(finished?.message).toContain('StdinNotImplementedError');
  });

  promises('ends a program that takes too long', async () => {
    const { finished } = await run({ code: 'import time\ntime.sleep(600)', timeLimitSeconds: 2 });
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

  const errorsOf = async (programs: readonly CheckedProgramInput[], organisationId = newOrganisation()) => {
    // A kernel starts for the first of them.
    const options = { ...pipelines(organisationId), timeoutMs: 60_000 };
    const { errors } = await client.checkPrograms({ programs }, options);
    return errors.map(({ program, cell, message, line, column }) => [program, cell, message, line, column]);
  };

  promises('says of many programs at once where they are no Python, and takes what kernels take', async () => {
    const programs = [
      'await fetch()\nasync with a as b: print([c async for c in b])',
      'rows = []\nif rows:\n  1 +\n',
      'def f():\nreturn 1',
      'x = 1 # ü\nüü = = 2',
      'a = [1,\n',
      'return 1',
      'match x:\n  case {"a": [1, *rest]}: print(f"{rest!r:>10}")\n"\\d" is 1;',
      'import nowhere\nundefined.unknown(1 / 0)',
    ];
    const errors = await errorsOf(programs.map((code) => ({ code })));
    expect(errors.map(([program, cell, , line, column]) => [program, cell, line, column])).toEqual([
      [1, null, 3, expect.any(Number)],
      [2, null, 2, 1],
      [3, null, 2, 6],
      [4, null, 1, expect.any(Number)],
      [5, null, 1, 1],
    ]);
    expect(errors.map(([, , message]) => message)).toEqual([
      'SyntaxError: invalid syntax',
      expect.stringMatching(/^IndentationError: expected an indented block/),
      'SyntaxError: invalid syntax',
      expect.stringMatching(UNFINISHED),
      "SyntaxError: 'return' outside function",
    ]);
  });

  promises('runs nothing of what it checks, and takes no kernel of the organisation for it', async (notebooks) => {
    const organisationId = newOrganisation();
    const code = 'first_error = None\nimport builtins\nbuiltins.input = None\nwhile True: pass';
    expect(await errorsOf([{ code }, { code: 'x = (' }], organisationId)).toHaveLength(1);
    expect(await errorsOf([{ code: 'x = (' }])).toHaveLength(1);
    expect((await notebooks.kernels.listRunningServices({}, member(organisationId))).services).toEqual([]);
  });

  promises('judges others where the compiler is lost on a program, which is not judged', async () => {
    // Each of them is deeper than the stack of some compiler.
    const deep = ['not '.repeat(12_000) + '1', 'a' + '.a'.repeat(24_000), 'a' + '()'.repeat(24_000)];
    const programs = [...deep, 'x = ='].map((code) => ({ code }));
    expect((await errorsOf(programs)).every(([program]) => program === 3)).toBe(true);
    expect(await errorsOf([{ code: 'x = =' }])).toMatchObject([[0, null, 'SyntaxError: invalid syntax', 1, 5]]);
  });

  promises('checks the cells of a notebook as they would run, with the parameters', async (notebooks) => {
    const organisationId = newOrganisation();
    const { id: notebookId } = await notebooks.notebooks.createNotebook(
      { name: 'Report', content: cells('x = 1 # default', 'print(x)', 'raise ValueError(x', 'print(') },
      member(organisationId),
    );
    expect(await errorsOf([{ notebookId }], organisationId)).toEqual([
      [0, 2, expect.stringMatching(UNFINISHED), 1, expect.any(Number)],
    ]);
    const wrong = { class: 1, ['__debug__']: 1 };
    for (const [name, value] of Object.entries(wrong)) {
      const [error] = await errorsOf([{ notebookId, parameters: { [name]: value } }], organisationId);
      expect(error).toEqual([0, null, expect.stringMatching(`^Parameters: .*${name}`), null, null]);
    }
    const content = cells('print(');
    const failing = {
      ...content,
      cells: content.cells.map((cell) => ({ ...cell, metadata: { tags: ['raises-exception'] } })),
    };
    const { id: tagged } = await notebooks.notebooks.createNotebook(
      { name: 'Fails', content: failing },
      member(organisationId),
    );
    expect(await errorsOf([{ notebookId: tagged }], organisationId)).toEqual([]);
    expect(await refusalOf(errorsOf([{ notebookId }]))).toMatchObject({ kind: 'not_found' });
  });

  promises('goes on behind each cell that may fail, however soon', async (notebooks) => {
    const numbers = Array.from({ length: 60 }, (_, number) => number);
    const told = await toldByAll(
      notebooks,
      numbers.flatMap((number) => ['x =', `print("<${number}>")`]),
    );
    const shown = [...told.matchAll(/<(\d+)>/g)].map(([, number]) => Number(number));
    expect(shown).toEqual(numbers);
  });

  promises('takes exactly what its kernel takes: magics, futures, what is only valid apart', async (notebooks) => {
    const codes = [
      '%time\nx = 1',
      '%%time\nx = 1',
      'files = !ls',
      'cd .',
      'print?',
      'from __future__ import barry_as_FLUFL\n1 <> 2',
      'x = 1\nfrom __future__ import annotations',
      'x = 1\nglobal x',
      'print(*[1], sep="")\n*x',
      'print "x"',
      'yield 1',
      'await nothing',
      '[await nothing for _ in []]',
      'def f(): await nothing',
      'x = 08',
      '  x = 1',
      '  x = 1\ny = 2',
      '\t\f\\\n',
      '# nothing',
      'x = 1;',
      'nonlocal x',
      'lambda: (yield)',
      'print(__debug__); __debug__ = 1',
    ];
    // In the kernel itself, each behind a mark.
    const told = await toldByAll(
      notebooks,
      codes.flatMap((code, at) => [`print("<${at}>")`, code]),
    );
    const [, ...shown] = told.split(/<\d+>/);
    const isRefused = (text: string) => /(Syntax|Indentation)Error/.test(text);
    const refused = codes.filter((_, at) => isRefused(shown[at] ?? ''));
    expect(shown).toHaveLength(codes.length);

    const errors = await errorsOf(codes.slice(0, 20).map((code) => ({ code })));
    const others = await errorsOf(codes.slice(20).map((code) => ({ code })));
    expect([...errors.map(([at]) => codes[Number(at)]), ...others.map(([at]) => codes[20 + Number(at)])]).toEqual(
      refused,
    );
    expect(refused).not.toContain('%%time\nx = 1');
    // A magic without its sign is IPython's own alone.
    expect(refused.includes('cd .')).toBe(make === 'Pyodide');
  });

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
}
