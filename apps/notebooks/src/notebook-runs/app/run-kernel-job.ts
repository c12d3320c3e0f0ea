import { type ActorContext, beginningOf, invalidField } from '@platform-backend/core';
import type { KernelUseCases } from '../../kernels/app/kernels.ts';
import type { KernelLimits } from '../../kernels/domain/kernel-provider.ts';
import type { Json } from '../../notebooks/domain/json.ts';
import type { DatasetsProgram } from '../domain/datasets-program.ts';
import { rowsIncomplete, rowsMissing, unexpectedDataset } from '../domain/errors.ts';
import { textOf, type KernelSignal } from '../domain/job-messages.ts';
import {
  datasetTooLarge,
  exceptionFailure,
  goneFailure,
  maxDatasetBytes,
  type JobAnswer,
  type JobFailure,
  type JobRows,
  type KernelJob,
} from '../domain/kernel-job.ts';
import type { ProgramCell } from '../domain/notebook-program.ts';
import { backpressuredQueue } from './backpressured-queue.ts';
import { jobKernel, KernelGone, type ExecuteReply, type JobExecution, type JobKernel } from './job-kernel.ts';
import { programCells, type ProgramPorts } from './program-cells.ts';
import { runProgram } from './run-program.ts';

export interface KernelJobPorts extends ProgramPorts {
  readonly kernels: Pick<KernelUseCases, 'startJobKernel' | 'stopKernel'>;
  readonly datasets: DatasetsProgram;
  readonly limits: KernelLimits;
}

export type RunKernelJob = ReturnType<typeof kernelJobs>;

/** What `input()` takes at a time: as much as fits into 64 KiB in base64. */
const PIECE_BYTES = 48 * 1024;
const LOG_CHARACTERS = 64 * 1024;
/** A cell is cut off by the limit of the program, and not by that of a request to the kernel. */
const MARGIN_SECONDS = 60;

/** Runs jobs of other services, each in a kernel of its own, which ends with whoever hears of it. */
export function kernelJobs({ kernels, datasets, limits, ...ports }: KernelJobPorts) {
  const run = async (
    kernel: JobKernel,
    job: KernelJob,
    { cells, pieces, answer }: { cells: readonly ProgramCell[]; pieces: AsyncIterator<JobRows> } & Answering,
  ): Promise<void> => {
    let failure: JobFailure | undefined;
    let began = performance.now();
    try {
      await executed(kernel, { code: datasets.begin(job.inputs, job.outputs) });
      failure = await receiveInputs(kernel, job.inputs, pieces);
      if (!failure) await answer({ started: {} });
      began = performance.now();
      failure ??= await runProgram(kernel, {
        cells,
        timeLimitSeconds: job.timeLimitSeconds,
        hear: (_, word) => tellLog(word, answer),
      });
      if (!failure) failure = await sendOutputs(kernel, job.outputs, answer);
    } catch (error) {
      if (error instanceof KernelGone) failure = goneFailure(error.message, null);
      else if (error instanceof OwnCodeFailed) failure = exceptionFailure(error.reason, error.message, null);
      else throw error;
    }
    await answer({ finished: { failure, seconds: (performance.now() - began) / 1_000 } });
  };

  const receiveInputs = async (kernel: JobKernel, inputs: readonly string[], pieces: AsyncIterator<JobRows>) => {
    const missing = new Set(inputs);
    while (missing.size > 0) {
      const first = await nextPiece(pieces);
      const name = first.dataset;
      if (!missing.delete(name)) throw unexpectedDataset({ name });
      const rest = base64Pieces(first, pieces);
      const answer = async (): Promise<string> => {
        const piece = await rest.next();
        return piece.done === true ? '' : piece.value;
      };
      try {
        await executed(kernel, { code: datasets.receive(name), mayAsk: true, answer });
      } catch (error) {
        if (error instanceof TooLarge) return datasetTooLarge(name);
        throw error;
      }
    }
    return undefined;
  };

  const sendOutputs = async (kernel: JobKernel, outputs: readonly string[], answer: Answering['answer']) => {
    for (const dataset of outputs) {
      let bytes = 0;
      let pieces = 0;
      const take = async (prompt: string): Promise<string> => {
        const chunk = Buffer.from(prompt, 'base64');
        pieces += 1;
        bytes += chunk.length;
        if (bytes > maxDatasetBytes) throw new TooLarge();
        await answer({ rows: { dataset, chunk, isLast: false } });
        return '';
      };
      try {
        await executed(kernel, { code: datasets.send(dataset), mayAsk: true, answer: take });
      } catch (error) {
        if (error instanceof TooLarge) return datasetTooLarge(dataset);
        throw error;
      }
      if (pieces > 0) await answer({ rows: { dataset, chunk: new Uint8Array(), isLast: true } });
    }
    return undefined;
  };

  /**
   * What comes of the job, up to its end. NOT_FOUND: no such notebook. CONFLICT, RATE_LIMITED: more kernels than the organisation
   * may have. Ends the kernel when the signal says so, or whoever hears goes.
   */
  return async function* runKernelJob(
    by: ActorContext,
    job: KernelJob,
    pieces: AsyncIterator<JobRows>,
    signal: AbortSignal,
  ): AsyncGenerator<JobAnswer> {
    requireDifferent(job.inputs, 'inputs');
    requireDifferent(job.outputs, 'outputs');
    const cells = await programCells(ports, by.organisationId, job);
    const started = await kernels.startJobKernel(
      { ...by, clientGroupId: null, apiKeyId: null },
      {
        notebookId: 'notebookId' in job.program ? job.program.notebookId : null,
        isCharged: false,
        limits: {
          ...limits,
          executeSeconds: job.timeLimitSeconds + MARGIN_SECONDS,
          memoryBytes: job.memoryBytes ?? limits.memoryBytes,
        },
      },
    );
    const stop = () => kernels.stopKernel(by, started.id).catch(() => undefined);
    const abort = (): void => void stop();
    signal.addEventListener('abort', abort);
    const answers = backpressuredQueue<JobAnswer>();
    try {
      signal.throwIfAborted();
      const kernel = jobKernel(started.handle, started.gone);
      run(kernel, job, { cells, pieces, answer: answers.give }).then(
        () => answers.end(),
        (error: unknown) => answers.end(error),
      );
      yield* answers.items();
    } finally {
      signal.removeEventListener('abort', abort);
      await stop();
    }
  };
}

