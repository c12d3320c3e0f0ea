import { notebookTooComplex } from '../../notebooks/domain/errors.ts';
import { fairThread } from '../../notebooks/threads/fair-thread.ts';
import type { ProgramCell } from '../domain/notebook-program.ts';
import type { NotebookPrograms } from '../domain/notebook-programs.ts';
import { assignmentsOf } from '../domain/parameters.ts';
import type { ProgramTask } from './notebook-programs-worker.ts';

export interface NotebookProgramsThread extends NotebookPrograms {
  /** Ends the thread; whoever still waits is refused. */
  readonly close: () => Promise<void>;
}

/** Reads notebooks for runs; one of 16 MiB with what it has shown takes some tenths of a second. */
export function notebookProgramsThread(): NotebookProgramsThread {
  const { run, close } = fairThread<ProgramTask, string | readonly ProgramCell[]>({
    worker: new URL('notebook-programs-worker.ts', import.meta.url),
    mayWaitOfOne: 32,
    mayWait: 128,
    // A run that is over waits for its result rather than be carried out again.
    timeoutMs: 60_000,
    limitMs: 15_000,
    tooMuch: notebookTooComplex,
  });
  return {
    async cellsOf(organisationId, notebook) {
      // Refused here: an error of the thread has no kind.
      assignmentsOf(notebook.parameters);
      return (await run(organisationId, notebook)) as readonly ProgramCell[];
    },
    textOf: async (organisationId, notebook, shown) => (await run(organisationId, { ...notebook, shown })) as string,
    close,
  };
}
