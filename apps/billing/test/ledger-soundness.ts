import type { ThrowawayPostgres } from '@platform-backend/testing';
import pg from 'pg';

/** Sees the rows of all organisations. */
export async function connectAsSuperuser({ adminUrl }: ThrowawayPostgres): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: adminUrl });
  await client.connect();
  return client;
}

/** What must never be found, whatever has happened. */
const faults: Readonly<Record<string, string>> = {
  balances_that_differ_from_the_ledger: `
    SELECT a.organisation_id FROM credit_accounts a
    JOIN LATERAL (SELECT
      coalesce(sum(amount_micros) FILTER (WHERE account = 'available'), 0) AS available,
      coalesce(sum(amount_micros) FILTER (WHERE account = 'reserved'), 0) AS reserved,
      coalesce(sum(amount_micros), 0) AS everything
      FROM ledger_entries WHERE organisation_id = a.organisation_id) l ON true
    JOIN LATERAL (SELECT coalesce(sum(amount_micros), 0) AS open FROM credit_reservations
      WHERE organisation_id = a.organisation_id AND status = 'OPEN') r ON true
    WHERE (a.available_micros, a.reserved_micros, a.reserved_micros, 0)
      <> (l.available, l.reserved, r.open, l.everything)`,
  transactions_that_do_not_balance: `
    SELECT t.id FROM ledger_transactions t
    LEFT JOIN ledger_entries e ON (e.organisation_id, e.transaction_id) = (t.organisation_id, t.id)
    GROUP BY t.organisation_id, t.id HAVING coalesce(sum(e.amount_micros), 1) <> 0`,
  grants_that_differ_from_the_balance: `
    SELECT a.organisation_id FROM credit_accounts a
    WHERE a.available_micros + a.reserved_micros + a.undrawn_micros <>
      (SELECT coalesce(sum(remaining_micros), 0) FROM credit_grants WHERE organisation_id = a.organisation_id)`,
  reservations_moved_twice: `
    SELECT reservation_id FROM ledger_transactions WHERE reservation_id IS NOT NULL
    GROUP BY organisation_id, reservation_id
    HAVING count(*) FILTER (WHERE kind = 'RESERVE') <> 1 OR count(*) FILTER (WHERE kind <> 'RESERVE') > 1`,
  movements_not_told_once: `
    SELECT t.id FROM ledger_transactions t
    LEFT JOIN outbox o ON o.organisation_id = t.organisation_id
      AND o.subject = coalesce(t.debit_id, t.reservation_id)::text
      AND o.type = 'platform.v1.billing.credits.' || CASE t.kind
        WHEN 'RESERVE' THEN 'reserved' WHEN 'SETTLE' THEN 'settled' WHEN 'DEBIT' THEN 'debited' ELSE 'released' END
    WHERE coalesce(t.debit_id, t.reservation_id) IS NOT NULL
    GROUP BY t.organisation_id, t.id HAVING count(o.id) <> 1`,
  debits_not_booked_once: `
    SELECT d.id FROM credit_debits d
    FULL JOIN ledger_transactions t ON t.organisation_id = d.organisation_id AND t.debit_id = d.id
    LEFT JOIN ledger_entries e ON e.organisation_id = t.organisation_id AND e.transaction_id = t.id
      AND e.account = 'consumed'
    WHERE d.id IS NOT NULL OR t.kind = 'DEBIT'
    GROUP BY d.organisation_id, d.id, d.amount_micros, d.transaction_id
    HAVING count(t.id) <> 1 OR sum(e.amount_micros) IS DISTINCT FROM d.amount_micros
      OR bool_or(d.transaction_id IS DISTINCT FROM t.id)`,
  debits_not_counted_for_their_member: `
    SELECT u.member_id FROM
      (SELECT organisation_id, member_id, (occurred_at AT TIME ZONE 'UTC')::date AS day, sum(amount_micros) AS spent
       FROM credit_debits WHERE member_id IS NOT NULL GROUP BY 1, 2, 3) d
    FULL JOIN
      (SELECT organisation_id, member_id, day, sum(ai_credits_micros + infrastructure_credits_micros) AS counted
       FROM usage_member_days GROUP BY 1, 2, 3) u USING (organisation_id, member_id, day)
    WHERE d.spent IS DISTINCT FROM u.counted`,
  spent_credits_not_counted_as_usage: `
    SELECT a.organisation_id FROM credit_accounts a
    WHERE (SELECT coalesce(sum(ai_credits_micros + infrastructure_credits_micros), 0) FROM usage_days
           WHERE organisation_id = a.organisation_id)
      <> (SELECT coalesce(sum(amount_micros), 0) FROM ledger_entries
          WHERE organisation_id = a.organisation_id AND account = 'consumed')`,
};

/** Who is asked: a superuser about all organisations, or whoever sees one of them about that. */
interface Asked {
  readonly query: (sql: string) => Promise<{ readonly rows: readonly unknown[] }>;
}

/** Where ledger, balances, grants, reservations, usage and events do not agree: nowhere, as long as all is well. */
export async function ledgerFaults(asked: Asked): Promise<Record<string, unknown[]>> {
  const found: Record<string, unknown[]> = {};
  for (const [fault, query] of Object.entries(faults)) {
    const { rows } = await asked.query(query);
    if (rows.length > 0) found[fault] = rows.slice(0, 5);
  }
  return found;
}