interface Answering {
  readonly answer: (answer: JobAnswer) => Promise<void>;
}

class TooLarge extends Error {}

/** Code of the platform itself has failed in the kernel, for want of memory or because the program has changed it. */
class OwnCodeFailed extends Error {
  readonly reason: string;
  constructor({ errorName, errorText }: ExecuteReply) {
    super(errorText);
    this.reason = errorName;
  }
}

async function executed(kernel: JobKernel, wanted: Pick<JobExecution, 'code' | 'answer'> & { mayAsk?: boolean }) {
  const reply = await kernel.execute({ isSilent: true, mayAsk: false, ...wanted });
  if (reply.status === 'error') throw new OwnCodeFailed(reply);
}

async function nextPiece(pieces: AsyncIterator<JobRows>): Promise<JobRows> {
  const next = await pieces.next();
  if (next.done) throw rowsMissing();
  return next.value;
}

/** A dataset from its first piece to its last. */
async function* base64Pieces(first: JobRows, pieces: AsyncIterator<JobRows>): AsyncGenerator<string> {
  let bytes = 0;
  for (let piece = first; ; piece = await nextPiece(pieces)) {
    const { dataset, chunk, isLast } = piece;
    if (dataset !== first.dataset) throw rowsIncomplete({ dataset: first.dataset });
    bytes += chunk.length;
    if (bytes > maxDatasetBytes) throw new TooLarge();
    for (let from = 0; from < chunk.length; from += PIECE_BYTES) {
      yield Buffer.from(chunk.subarray(from, from + PIECE_BYTES)).toString('base64');
    }
    if (isLast) return;
  }
}

async function tellLog({ type, content }: KernelSignal, answer: Answering['answer']): Promise<void> {
  const text = logTextOf(type, content);
  const isError = type === 'error' || content['name'] === 'stderr';
  for (let rest = text; rest !== '';) {
    const piece = beginningOf(rest, LOG_CHARACTERS);
    await answer({ log: { text: piece, isError } });
    rest = rest.slice(piece.length);
  }
}

/** What a person would read of it. */
function logTextOf(type: string, content: Readonly<Record<string, Json>>): string {
  if (type === 'stream') return textOf(content['text']);
  if (type === 'error') {
    const traceback = Array.isArray(content['traceback']) ? (content['traceback'] as readonly Json[]) : [];
    return `${traceback.map((line) => textOf(line)).join('\n')}\n`;
  }
  const data = content['data'] as Readonly<Record<string, Json>> | undefined;
  const shown = type === 'execute_result' || type === 'display_data' ? textOf(data?.['text/plain']) : '';
  return shown === '' ? '' : `${shown}\n`;
}

/** Names are the same in upper and lower case. */
function requireDifferent(names: readonly string[], field: string): void {
  const seen = new Set(names.map((name) => name.toLowerCase()));
  if (seen.size === names.length) return;
  throw invalidField(['body', 'start', field], 'a dataset is named twice');
}
