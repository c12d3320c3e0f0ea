import { fairTurns, unavailable } from '@platform/core';
import { Piscina } from 'piscina';
import type { FormatProblem, NotebookFormat } from '../domain/notebooks/notebook-format.ts';
import type { NotebookContent } from '../domain/notebooks/notebook.ts';

export interface NotebookFormatThread extends NotebookFormat {
  /** Ends the thread; whoever still waits is refused. */
  readonly close: () => Promise<void>;
}

/**
 * Checks notebooks one after the other in a thread of their own, as one of 16 MiB takes long. The organisations take
 * turns. The thread is there only while it is needed.
 */
export function notebookFormatThread({
  mayWait = 64,
  mayWaitOfOne = 16,
  patienceMs = 10_000,
} = {}): NotebookFormatThread {
  const turns = fairTurns({
    places: 1,
    share: 1,
    maxWaiting: mayWaitOfOne,
    maxWaitingInAll: mayWait,
    patienceMs,
  });
  const pool = new Piscina<string, NotebookContent | FormatProblem>({
    filename: new URL('notebook-format-worker.ts', import.meta.url).href,
    minThreads: 0,
    maxThreads: 1,
    idleTimeout: 30_000,
  });
  let closed = false;
  const stopped = () => closed;
  return {
    check: (organisationId, text) =>
      turns.inTurn('tenants', organisationId, async () => {
        try {
          return await pool.run(text);
        } catch (error) {
          throw stopped() ? unavailable(error) : error;
        }
      }),
    close: async () => {
      closed = true;
      await pool.destroy();
    },
  };
}
