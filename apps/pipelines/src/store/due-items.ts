import type { Database } from '@platform/postgres';
import type { DueItem } from '../domain/task-templates/task-templates.ts';

/** What there is to look after in a table, longest waiting first. */
export const dueItems = (
  database: Database,
  table: 'task_executions' | 'task_notifications',
  at: Date,
  limit: number,
): Promise<readonly DueItem[]> =>
  database.system({ 'app.tasks': 'due' }, async (trx) => {
    const rows = await trx<{ id: string; organisation_id: string; look_at: Date | null }>(table)
      .where('look_at', '<=', at)
      .orderBy('look_at')
      .limit(limit)
      .select('id', 'organisation_id');
    return rows.map(({ id, organisation_id: organisationId }) => ({ id, organisationId }));
  });
