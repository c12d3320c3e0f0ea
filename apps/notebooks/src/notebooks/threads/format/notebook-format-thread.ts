import { conflict } from '@platform-backend/core';
import type { FormatProblem, NotebookFormat } from '../../domain/notebook-format.ts';
import type { NotebookContent } from '../../domain/notebook.ts';
import { fairThread } from '../fair-thread.ts';

export interface NotebookFormatThread extends NotebookFormat {
  /** Ends the thread; whoever still waits is refused. */
  readonly close: () => Promise<void>;
}

/** Checks notebooks; one of 16 MiB takes long. */
export function notebookFormatThread(): NotebookFormatThread {
  const { run, close } = fairThread<string, NotebookContent | FormatProblem>({
    worker: new URL('notebook-format-worker.ts', import.meta.url),
    mayWaitOfOne: 16,
    mayWait: 64,
    timeoutMs: 10_000,
    limitMs: 15_000,
    tooMuch: () => conflict('notebook_too_complex', 'The notebook is too complex to be checked; make it simpler'),
  });
  return { check: run, close };
}
