import { newId } from '@platform-backend/core';
import {
  columns,
  countOf,
  forgetOldest,
  jsonColumn,
  listPage,
  type Database,
  type Knex,
} from '@platform-backend/postgres';
import type { NotifiedRecipient } from '../../notifications/domain/notification.ts';
import { dueItems, untilDueItem } from '../../notifications/store/due-items.ts';
import type { NotificationSubject } from '../../notifications/store/notifications-store.ts';
import { webhookDeliveryNotFound } from '../domain/errors.ts';
import { payloadOf, type WebhookDelivery, type WebhookEvent } from '../domain/webhook-delivery.ts';
import type { WebhookDeliveries } from '../domain/webhooks.ts';
import { loadWebhook } from './webhooks-store.ts';

const deliveryColumns = columns<WebhookDelivery>({
  id: 'id',
  webhookId: 'webhook_id',
  eventType: 'event_type',
  runId: 'run_id',
  executionId: 'execution_id',
  payload: 'payload',
  status: 'status',
  attempts: jsonColumn('attempts'),
  tries: 'tries',
  nextAttemptAt: 'look_at',
  createdAt: 'created_at',
});

/** What webhooks are told, in PostgreSQL. */
export const webhookDeliveriesStore = (database: Database): WebhookDeliveries => ({
  list: (organisationId, webhookId, statuses, { order, ...page }) =>
    database.tenant(organisationId, (trx) => {
      const deliveries = of(trx, organisationId).where({ webhook_id: webhookId });
      if (statuses.length > 0) void deliveries.whereIn('status', [...statuses]);
      return listPage(deliveries.select(deliveryColumns.names), page, {
        order,
        read: (rows) => rows.map(deliveryColumns.read),
      });
    }),

  addTest: (organisationId, webhookId, decide) =>
    database.tenant(organisationId, async (trx) => {
      const webhook = await loadWebhook(trx, organisationId, webhookId, 'locked');
      const pending = of(trx, organisationId)
        .where({ webhook_id: webhookId, event_type: 'webhook.test' })
        .whereNotNull('look_at');
      const delivery = decide(webhook, await countOf(pending));
      await trx('webhook_deliveries').insert({ ...deliveryColumns.write(delivery), organisation_id: organisationId });
      return delivery;
    }),

  change: (organisationId, webhookId, id, decide) =>
    database.tenant(organisationId, async (trx) => {
      const webhook = await loadWebhook(trx, organisationId, webhookId);
      const row = await of(trx, organisationId)
        .where({ id, webhook_id: webhookId })
        .forUpdate()
        .first<object | undefined>(deliveryColumns.names);
      if (!row) throw webhookDeliveryNotFound();
      const delivery = decide(deliveryColumns.read(row), webhook);
      await of(trx, organisationId).where({ id }).update(deliveryColumns.write(delivery));
      return delivery;
    }),

  due: (at, limit, busy) => dueItems(database, 'webhook_deliveries', at, limit, busy),

  untilDue: (at) => untilDueItem(database, 'webhook_deliveries', at),

  take: ({ organisationId, id }, decide) =>
    database.tenant(organisationId, async (trx) => {
      const row = await of(trx, organisationId)
        .where({ id })
        .forUpdate()
        .skipLocked()
        .first<object | undefined>(deliveryColumns.names);
      const delivery = row && decide(deliveryColumns.read(row));
      if (!delivery) return null;
      const webhook = await loadWebhook(trx, organisationId, delivery.webhookId);
      await of(trx, organisationId).where({ id }).update(deliveryColumns.write(delivery));
      return { delivery, webhook };
    }),

  update: ({ organisationId, id }, decide) =>
    database.tenant(organisationId, async (trx) => {
      const row = await of(trx, organisationId)
        .where({ id })
        .forUpdate()
        .first<object | undefined>(deliveryColumns.names);
      if (row)
        await of(trx, organisationId)
          .where({ id })
          .update(deliveryColumns.write(decide(deliveryColumns.read(row))));
    }),

  forget: (before) => forgetOldest(database, 'webhooks', { table: 'webhook_deliveries', time: 'created_at', before }),
});

/**
 * Notes down what webhooks have to be told, in the transaction of what it tells: those of them that are there and enabled. One that is
 * removed meanwhile is passed over.
 */
export async function addWebhookDeliveries(
  trx: Knex.Transaction,
  organisationId: string,
  subject: NotificationSubject,
  webhookIds: readonly string[],
  event: WebhookEvent,
): Promise<void> {
  if (webhookIds.length === 0) return;
  await trx.raw(ADD_DELIVERIES, {
    organisationId,
    ids: webhookIds.map(() => newId()),
    webhookIds: [...webhookIds],
    type: event.type,
    runId: 'run_id' in subject ? subject.run_id : null,
    executionId: 'execution_id' in subject ? subject.execution_id : null,
    payload: payloadOf(event),
    at: event.at,
  });
}

const ADD_DELIVERIES = `
  INSERT INTO webhook_deliveries
    (id, organisation_id, webhook_id, event_type, run_id, execution_id, payload, status, attempts, tries, look_at, created_at)
  SELECT told.id, :organisationId, told.webhook_id, :type, :runId::uuid, :executionId::uuid, :payload, 'PENDING', '[]', 0, :at, :at
  FROM (
    SELECT named.id, webhooks.id AS webhook_id
    FROM unnest(:ids::uuid[], :webhookIds::uuid[]) AS named (id, webhook_id)
    JOIN webhooks ON webhooks.id = named.webhook_id AND webhooks.organisation_id = :organisationId
    WHERE webhooks.enabled FOR KEY SHARE OF webhooks
  ) AS told`;

/** The webhooks that are told this end, and what became of it. */
export async function toldWebhooks(
  trx: Knex.Transaction,
  organisationId: string,
  subject: NotificationSubject,
): Promise<readonly NotifiedRecipient[]> {
  const rows = await of(trx, organisationId).where(subject).orderBy('id').select<object[]>(deliveryColumns.names);
  return rows.map(deliveryColumns.read).map(({ webhookId: recipient, status, attempts }) => ({
    ...{ method: 'WEBHOOK', recipient, status, attempts },
  }));
}

const of = (trx: Knex.Transaction, organisationId: string) =>
  trx('webhook_deliveries').where({ organisation_id: organisationId });
