import type { ActorContext, Decision } from '@platform-backend/core';
import { bigintColumn, columns, type Knex } from '@platform-backend/postgres';
import type { BillingEvent } from '../../events.ts';
import { recordEvents } from '../../record-events.ts';
import type { CreditHoldings } from '../domain/credit-account.ts';
import type { CreditGrant } from '../domain/credit-grant.ts';
import type { LedgerTransaction } from '../domain/ledger.ts';

export interface CreditAccountRow {
  organisation_id: string;
  available_micros: string;
  reserved_micros: string;
  undrawn_micros: string;
  next_expiry_at: Date | null;
  expiry_held: boolean;
  exhausted_at_version: string | null;
  /** Whether it has got what everybody gets when an account is opened. */
  welcomed: boolean;
  version: string;
}

export interface CreditGrantRow {
  id: string;
  organisation_id: string;
  source: string;
  remaining_micros: string;
  created_at: Date;
}

export const grantColumns = columns<CreditGrant>({
  id: 'id',
  source: 'source',
  kind: 'kind',
  amount: bigintColumn('amount_micros'),
  remaining: bigintColumn('remaining_micros'),
  priority: 'priority',
  expiresAt: 'expires_at',
  createdAt: 'created_at',
});

/** The holdings of an account that was never used. */
const nothing: CreditHoldings = {
  opened: false,
  account: { available: 0n, reserved: 0n, undrawn: 0n, nextExpiryAt: null, expiryHeld: false, exhausted: false },
  grants: [],
  transactions: [],
};

/** Opens the account if there is none, so that there is a row to lock. */
async function openAccount(trx: Knex.Transaction, organisationId: string, at: Date): Promise<void> {
  await trx('credit_accounts')
    .insert({
      organisation_id: organisationId,
      available_micros: 0,
      reserved_micros: 0,
      undrawn_micros: 0,
      expiry_held: false,
      version: 0,
      created_at: at,
    })
    .onConflict()
    .ignore();
}

/** An account with the grants of which something is left: `requireRoomForGrant` keeps them to a thousand. */
export async function loadHoldings(
  trx: Knex.Transaction,
  organisationId: string,
  lock: 'locked' | 'unlocked',
): Promise<CreditHoldings> {
  const query = trx<CreditAccountRow>('credit_accounts').where({ organisation_id: organisationId });
  const row = await (lock === 'locked' ? query.forNoKeyUpdate() : query).first();
  if (!row) return nothing;
  const grants = await trx<CreditGrantRow>('credit_grants')
    .where({ organisation_id: organisationId })
    .where('remaining_micros', '>', 0);
  return {
    opened: row.welcomed,
    account: {
      available: BigInt(row.available_micros),
      reserved: BigInt(row.reserved_micros),
      undrawn: BigInt(row.undrawn_micros),
      nextExpiryAt: row.next_expiry_at,
      expiryHeld: row.expiry_held,
      exhausted: row.exhausted_at_version !== null,
    },
    grants: grants.map(grantColumns.read),
    transactions: [],
  };
}

/** What a decision may change, to itself until the transaction ends. */
export async function lockHoldings(
  trx: Knex.Transaction,
  { organisationId }: ActorContext,
  at: Date,
): Promise<CreditHoldings> {
  await openAccount(trx, organisationId, at);
  return loadHoldings(trx, organisationId, 'locked');
}

/** What is available and what is set aside, which nobody moves until the transaction ends. */
export async function lockBalance(trx: Knex.Transaction, { organisationId }: ActorContext, at: Date): Promise<bigint> {
  await openAccount(trx, organisationId, at);
  const named = { organisation_id: organisationId };
  const row = await trx<CreditAccountRow>('credit_accounts').where(named).forNoKeyUpdate().first();
  return BigInt(row?.available_micros ?? 0) + BigInt(row?.reserved_micros ?? 0);
}

/**
 * Has the movements of a locked account compared with its thresholds from now on, and the balance at once: what is not low by its row
 * and is by the balance is crossed with this.
 */
export async function watchThresholds(trx: Knex.Transaction, organisationId: string): Promise<void> {
  await trx.raw(
    `UPDATE credit_accounts
     SET (alert_at_micros, rearm_above_micros) = (
       SELECT max(amount_micros) FILTER (WHERE NOT is_low), min(amount_micros) FILTER (WHERE is_low)
       FROM balance_thresholds WHERE organisation_id = ?)
     WHERE organisation_id = ?`,
    [organisationId, organisationId],
  );
}

/** Writes down what was decided about locked holdings, with its events. */
export async function saveDecision<Result>(
  trx: Knex.Transaction,
  by: ActorContext,
  before: CreditHoldings,
  { state, events, result }: Decision<CreditHoldings, BillingEvent, Result>,
): Promise<Result> {
  await saveHoldings(trx, by.organisationId, before, state);
  await recordEvents(trx, by, events);
  return result;
}

/** Writes what a decision has changed. */
async function saveHoldings(
  trx: Knex.Transaction,
  organisationId: string,
  before: CreditHoldings,
  after: CreditHoldings,
): Promise<void> {
  if (after === before) return;
  const { account } = after;
  await trx('credit_accounts')
    .where({ organisation_id: organisationId })
    .update({
      available_micros: String(account.available),
      reserved_micros: String(account.reserved),
      undrawn_micros: String(account.undrawn),
      next_expiry_at: account.nextExpiryAt,
      expiry_held: account.expiryHeld,
      exhausted_at_version: account.exhausted ? trx.raw('coalesce(exhausted_at_version, version + 1)') : null,
      version: trx.raw('version + 1'),
    });
  for (const grant of after.grants) await saveGrant(trx, organisationId, before.grants, grant);
  await appendTransactions(trx, organisationId, after.transactions);
}

async function saveGrant(
  trx: Knex.Transaction,
  organisationId: string,
  before: readonly CreditGrant[],
  grant: CreditGrant,
): Promise<void> {
  const earlier = before.find(({ id }) => id === grant.id);
  if (earlier?.remaining === grant.remaining) return;
  if (earlier) {
    const named = { organisation_id: organisationId, id: grant.id };
    await trx('credit_grants')
      .where(named)
      .update({ remaining_micros: String(grant.remaining) });
    return;
  }
  await trx('credit_grants').insert({ ...grantColumns.write(grant), organisation_id: organisationId });
}

async function appendTransactions(
  trx: Knex.Transaction,
  organisationId: string,
  transactions: readonly LedgerTransaction[],
): Promise<void> {
  if (transactions.length === 0) return;
  await trx('ledger_transactions').insert(
    transactions.map((transaction) => ({
      organisation_id: organisationId,
      id: transaction.id,
      created_at: transaction.at,
      kind: transaction.kind,
      available_after_micros: String(transaction.availableAfter),
      purpose: transaction.purpose,
      grant_id: transaction.grantId,
    })),
  );
  await trx('ledger_entries').insert(
    transactions.flatMap(({ id, entries }) =>
      Object.entries(entries).map(([account, amount]) => ({
        organisation_id: organisationId,
        transaction_id: id,
        account,
        amount_micros: String(amount),
      })),
    ),
  );
}
