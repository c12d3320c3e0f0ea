import { CLAIM_LEASE_MS, KEY_LIFETIME_MS, type Claim, type IdempotencyStore } from '@platform-backend/core';
import type { Database } from './database.ts';
import { PRUNE_SETTINGS } from './keyed-call-notes.ts';

/** Rows deleted in one go, so that pruning never holds many locks. */
const PRUNE_LIMIT = 5_000;

interface ClaimRow {
  readonly claimed: boolean;
  readonly same: boolean;
  readonly answer: Buffer | null;
  readonly leased: boolean;
  readonly call: string | null;
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
    SELECT true AS claimed, true AS same, NULL::bytea AS answer, false AS leased, NULL AS call FROM claimed
    UNION ALL
    SELECT false, request = $3, answer, lease_until > now(), call FROM keyed_calls
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

/** Over for certain: a moment is stored in milliseconds, and rounded up it may still lie ahead. */
const leave = {
  name: 'leave-keyed-call',
  text: `UPDATE keyed_calls SET lease_until = '-infinity' WHERE scope = $1 AND key = $2 AND call = $3`,
};

/** The table `keyed_calls`. */
export function postgresIdempotencyStore(database: Database): IdempotencyStore {
  return {
    async claim({ scope, key, request, id }) {
      const values = [scope, key, request, id, CLAIM_LEASE_MS / 1000, KEY_LIFETIME_MS / 1000];
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
  if (!row) return { is: 'in_flight' };
  if (row.claimed) return { is: 'ours' };
  if (!row.same) return { is: 'key_reused' };
  if (row.answer) return { is: 'answered', answer: row.answer };
  return row.leased ? { is: 'in_flight' } : { is: 'cut_short', id: row.call ?? '' };
}
