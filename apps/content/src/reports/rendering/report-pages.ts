import { workerPool } from '@platform-backend/worker-threads';
import { reportTooComplex } from '../domain/errors.ts';
import type { Report } from '../domain/report.ts';
import type { ReportPages } from '../domain/reports.ts';
import type { RenderingTask } from './report-worker.ts';

export interface ReportPagesThreads extends ReportPages {
  /** Ends the threads; whoever still waits is refused. */
  readonly close: () => Promise<void>;
}

const WAIT_TIMEOUT_MS = 5_000;
/** Of processor time: nothing else makes a report too complex. */
const TASK_CPU_MS = 10_000;
/** On a machine that is so busy that this is not enough, the same report may be had later. */
const TASK_TIMEOUT_MS = 14_000;
/** Later than this nobody is answered, so that callers who wait for longer are told what it was. */
export const RENDER_TIMEOUT_MS = WAIT_TIMEOUT_MS + TASK_TIMEOUT_MS;

/** Reports as pages. */
export function reportPages({ taskCpuMs = TASK_CPU_MS, taskTimeoutMs = TASK_TIMEOUT_MS } = {}): ReportPagesThreads {
  const { run, close } = workerPool<RenderingTask, Uint8Array>({
    worker: new URL('report-worker.ts', import.meta.url),
    threads: 2,
    maxWaitingOfOne: 16,
    maxWaiting: 64,
    waitTimeoutMs: WAIT_TIMEOUT_MS,
    taskTimeoutMs,
    taskCpuMs,
    maxMemoryMb: 256,
    limitError: reportTooComplex,
  });
  const page =
    (format: RenderingTask['format']) =>
    async (organisationId: string, { title, markdown, updatedAt }: Report): Promise<Buffer> => {
      const task = { format, report: { title, markdown, updatedAt } };
      const { buffer, byteOffset, byteLength } = await run(organisationId, task);
      return Buffer.from(buffer, byteOffset, byteLength);
    };
  return { html: page('html'), pdf: page('pdf'), close };
}
