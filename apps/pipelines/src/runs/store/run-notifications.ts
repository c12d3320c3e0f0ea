import { newId } from '@platform-backend/core';
import { columns, jsonColumn, type Knex } from '@platform-backend/postgres';
import { webhooksOf } from '../../notifications/domain/notification.ts';
import { addNotifications } from '../../notifications/store/notifications-store.ts';
import { addWebhookDeliveries } from '../../webhooks/store/webhook-deliveries-store.ts';
import { isTold, runEvent, runNotifications, type NotifyingPipeline } from '../domain/run-notifications.ts';
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
    if (!pipeline || !isTold(pipeline, run)) continue;
    const subject = { run_id: run.id };
    await addNotifications(trx, organisationId, subject, runNotifications(pipeline, run, newId, at));
    const webhooks = webhooksOf(pipeline.notificationSettings);
    await addWebhookDeliveries(trx, organisationId, subject, webhooks, runEvent(pipeline, run, at));
  }
}
