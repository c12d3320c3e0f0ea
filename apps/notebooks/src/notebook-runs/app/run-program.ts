import type { KernelSignal } from '../domain/job-messages.ts';
import { exceptionFailure, goneFailure, timedOut, type JobFailure } from '../domain/kernel-job.ts';
import type { ProgramCell } from '../domain/notebook-program.ts';
import { KernelGone, type ExecuteReply, type JobKernel } from './job-kernel.ts';

export interface ProgramRun {
  readonly cells: readonly ProgramCell[];
  readonly timeLimitSeconds: number;
  /** Told of what a cell prints and shows; a promise holds the kernel back. */
  readonly hear: (at: number, word: KernelSignal) => void | Promise<void>;
  /** A cell that had something to execute is done. */
  readonly done?: (at: number, reply: ExecuteReply) => Promise<void>;
}

/** Executes cells in their order, up to the first that fails, and answers why that is so; undefined when none did. */
export async function runProgram(
  kernel: JobKernel,
  { cells, timeLimitSeconds, hear, done }: ProgramRun,
): Promise<JobFailure | undefined> {
  const late = new AbortController();
  const limit = setTimeout(() => {
    late.abort();
    // What does not stop is started anew, and the program ends with that.
    kernel.interrupt().catch(() => undefined);
  }, timeLimitSeconds * 1_000);
  try {
    for (const [at, { code, cellIndex, mayFail }] of cells.entries()) {
      if (code === undefined) continue;
      try {
        const reply = await kernel.execute({ code, isSilent: false, mayAsk: false, hear: (word) => hear(at, word) });
        await done?.(at, reply);
        if (late.signal.aborted) return timedOut(timeLimitSeconds, cellIndex);
        if (reply.status === 'error' && !mayFail) return exceptionFailure(reply.errorName, reply.errorText, cellIndex);
      } catch (error) {
        if (!(error instanceof KernelGone)) throw error;
        return late.signal.aborted ? timedOut(timeLimitSeconds, cellIndex) : goneFailure(error.message, cellIndex);
      }
    }
    return undefined;
  } finally {
    clearTimeout(limit);
  }
}
