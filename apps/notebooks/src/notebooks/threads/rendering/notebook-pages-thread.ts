import { notebookTooComplex } from '../../domain/errors.ts';
import type { NotebookPages } from '../../domain/notebook-pages.ts';
import { fairThread } from '../fair-thread.ts';
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
  const { run, close } = fairThread<NotebookToShow, string>({
    worker: new URL('notebook-html-worker.ts', import.meta.url),
    mayWaitOfOne: 4,
    mayWait: 16,
    timeoutMs: 30_000,
    limitMs: 25_000,
    tooMuch: notebookTooComplex,
  });
  return { html: (organisationId, name, text) => run(organisationId, { name, text }), close };
}
