import { newId } from '@platform-backend/core';
import { columns, jsonColumn, type Knex } from '@platform-backend/postgres';
import { addNotifications } from '../../notifications/store/notifications-store.ts';
import { runNotifications, type NotifyingPipeline } from '../domain/run-notifications.ts';
import type { Run } from '../domain/run.ts';

const notifyingColumns = columns<NotifyingPipeline>({
  name: 'name',
  notificationSettings: jsonColumn('notification_settings'),
  notifyOn: 'notify_on',
  pausedReason: 'paused_reason',
});

/** Notes down who has to hear of runs that are over now, in the transaction that ends them. */
export async function addRunNotifications(
  trx: Knex.Transaction,
  organisationId: string,
  over: readonly Run[],
  at: Date,
): Promise<void> {
  const rows = await trx('pipelines')
    .where({ organisation_id: organisationId })
    .whereIn('id', [...new Set(over.map(({ pipelineId }) => pipelineId))])
    .select<{ id: string }[]>('id', ...notifyingColumns.names);
  const pipelines = new Map(rows.map((row) => [row.id, notifyingColumns.read(row)]));
  for (const run of over) {
    const pipeline = pipelines.get(run.pipelineId);
    const told = pipeline ? runNotifications(pipeline, run, newId, at) : [];
    await addNotifications(trx, organisationId, { run_id: run.id }, told);
  }
}
