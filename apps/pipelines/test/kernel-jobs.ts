import type { ServiceKeys } from '@platform-backend/auth';
import {
  notebooksContract,
  type CheckProgramsRequest,
  type FindNotebookRequest,
  type KernelJobStart,
  type ProgramErrorInput,
  type RunKernelJobAnswerInput,
  type RunKernelJobRequest,
} from '@platform-backend/contract-notebooks';
import { conflict, DomainError, newId, notFound, notProvided } from '@platform-backend/core';
import type { CallContext } from '@platform-backend/grpc';
import { standIn } from '@platform-backend/service/testing';
import { once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';

const MAX_CHUNK = 256 * 1024;

export interface SeenJob {
  readonly start: KernelJobStart;
  readonly organisationId: string;
  /** The text of each input. */
  readonly inputs: ReadonlyMap<string, string>;
  /** How it ended, from here. */
  end: 'finished' | 'left' | undefined;
}

type Program = (
  job: SeenJob,
  context: CallContext,
) => AsyncIterable<RunKernelJobAnswerInput> | Iterable<RunKernelJobAnswerInput>;

/**
 * Stands in for notebooks: it reads requests as its contract has them and nothing else, and answers as the first word of
 * the code says.
 */
export async function kernelJobs(keys: ServiceKeys) {
  const jobs: SeenJob[] = [];
  const checks: { readonly organisationId: string; readonly programs: CheckProgramsRequest['programs'] }[] = [];
  const notebooks = new Map<string, { id: string; code: string }>();
  const released = Promise.withResolvers<undefined>();
  const refused = new Set<string>();
  let refusals = 0;
  let mayStart = false;

  const programs: Readonly<Record<string, Program>> = {
    *double({ start, inputs }) {
      const rows = [...inputs.values()].flatMap(linesOf).map((line) => JSON.parse(line) as { amount: number });
      yield { log: { text: `read ${rows.length} ro`, isError: false } };
      yield { log: { text: 'ws\nand \u001b[31mred\u001b[0m', isError: true } };
      const factor = Number(start.parameters['factor'] ?? 2);
      const made = rows.map((row) => JSON.stringify({ ...row, amount: row.amount * factor }));
      yield* written(start, `${made.join('\n')}\n`);
      yield* succeeded();
    },
    *raises() {
      yield { log: { text: 'before\n', isError: false } };
      yield* failed(
        'exception',
        'Traceback (most recent call last):\n  Cell 1, line 1\nZeroDivisionError: division by zero',
      );
    },
    *cries() {
      yield* failed('exception', `${'😀'.repeat(1_500)}.`);
    },
    *values({ start }) {
      yield* written(start, '[1,2]\n5\n');
      yield* succeeded();
    },
    *nothing() {
      yield* succeeded();
    },
    *empties({ start }) {
      yield* written(start, '');
      yield* succeeded();
    },
    *floods({ start }) {
      const line = `${JSON.stringify({ text: 'x'.repeat(1000) })}\n`;
      const chunk = Buffer.from(line.repeat(200));
      for (let bytes = 0; bytes < 80 * 2 ** 20; bytes += chunk.length) {
        yield { rows: { dataset: start.outputs[0] ?? '', chunk, isLast: false } };
      }
      yield* succeeded();
    },
    async *sleeps({ start }, { signal }) {
      yield { started: {} };
      await delay(start.timeLimitSeconds * 1000, undefined, { signal });
      yield* failed('timed_out', `It took longer than ${start.timeLimitSeconds} s`);
    },
    /** Until the test goes on; what is begun afterwards ends at once. */
    async *waits({ start }, { signal }) {
      await Promise.race([released.promise, once(signal, 'abort')]);
      signal.throwIfAborted();
      yield* written(start, '{"n":1}\n');
      yield* succeeded();
    },
    /** Until the organisation may start kernels again. */
    async *limited(job, context) {
      const code = 'kernel_starts_limit_reached';
      if (mayStart) yield* (programs['double'] as Program)(job, context);
      else throw new DomainError({ kind: 'rate_limited', code, message: 'So many were started already' });
    },
    *dies(job) {
      const before = jobs.filter(({ start }) => start.code === job.start.code).length;
      if (before === 1) yield* failed('died', 'The kernel died');
      else {
        yield* written(job.start, '{"n":1}\n');
        yield* succeeded();
      }
    },
    // oxlint-disable-next-line require-yield -- it is refused before anything comes of it
    *full() {
      throw conflict('too_many_kernels', 'So many kernels run already');
    },
    async *crowded(job, context) {
      refusals += 1;
      if (refusals < 3) throw conflict('too_many_kernels', 'So many kernels run already');
      yield* (programs['double'] as Program)(job, context);
    },
  };

  const textOf = ({ code, notebookId }: Pick<KernelJobStart, 'code' | 'notebookId'>): string =>
    code || ([...notebooks.values()].find(({ id }) => id === notebookId)?.code ?? '');

  async function* runKernelJob(requests: AsyncIterable<RunKernelJobRequest>, context: CallContext) {
    const job = { ...(await jobOf(requests)), organisationId: context.organisationId(), end: undefined } as SeenJob;
    jobs.push(job);
    const program = programs[textOf(job.start).split(/\W/)[0] ?? ''];
    if (!program) throw notFound('Notebook');
    try {
      yield* program(job, context);
      job.end = 'finished';
    } finally {
      job.end ??= 'left';
    }
  }

  const checkKernelAccess = (_request: unknown, context: CallContext) => {
    if (!refused.has(context.organisationId())) return {};
    throw notProvided('no_sandbox', 'Kernels are for another organisation here');
  };

  const findNotebook = ({ name }: FindNotebookRequest) => {
    const found = [...notebooks].find(([one, { id }]) => one === name || id === name);
    if (!found) throw notFound('Notebook');
    return { id: found[1].id, name: found[0], language: 'python' };
  };

  /** Of a notebook its second cell is wrong. */
  const checkPrograms = ({ programs }: CheckProgramsRequest, context: CallContext) => {
    checks.push({ organisationId: context.organisationId(), programs });
    const errors = programs.flatMap(({ code, notebookId, parameters }, program): ProgramErrorInput[] => {
      const wrong = { program, cell: notebookId === null ? null : 1, message: 'SyntaxError: invalid syntax' };
      if ('class' in parameters) {
        return [{ ...wrong, cell: null, message: 'Parameters: no variable is called class', line: null, column: null }];
      }
      return textOf({ code, notebookId }).startsWith('no Python') ? [{ ...wrong, line: 2, column: 5 }] : [];
    });
    return { errors };
  };

  const { address, close } = await standIn(
    notebooksContract,
    { KernelJobService: { runKernelJob, checkKernelAccess, findNotebook, checkPrograms } },
    keys,
  );
  return {
    address,
    close,
    jobs,
    checks,
    refuse: (organisationId: string) => void refused.add(organisationId),
    allowStarts: () => void (mayStart = true),
    release: () => released.resolve(undefined),
    addNotebook(name: string, code: string): string {
      const id = newId();
      notebooks.set(name, { id, code });
      return id;
    },
    rename(name: string, to: string) {
      const notebook = notebooks.get(name);
      notebooks.delete(name);
      if (notebook) notebooks.set(to, notebook);
    },
    remove: (name: string) => void notebooks.delete(name),
  };
}

/** The start, and then one input after the other, each to its end. */
async function jobOf(requests: AsyncIterable<RunKernelJobRequest>): Promise<Pick<SeenJob, 'start' | 'inputs'>> {
  const read = requests[Symbol.asyncIterator]();
  const next = async (): Promise<RunKernelJobRequest> => {
    const result = await read.next();
    if (result.done) throw new Error('the requests end too early');
    return result.value;
  };
  const { start } = await next();
  if (!start || (start.code === '') === (start.notebookId === null)) throw new Error('it does not begin as it has to');
  const inputs = new Map<string, string>();
  for (const name of start.inputs) {
    const pieces: Uint8Array[] = [];
    for (let isLast = false; !isLast;) {
      const { rows } = await next();
      if (rows?.dataset !== name) throw new Error(`these are no rows of ${name}`);
      if (rows.chunk.byteLength > MAX_CHUNK) throw new Error('a piece is too large');
      pieces.push(rows.chunk);
      isLast = rows.isLast;
    }
    inputs.set(name, Buffer.concat(pieces).toString());
  }
  if (!(await read.next()).done) throw new Error('there is more than the inputs');
  return { start, inputs };
}

const linesOf = (text: string): string[] => text.split('\n').filter((line) => line !== '');

function* written({ outputs: [dataset = ''] }: KernelJobStart, text: string): Generator<RunKernelJobAnswerInput> {
  const bytes = Buffer.from(text);
  // Cut where no line ends.
  const [first, rest] = [bytes.subarray(0, 5), bytes.subarray(5)];
  if (first.length > 0) yield { rows: { dataset, chunk: first, isLast: false } };
  yield { rows: { dataset, chunk: rest, isLast: true } };
}

function* succeeded(): Generator<RunKernelJobAnswerInput> {
  yield { finished: { outcome: 'SUCCEEDED', code: '', message: '', seconds: 0.5, cell: null } };
}

function* failed(code: string, message: string): Generator<RunKernelJobAnswerInput> {
  yield { finished: { outcome: 'FAILED', code, message, seconds: 0.5, cell: null } };
}
