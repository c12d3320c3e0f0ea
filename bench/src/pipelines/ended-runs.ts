import { setTimeout as delay } from 'node:timers/promises';
import type pg from 'pg';

/** How often it is looked whether runs have ended: what a run is measured to take is at most so much too long. */
const LOOK_MS = 2;

/** Waits for the ends of runs as they stand in the database, committed; all that are waited for are one small query. */
export function endedRuns(admin: pg.Client) {
  const waiting = new Map<string, (status: string) => void>();
  let looking = false;

  async function look(): Promise<void> {
    looking = true;
    while (waiting.size > 0) {
      const { rows } = await admin.query<{ id: string; status: string }>({
        name: 'ended',
        // Each by its key, however few the planner takes for over: what is measured shall not be this.
        text: `SELECT id, status FROM unnest($1::uuid[]) AS waiting (id)
               CROSS JOIN LATERAL (SELECT status, finished_at FROM runs WHERE runs.id = waiting.id OFFSET 0) AS run
               WHERE finished_at IS NOT NULL`,
        values: [[...waiting.keys()]],
      });
      for (const { id, status } of rows) {
        waiting.get(id)?.(status);
        waiting.delete(id);
      }
      await delay(LOOK_MS * Math.max(1, Math.min(waiting.size, 10)));
    }
    looking = false;
  }

  /** Fails when it has not succeeded. */
  return async (runId: string): Promise<void> => {
    const status = await new Promise<string>((resolve, reject) => {
      waiting.set(runId, resolve);
      if (!looking) look().catch(reject);
    });
    if (status !== 'Succeeded') throw new Error(`a run ended as ${status}`);
  };
}
