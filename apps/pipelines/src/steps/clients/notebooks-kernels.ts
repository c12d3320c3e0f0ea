import type {
  KernelJobFinished,
  KernelJobServiceClient,
  RunKernelJobRequestInput,
} from '@platform-backend/contract-notebooks';
import { DomainError, endOf, isUnavailable, unavailable } from '@platform-backend/core';
import type { CallOptions } from '@platform-backend/grpc';
import { stripVTControlCharacters } from 'node:util';
import type { QueryPosition } from '../../step-engine/domain/step-job.ts';
import type { KernelJob, KernelJobReport, Kernels, NoKernel } from '../domain/kernel-job.ts';
import { MAX_ROW_BYTES } from '../domain/limits.ts';
import { logLines } from './log-lines.ts';

const timeoutMs = 5_000;

/** For the first check of all a kernel has to start. */
const CHECK_MS = 8_000;

/** For the start of the kernel and for rows, besides the time of the program. */
const BESIDES_MS = 300_000;

/** Less is not enough for a kernel that does nothing. */
const MIN_MEMORY_MB = 256;

const MAX_MESSAGE_LENGTH = 2_000;
const MAX_NAME_LENGTH = 255;

type Client = Pick<
  KernelJobServiceClient<CallOptions>,
  'runKernelJob' | 'findNotebook' | 'checkPrograms' | 'checkKernelAccess'
>;

/** Notebooks over gRPC, called on pipelines' own authority for the organisation. */
export const notebooksKernels = (client: Client): Kernels => ({
  async run(organisationId, job, { signal, onLog, onRan, onRows }) {
    const longestMs = job.limits.seconds * 1000 + BESIDES_MS;
    const options = { caller: { organisationId }, timeoutMs: longestMs, idleMs: longestMs, signal };
    const log = logLines((line) => onLog(stripVTControlCharacters(line)));
    let hasBegun = false;
    let startedAt: number | undefined;
    let bytes = 0;
    let report: KernelJobReport | undefined;
    const ran = (): number => report?.seconds ?? (startedAt === undefined ? 0 : (performance.now() - startedAt) / 1000);
    try {
      for await (const { started, log: piece, rows, finished } of client.runKernelJob(requestsOf(job), options)) {
        hasBegun = true;
        if (started) startedAt = performance.now();
        if (piece) log.write(piece.text);
        if (rows) {
          bytes += rows.chunk.byteLength;
          if (bytes > MAX_ROW_BYTES) return { ...tooLarge(rows.dataset), seconds: ran() };
          await onRows(rows.dataset, rows.chunk);
        }
        if (finished) report = reportOf(finished);
      }
      if (!report) throw new Error('the job ended without saying how');
      return report;
    } catch (error) {
      signal.throwIfAborted();
      return refusalOf(error, hasBegun);
    } finally {
      onRan?.(ran());
      log.end();
    }
  },

  async checkAccess(organisationId) {
    try {
      await client.checkKernelAccess({}, { caller: { organisationId }, timeoutMs });
    } catch (error) {
      if (!isUnavailable(error)) throw error;
    }
  },

  async findNotebook(organisationId, name) {
    if (name.length > MAX_NAME_LENGTH) return undefined;
    try {
      return (await client.findNotebook({ name }, { caller: { organisationId }, timeoutMs })).id;
    } catch (error) {
      if (error instanceof DomainError && error.kind === 'not_found') return undefined;
      throw error;
    }
  },

  async check(organisationId, programs) {
    const checked = programs.map(({ program, parameters }) => ({ ...program, parameters }));
    try {
      const options = { caller: { organisationId }, timeoutMs: CHECK_MS };
      const { errors } = await client.checkPrograms({ programs: checked }, options);
      return errors.map(({ line, column, ...error }) => ({ ...error, position: positionOf(line, column) }));
    } catch (error) {
      // Somebody has removed a notebook since it was found: its step says so when it runs.
      if (error instanceof DomainError && error.kind === 'not_found') return [];
      throw isUnavailable(error) ? unavailable(error, 2) : error;
    }
  },
});

const positionOf = (line: number | null, column: number | null): QueryPosition | undefined =>
  line === null ? undefined : { line, column: column ?? 1 };

async function* requestsOf(job: KernelJob): AsyncGenerator<RunKernelJobRequestInput> {
  const { program, parameters, inputs, output, limits } = job;
  const start = {
    ...program,
    parameters,
    inputs: inputs.map(({ name }) => name),
    outputs: [output],
    timeLimitSeconds: limits.seconds,
    memoryLimitMb: Math.max(limits.memoryMb, MIN_MEMORY_MB),
  };
  yield { start };
  for (const { name: dataset, read } of inputs) {
    for await (const chunk of read()) yield { rows: { dataset, chunk, isLast: false } };
    yield { rows: { dataset, chunk: new Uint8Array(), isLast: true } };
  }
}

function reportOf({ outcome, code, message, seconds, cell }: KernelJobFinished): KernelJobReport {
  if (outcome === 'SUCCEEDED') return { outcome, code: '', message: '', seconds };
  const plain = stripVTControlCharacters(message);
  // The end of a traceback says what happened.
  const end = plain.length > MAX_MESSAGE_LENGTH ? `…${endOf(plain, MAX_MESSAGE_LENGTH)}` : plain;
  const where = cell === null ? '' : `Cell ${cell + 1}: `;
  return { outcome: code === 'died' ? 'ERROR' : 'FAILED', code, message: where + end, seconds };
}

/** A job of which nothing was heard has not begun, and may be tried again; one that was lost is another attempt. */
function refusalOf(error: unknown, hasBegun: boolean): KernelJobReport | NoKernel {
  if (!(error instanceof DomainError)) throw error;
  const { kind, code, message } = error;
  if (isUnavailable(error)) {
    if (!hasBegun) return { outcome: 'AWAY', message: 'No kernel can be started now' };
    return { outcome: 'ERROR', code: 'lost', message: 'The kernel was lost', seconds: 0 };
  }
  if (kind === 'conflict' || kind === 'rate_limited') return { outcome: 'FILL', message };
  if (kind === 'not_found')
    return { outcome: 'FAILED', code: 'not_found', message: 'The notebook is not there', seconds: 0 };
  if (kind === 'invalid' || kind === 'malformed' || kind === 'too_large' || kind === 'not_provided')
    return { outcome: 'FAILED', code, message, seconds: 0 };
  throw error;
}

const tooLarge = (name: string): KernelJobReport => ({
  outcome: 'FAILED',
  code: 'too_large',
  message: `What it wrote to ${name} is larger than ${MAX_ROW_BYTES / 2 ** 20} MiB as JSON lines`,
  seconds: 0,
});
