import { columns, jsonColumn, type Database, type Knex } from '@platform-backend/postgres';
import type { TaskNotification } from '../domain/task-notification.ts';
import type { TaskNotifications } from '../domain/task-templates.ts';
import { dueItems } from './due-items.ts';

const notificationColumns = columns<TaskNotification>({
  id: 'id',
  executionId: 'execution_id',
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

/** Who is told how executions have ended, in PostgreSQL. */
export const taskNotificationsStore = (database: Database): TaskNotifications => ({
  due: (at, limit) => dueItems(database, 'task_notifications', at, limit),

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

export async function addNotifications(
  trx: Knex.Transaction,
  organisationId: string,
  notifications: readonly TaskNotification[],
): Promise<void> {
  const rows = notifications.map((one) => ({ ...notificationColumns.write(one), organisation_id: organisationId }));
  await trx.batchInsert('task_notifications', rows, 200);
}

export async function notificationsOfExecution(
  trx: Knex.Transaction,
  organisationId: string,
  executionId: string,
): Promise<readonly TaskNotification[]> {
  const rows = await trx('task_notifications')
    .where({ organisation_id: organisationId, execution_id: executionId })
    .orderBy('id')
    .select<object[]>(notificationColumns.names);
  return rows.map(notificationColumns.read);
}

const named = (trx: Knex.Transaction, organisationId: string, id: string) =>
  trx('task_notifications').where({ organisation_id: organisationId, id });
