import { untilFirst, type Database } from '@platform-backend/postgres';
import type { DueItem } from '../domain/notifications.ts';

type DueTable = 'task_executions' | 'task_notifications' | 'webhook_deliveries';

/** Opens those of all organisations. */
const DUE = { 'app.tasks': 'due' };

/** In how many milliseconds the first of them is due; undefined: none will be. */
export const untilDueItem = (database: Database, table: DueTable, at: Date): Promise<number | undefined> =>
  untilFirst(database, { table, column: 'look_at', settings: DUE }, at);

/**
 * What there is to look after in a table, organisation by organisation in turn: first of each what waits longest, then of each
 * the next. However much one of them has, the others wait for a single round. Those of `busy` are left for later.
 */
export const dueItems = (
  database: Database,
  table: DueTable,
  at: Date,
  limit: number,
  busy: readonly string[] = [],
): Promise<readonly DueItem[]> =>
  database
    .systemStatement<{ id: string; organisation_id: string }>(DUE_IN_TURN[table], [at, limit, busy], DUE)
    .then((rows) => rows.map(({ id, organisation_id: organisationId }) => ({ id, organisationId })));

/** One look into the index by organisation finds the next of them, and one more what is due there. */
const dueInTurn = (table: string) => ({
  name: `due-${table}`,
  text: `
  WITH RECURSIVE organisations AS (
    (SELECT organisation_id FROM ${table} WHERE look_at IS NOT NULL ORDER BY organisation_id LIMIT 1)
    UNION ALL
    SELECT next.organisation_id FROM organisations, LATERAL (
      SELECT organisation_id FROM ${table}
      WHERE look_at IS NOT NULL AND organisation_id > organisations.organisation_id
      ORDER BY organisation_id LIMIT 1
    ) AS next
  )
  SELECT due.id, due.organisation_id FROM organisations, LATERAL (
    SELECT id, organisation_id, look_at, row_number() OVER (ORDER BY look_at, id) AS round FROM ${table} AS items
    WHERE items.organisation_id = organisations.organisation_id AND look_at <= $1
      AND organisations.organisation_id <> ALL ($3::text[])
    ORDER BY look_at, id LIMIT $2
  ) AS due
  ORDER BY round, look_at, id LIMIT $2`,
});

const DUE_IN_TURN = {
  task_executions: dueInTurn('task_executions'),
  task_notifications: dueInTurn('task_notifications'),
  webhook_deliveries: dueInTurn('webhook_deliveries'),
};
