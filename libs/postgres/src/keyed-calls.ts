import { busy, CLAIM_LEASE_MS, KEY_LIFE_MS, type ChangeNote, type Claim, type KeyedCalls } from '@platform/core';
import type { Knex } from 'knex';
import type { Database } from './database.ts';
import { tenantTable } from './tenancy.ts';

/** A transaction with this setting sees the note of the keyed call that it is part of, whatever organisation it is of. */
export const KEYED_CALL_SETTING = 'app.keyed_call';

/** A transaction with this setting sees all notes, to prune them. */
const PRUNE_SETTINGS = { 'app.keyed_calls': 'prune' };

/** Rows deleted in one go, so that pruning never holds many locks. */
const PRUNE_LIMIT = 5_000;

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

interface ClaimRow {
  readonly claimed: boolean;
  readonly same: boolean;
  readonly answer: Buffer | null;
  readonly leased: boolean;
}

/** What stands in the way of a claim is seen as it was before; who came in between is not seen at all. */
const claim = {
  name: 'claim-keyed-call',
  text: `
    WITH claimed AS (
      INSERT INTO keyed_calls AS known (scope, key, request, call, lease_until, expires_at)
      VALUES ($1, $2, $3, $4, now() + make_interval(secs => $5), now() + make_interval(secs => $6))
      ON CONFLICT (scope, key) DO UPDATE
        SET request = EXCLUDED.request, call = EXCLUDED.call, has_changed = false, answer = NULL,
            lease_until = EXCLUDED.lease_until, expires_at = EXCLUDED.expires_at
        WHERE known.expires_at <= now()
           OR (known.answer IS NULL AND NOT known.has_changed AND known.lease_until <= now())
      RETURNING 1
    )
    SELECT true AS claimed, true AS same, NULL::bytea AS answer, false AS leased FROM claimed
    UNION ALL
    SELECT false, request = $3, answer, lease_until > now() FROM keyed_calls
    WHERE scope = $1 AND key = $2 AND NOT EXISTS (SELECT FROM claimed)`,
};

const keep = {
  name: 'keep-answer-of-keyed-call',
  text: 'UPDATE keyed_calls SET answer = $4, has_changed = true WHERE scope = $1 AND key = $2 AND call = $3',
};

const free = {
  name: 'free-keyed-call',
  text: 'DELETE FROM keyed_calls WHERE scope = $1 AND key = $2 AND call = $3',
};

const leave = {
  name: 'leave-keyed-call',
  text: 'UPDATE keyed_calls SET lease_until = now() WHERE scope = $1 AND key = $2 AND call = $3',
};

/** The table `keyed_calls`. */
export function postgresKeyedCalls(database: Database): KeyedCalls {
  return {
    async claim({ scope, key, request, id }) {
      const values = [scope, key, request, id, CLAIM_LEASE_MS / 1000, KEY_LIFE_MS / 1000];
      const [row] = await database.statement<ClaimRow>(scope, claim, values);
      return claimOf(row);
    },
    async keep({ scope, key, id }, answer) {
      await database.statement(scope, keep, [scope, key, id, answer]);
    },
    async free({ scope, key, id }) {
      await database.statement(scope, free, [scope, key, id]);
    },
    async leave({ scope, key, id }) {
      await database.statement(scope, leave, [scope, key, id]);
    },
    prune: () =>
      database.system(PRUNE_SETTINGS, async (trx) => {
        const { rowCount } = await trx.raw<{ rowCount: number }>(
          `DELETE FROM keyed_calls WHERE (scope, key) IN (
             SELECT scope, key FROM keyed_calls WHERE expires_at <= now()
             ORDER BY expires_at LIMIT ? FOR UPDATE SKIP LOCKED)`,
          [PRUNE_LIMIT],
        );
        return rowCount;
      }),
  };
}

function claimOf(row: ClaimRow | undefined): Claim {
  if (!row) return { is: 'in flight' };
  if (row.claimed) return { is: 'ours' };
  if (!row.same) return { is: 'of another request' };
  if (row.answer) return { is: 'answered', answer: row.answer };
  return { is: row.leased ? 'in flight' : 'cut short' };
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
