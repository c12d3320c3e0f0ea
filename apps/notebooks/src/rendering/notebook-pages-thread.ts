import { fairTurns, unavailable } from '@platform/core';
import { Piscina } from 'piscina';
import type { NotebookPages } from '../domain/notebooks/notebook-pages.ts';
import type { NotebookToShow } from './notebook-html.ts';

export interface NotebookPagesThread extends NotebookPages {
  /** Ends the thread; whoever still waits is refused. */
  readonly close: () => Promise<void>;
}

/** Makes pages one after the other in a thread of their own. The organisations take turns. */
export function notebookPagesThread(): NotebookPagesThread {
  const turns = fairTurns({ places: 1, share: 1, maxWaiting: 4, maxWaitingInAll: 16, patienceMs: 10_000 });
  const pool = new Piscina<NotebookToShow, string>({
    filename: new URL('notebook-html-worker.ts', import.meta.url).href,
    minThreads: 0,
    maxThreads: 1,
    idleTimeout: 30_000,
  });
  let closed = false;
  const stopped = () => closed;
  return {
    html: (organisationId, name, text) =>
      turns.inTurn('tenants', organisationId, async () => {
        try {
          return await pool.run({ name, text });
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
