import { busy, type ChangeNote } from '@platform-backend/core';
import type { Knex } from 'knex';
import { tenantTable } from './tenancy.ts';

/** A transaction with this setting sees the note of the keyed call that it is part of, whatever organisation it is of. */
export const KEYED_CALL_SETTING = 'app.keyed_call';

/** A transaction with this setting sees all notes, to prune them. */
export const PRUNE_SETTINGS = { 'app.keyed_calls': 'prune' };

/**
 * Creates `keyed_calls`; a migration of every service calls it, `export { createKeyedCalls as up }`. Databases exist
 * that were made by it, so it never changes.
 *
 * @public
 */
export async function createKeyedCalls(knex: Knex): Promise<void> {
  await knex.raw(`
    CREATE TABLE keyed_calls (
      scope text NOT NULL,
      key bytea NOT NULL,
      request bytea NOT NULL,
      call text NOT NULL UNIQUE,
      has_changed boolean NOT NULL DEFAULT false,
      answer bytea,
      lease_until timestamptz(3) NOT NULL,
      expires_at timestamptz(3) NOT NULL,
      PRIMARY KEY (scope, key)
    );
    CREATE INDEX keyed_calls_by_age ON keyed_calls (expires_at);
  `);
  await tenantTable(knex, 'keyed_calls', {
    column: 'scope',
    open: [
      { column: 'call', setting: KEYED_CALL_SETTING, allow: 'all' },
      { setting: 'app.keyed_calls', value: 'prune', allow: 'all' },
    ],
  });
}

/**
 * Notes in a transaction that the keyed call it is part of has changed something, if it has: PostgreSQL gives a number to
 * transactions that write. Answers whether it was noted; throws when somebody else carries the call out by now.
 */
export async function noteChange(trx: Knex.Transaction, { call }: ChangeNote): Promise<boolean> {
  const { rows } = await trx.raw<{ rows: { changed: boolean; noted: boolean }[] }>(
    `WITH noted AS (
       UPDATE keyed_calls SET has_changed = true
       WHERE call = ? AND pg_current_xact_id_if_assigned() IS NOT NULL RETURNING 1
     )
     SELECT pg_current_xact_id_if_assigned() IS NOT NULL AS changed, EXISTS (SELECT FROM noted) AS noted`,
    [call.id],
  );
  const [row] = rows;
  if (row?.changed && !row.noted) throw busy();
  return row?.noted === true;
}
