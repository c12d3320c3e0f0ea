import { workerPool } from '@platform-backend/worker-threads';
import { notebookTooComplex } from '../../domain/errors.ts';
import type { NotebookPages } from '../../domain/notebook-pages.ts';
import type { NotebookToShow } from './notebook-html.ts';

export interface NotebookPagesThread extends NotebookPages {
  /** Ends the thread; whoever still waits is refused. */
  readonly close: () => Promise<void>;
}

/**
 * Makes pages of notebooks. One of 16 MiB takes ten seconds; one that is made to take for ever does not, and whoever waits
 * behind it waits for longer than that. Both together are less than the minute after which a client is given up.
 */
export function notebookPagesThread(): NotebookPagesThread {
  const { run, close } = workerPool<NotebookToShow, string>({
    worker: new URL('notebook-html-worker.ts', import.meta.url),
    maxWaitingOfOne: 4,
    maxWaiting: 16,
    waitTimeoutMs: 30_000,
    taskTimeoutMs: 25_000,
    maxMemoryMb: 1_024,
    limitError: notebookTooComplex,
  });
  return { html: (organisationId, name, text) => run(organisationId, { name, text }), close };
}
