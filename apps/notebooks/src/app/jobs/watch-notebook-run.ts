import { stepOf, type NotebookRun } from '../../domain/jobs/notebook-run.ts';
import type { NotebookRuns } from '../../domain/jobs/notebook-runs.ts';

export interface NotebookRunUpdate {
  /** Of what is told with it. */
  readonly step: string;
  readonly run: NotebookRun;
  /** Nothing comes after it. */
  readonly isLast: boolean;
}

export interface WatchedRun {
  readonly organisationId: string;
  readonly notebookId: string;
  readonly runId: string;
  /** The step that the reader knows already; empty: none. */
  readonly known: string;
  readonly signal: AbortSignal;
}

/** How often it is looked up; whatever carries it out writes no more often. */
const LOOK_MS = 500;

/**
 * A run now and whenever it has come further, until it is over. Whoever reads slowly misses steps in between, and nothing
 * piles up. NOT_FOUND, at once or later: it is not there.
 */
export async function* watchNotebookRun(
  runs: Pick<NotebookRuns, 'get'>,
  { organisationId, notebookId, runId, known, signal }: WatchedRun,
): AsyncGenerator<NotebookRunUpdate> {
  let told = known;
  while (!signal.aborted) {
    const run = await runs.get(organisationId, notebookId, runId);
    const [step, isLast] = [stepOf(run), run.finishedAt !== null];
    if (step !== told) yield { step, run, isLast };
    if (isLast) return;
    told = step;
    await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
  }
}
