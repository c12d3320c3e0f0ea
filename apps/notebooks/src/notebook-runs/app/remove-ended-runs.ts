import type { Clock } from '@platform-backend/core';
import type { NotebookRuns } from '../domain/notebook-runs.ts';

const DAY_MS = 86_400_000;
const AT_ONCE = 200;

export interface RetentionPorts {
  readonly runs: Pick<NotebookRuns, 'removeEnded'>;
  readonly clock: Clock;
  /** So long runs are kept that are over. */
  readonly retentionDays: number;
}

/** Part by part, so that none of them holds anything for long. */
export async function removeEndedRuns(
  { runs, clock, retentionDays }: RetentionPorts,
  stopping: AbortSignal,
): Promise<void> {
  const before = new Date(clock.now().getTime() - retentionDays * DAY_MS);
  while (!stopping.aborted && (await runs.removeEnded(before, AT_ONCE)) > 0);
}
