import { columns, jsonColumn, type Database, type Knex } from '@platform-backend/postgres';
import type { Notification } from '../domain/notification.ts';
import type { Notifications } from '../domain/notifications.ts';
import { dueItems, untilDueItem } from './due-items.ts';

const notificationColumns = columns<Notification>({
  id: 'id',
  method: 'method',
  recipient: 'recipient',
  title: 'title',
  text: 'text',
  status: 'status',
  attempts: jsonColumn('attempts'),
  takes: 'takes',
  nextAttemptAt: 'look_at',
  createdAt: 'created_at',
});

/** Of what the end is told: by the column that has its id. It goes with it. */
export type NotificationSubject = { readonly execution_id: string } | { readonly run_id: string };

/** Who is told how things have ended, in PostgreSQL. */
export const notificationsStore = (database: Database): Notifications => ({
  due: (at, limit) => dueItems(database, 'task_notifications', at, limit),

  untilDue: (at) => untilDueItem(database, 'task_notifications', at),

  take: ({ organisationId, id }, decide) =>
    database.tenant(organisationId, async (trx) => {
      const row = await named(trx, organisationId, id).forUpdate().skipLocked().first<object | undefined>();
      const taken = row && decide(notificationColumns.read(row));
      if (!taken) return null;
      await named(trx, organisationId, id).update(notificationColumns.write(taken));
      return taken;
    }),

  update: ({ organisationId, id }, decide) =>
    database.tenant(organisationId, async (trx) => {
      const row = await named(trx, organisationId, id).forUpdate().first<object | undefined>();
      if (row)
        await named(trx, organisationId, id).update(notificationColumns.write(decide(notificationColumns.read(row))));
    }),
});

/** In the transaction that ends what they are told of. */
export async function addNotifications(
  trx: Knex.Transaction,
  organisationId: string,
  subject: NotificationSubject,
  notifications: readonly Notification[],
): Promise<void> {
  const rows = notifications.map((one) => ({
    ...notificationColumns.write(one),
    ...subject,
    organisation_id: organisationId,
  }));
  await trx.batchInsert('task_notifications', rows, 200);
}

export async function notificationsOf(
  trx: Knex.Transaction,
  organisationId: string,
  subject: NotificationSubject,
): Promise<readonly Notification[]> {
  const rows = await trx('task_notifications')
    .where({ organisation_id: organisationId, ...subject })
    .orderBy('id')
    .select<object[]>(notificationColumns.names);
  return rows.map(notificationColumns.read);
}

const named = (trx: Knex.Transaction, organisationId: string, id: string) =>
  trx('task_notifications').where({ organisation_id: organisationId, id });
