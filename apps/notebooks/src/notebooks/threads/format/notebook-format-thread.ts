import { notebookTooComplex } from '../../domain/errors.ts';
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
    tooMuch: notebookTooComplex,
  });
  return { check: run, close };
}
