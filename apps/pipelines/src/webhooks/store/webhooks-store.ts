import {
  advisoryLock,
  changesIn,
  columns,
  countOf,
  firstOrThrow,
  listPage,
  recordEventsOf,
  type Database,
  type Knex,
} from '@platform-backend/postgres';
import { webhookNotFound } from '../domain/errors.ts';
import type { Webhook } from '../domain/webhook.ts';
import type { Webhooks } from '../domain/webhooks.ts';

export const webhookColumns = columns<Webhook>({
  id: 'id',
  description: 'description',
  url: 'url',
  enabled: 'enabled',
  sealedSecret: 'secret',
  formerSealedSecret: 'former_secret',
  formerUntil: 'former_secret_until',
  createdAt: 'created_at',
  updatedAt: 'updated_at',
});

/** Webhooks in PostgreSQL. */
export function webhooksStore(database: Database): Webhooks {
  const changes = changesIn(database, recordEventsOf('pipelines'));
  return {
    get: (organisationId, id) => database.tenant(organisationId, (trx) => loadWebhook(trx, organisationId, id)),

    list: (organisationId, { order, ...page }) =>
      database.tenant(organisationId, (trx) =>
        listPage(of(trx, organisationId).select(webhookColumns.names), page, {
          order,
          read: (rows) => rows.map(webhookColumns.read),
        }),
      ),

    known: (organisationId, ids) =>
      database.tenant(organisationId, async (trx) => {
        const rows = await of(trx, organisationId)
          .whereIn('id', [...ids])
          .select<{ id: string }[]>('id');
        return new Set(rows.map(({ id }) => id));
      }),

    add: (by, decide) =>
      changes.update(by, decide, {
        async load(trx) {
          await advisoryLock(trx, `webhooks of ${by.organisationId}`);
          return countOf(of(trx, by.organisationId));
        },
        save: (trx, webhook) =>
          trx('webhooks').insert({ ...webhookColumns.write(webhook), organisation_id: by.organisationId }),
      }),

    update: (by, id, decide) =>
      changes.update(by, decide, {
        load: (trx) => loadWebhook(trx, by.organisationId, id, 'locked'),
        save: (trx, webhook) => of(trx, by.organisationId).where({ id }).update(webhookColumns.write(webhook)),
      }),

    remove: (by, id, decide) =>
      changes.update(by, decide, {
        load: (trx) => loadWebhook(trx, by.organisationId, id, 'locked'),
        save: (trx) => of(trx, by.organisationId).where({ id }).delete(),
      }),
  };
}

/** Locked, but others may refer to it meanwhile. NOT_FOUND: there is none. */
export async function loadWebhook(
  trx: Knex.Transaction,
  organisationId: string,
  id: string,
  lock: 'locked' | 'unlocked' = 'unlocked',
): Promise<Webhook> {
  const query = of(trx, organisationId).where({ id });
  if (lock === 'locked') void query.forNoKeyUpdate();
  return firstOrThrow(query, webhookColumns, webhookNotFound);
}

/** With what they were told. */
export const removeWebhooks = async (trx: Knex.Transaction, organisationId: string): Promise<void> => {
  await trx('webhook_deliveries').where({ organisation_id: organisationId }).delete();
  await of(trx, organisationId).delete();
};

const of = (trx: Knex.Transaction, organisationId: string) =>
  trx('webhooks').where({ organisation_id: organisationId });
