import { workerPool } from '@platform-backend/worker-threads';
import { notebookTooComplex } from '../../domain/errors.ts';
import type { FormatProblem, NotebookFormat, SavedContents } from '../../domain/notebook-format.ts';
import type { NotebookContent } from '../../domain/notebook.ts';
import type { TextToCheck } from './check-saved.ts';

export interface NotebookFormatThread extends NotebookFormat {
  /** Ends the thread; whoever still waits is refused. */
  readonly close: () => Promise<void>;
}

/** Checks notebooks; one of 16 MiB takes long. */
export function notebookFormatThread(): NotebookFormatThread {
  const { run, close } = workerPool<TextToCheck, SavedContents>({
    worker: new URL('notebook-format-worker.ts', import.meta.url),
    maxWaitingOfOne: 16,
    maxWaiting: 64,
    waitTimeoutMs: 10_000,
    taskTimeoutMs: 15_000,
    maxMemoryMb: 1_024,
    limitError: notebookTooComplex,
  });
  return {
    check: async (organisationId, text) =>
      (await run(organisationId, { text, isSaved: false })) as NotebookContent | FormatProblem,
    checkSaved: (organisationId, text) => run(organisationId, { text, isSaved: true }),
    close,
  };
}
