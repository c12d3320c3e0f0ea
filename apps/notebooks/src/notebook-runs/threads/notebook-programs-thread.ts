import { workerPool } from '@platform-backend/worker-threads';
import { notebookTooComplex } from '../../notebooks/domain/errors.ts';
import type { NotebookPrograms, ParameterisedNotebook, RunnableNotebook } from '../domain/notebook-programs.ts';
import { assignmentsOf } from '../domain/parameters.ts';
import type { ProgramTask } from './notebook-programs-worker.ts';

export interface NotebookProgramsThread extends NotebookPrograms {
  /** Ends the thread; whoever still waits is refused. */
  readonly close: () => Promise<void>;
}

/** Reads notebooks for runs; one of 16 MiB with what it has shown takes some tenths of a second. */
export function notebookProgramsThread(): NotebookProgramsThread {
  const { run, close } = workerPool<ProgramTask, string | RunnableNotebook>({
    worker: new URL('notebook-programs-worker.ts', import.meta.url),
    maxWaitingOfOne: 32,
    maxWaiting: 128,
    // A run that is over waits for its result rather than be carried out again.
    waitTimeoutMs: 60_000,
    taskTimeoutMs: 15_000,
    maxMemoryMb: 1_024,
    limitError: notebookTooComplex,
  });
  const read: NotebookPrograms['read'] = async (organisationId, notebook) => {
    // Refused here: an error of the thread has no kind.
    assignmentsOf(notebook.parameters);
    return (await run(organisationId, taskOf(notebook))) as RunnableNotebook;
  };
  return {
    read,
    cellsOf: async (organisationId, notebook) => (await read(organisationId, notebook)).cells,
    textOf: async (organisationId, notebook, shown) =>
      (await run(organisationId, { ...taskOf(notebook), shown })) as string,
    close,
  };
}

const taskOf = ({ text, parameters }: ParameterisedNotebook): ProgramTask => ({
  text,
  parameters: JSON.stringify(parameters),
});
