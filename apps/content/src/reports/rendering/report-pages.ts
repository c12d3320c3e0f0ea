import { fairSemaphore, unavailable } from '@platform-backend/core';
import { Piscina } from 'piscina';
import { reportTooComplex } from '../domain/errors.ts';
import type { Report } from '../domain/report.ts';
import type { ReportPages } from '../domain/reports.ts';
import type { RenderingTask } from './report-worker.ts';

export interface ReportPagesThreads extends ReportPages {
  /** Ends the threads; whoever still waits is refused. */
  readonly close: () => Promise<void>;
}

/** How long a report waits for a thread, and may take there. */
const TIMEOUT_MS = 5_000;
const DEADLINE_MS = 10_000;
/** Later than this nobody is answered, so that callers who wait for longer are told what it was. */
export const ANSWERED_WITHIN_MS = TIMEOUT_MS + DEADLINE_MS;

/**
 * Reports as pages, made in threads of their own, of bounded time and memory: the service goes on answering meanwhile. The
 * organisations take turns. The threads are there only while they are needed.
 */
export function reportPages({
  threads = 2,
  mayWait = 64,
  mayWaitOfOne = 16,
  timeoutMs = TIMEOUT_MS,
  deadlineMs = DEADLINE_MS,
} = {}): ReportPagesThreads {
  const turns = fairSemaphore({
    places: threads,
    share: Math.max(1, threads - 1),
    maxWaiting: mayWaitOfOne,
    maxWaitingInAll: mayWait,
    timeoutMs,
  });
  const pool = new Piscina<RenderingTask, Uint8Array>({
    filename: new URL('report-worker.ts', import.meta.url).href,
    minThreads: 0,
    maxThreads: threads,
    idleTimeout: 30_000,
    resourceLimits: { maxOldGenerationSizeMb: 256 },
  });
  let closed = false;
  const stopped = () => closed;

  async function render(format: RenderingTask['format'], { title, markdown, updatedAt }: Report): Promise<Buffer> {
    const signal = AbortSignal.timeout(deadlineMs);
    try {
      const made = await pool.run({ format, report: { title, markdown, updatedAt } }, { signal });
      return Buffer.from(made.buffer, made.byteOffset, made.byteLength);
    } catch (error) {
      if (stopped()) throw unavailable(error);
      if (signal.aborted || isTooMuch(error)) {
        throw reportTooComplex();
      }
      throw error;
    }
  }

  const page = (format: RenderingTask['format']) => async (organisationId: string, report: Report) => {
    if (stopped()) throw unavailable(new Error('the service stops'));
    return turns.inTurn('tenants', organisationId, () => render(format, report));
  };

  return {
    html: page('html'),
    pdf: page('pdf'),
    close: async () => {
      closed = true;
      await pool.destroy();
    },
  };
}

/** Memory, or elements in each other. */
function isTooMuch(error: unknown): boolean {
  const { code = '', message = '' } = error as { readonly code?: string; readonly message?: string };
  return code === 'ERR_WORKER_OUT_OF_MEMORY' || message.includes('call stack');
}
