import type { ActorContext } from '@platform-backend/core';
import type { Database, Knex } from '@platform-backend/postgres';
import { listPage } from '@platform-backend/postgres';
import { inScope } from '../../test-clocks/store/in-scope.ts';
import type {
  CreditAccounts,
  DecideGrant,
  FinishOutcome,
  ReserveOutcome,
  SourcedGrant,
} from '../domain/credit-accounts.ts';
import { drawDown, type CreditGrant } from '../domain/credit-grant.ts';
import type {
  CreditTransaction,
  CreditTransactionFilter,
  LedgerAccount,
  LedgerTransactionKind,
} from '../domain/ledger.ts';
import type { NewReservation } from '../domain/reservation.ts';
import {
  saveDecision,
  grantColumns,
  loadHoldings,
  lockHoldings,
  type CreditAccountRow,
  type CreditGrantRow,
} from './credit-holding-rows.ts';
import { reservationColumns, type ReservationRow } from './credit-reservation-rows.ts';
import { runRelease, runSettle } from './credit-statements.ts';
import type { ReserveRow, ReservationInput } from './reserve-statement.ts';
import { reserveTogether, type Reserve } from './reserve-together.ts';

/** So many at once, so that no account is held for long. */
const releaseBatch = 500;

/** Credits in PostgreSQL. `published` is called after each commit of events, so that the relay takes them at once. */
export const creditAccountsStore = (
  database: Database,
  published: () => void,
  reserve: Reserve = reserveTogether(database),
): CreditAccounts => ({
  async reserve(by, wanted, at, policy) {
    const outcome = await reserveOrExplain(database, reserve, { by, wanted, at, policy });
    published();
    return outcome;
  },

  async settle(by, reservationId, amount, at) {
    const row = await runSettle(database, by, reservationId, amount, at);
    published();
    return finishOutcome(database, by.organisationId, reservationId, row);
  },

  async release(by, reservationId, at) {
    const [row] = await runRelease(database, by, [reservationId], 'released', at);
    published();
    return finishOutcome(database, by.organisationId, reservationId, row);
  },

  async releaseOverdue(by, reservationIds, at) {
    const rows = await runRelease(database, by, reservationIds, 'expired', at);
    published();
    return rows.length;
  },

  async releaseAll(by, at) {
    const open = { organisation_id: by.organisationId, status: 'OPEN' };
    let released = 0;
    for (let taken = releaseBatch; taken === releaseBatch; released += taken) {
      const ids = await database.tenant(by.organisationId, (trx) =>
        trx<ReservationRow>('credit_reservations').where(open).limit(releaseBatch).pluck('id'),
      );
      taken = (await runRelease(database, by, ids, 'released', at)).length;
    }
    published();
    return released;
  },

  extend: (organisationId, reservationIds, until) =>
    database.tenant(organisationId, async (trx) => {
      const rows = (await trx('credit_reservations')
        .where({ organisation_id: organisationId, status: 'OPEN' })
        .whereIn('id', reservationIds)
        .update({ expires_at: trx.raw('greatest(expires_at, ?)', [until]) })
        .returning('*')) as ReservationRow[];
      return rows.map(reservationColumns.read);
    }),

  grant: (by, source, at, decide) =>
    database.tenant(by.organisationId, (trx) => grantOnce(trx, by, source, at, decide)),

  open: (by, at, welcome) => database.tenant(by.organisationId, (trx) => openWith(trx, by, at, welcome)),

  update: (by, at, decide) =>
    database.tenant(by.organisationId, async (trx) => {
      const holdings = await lockHoldings(trx, by, at);
      return saveDecision(trx, by, holdings, decide(holdings));
    }),

  adjust: (by, source, at, decide) =>
    database.tenant(by.organisationId, async (trx) => {
      const holdings = await lockHoldings(trx, by, at);
      const named = { organisation_id: by.organisationId, source };
      const inserted = await trx('credit_adjustments')
        .insert({ ...named, adjusted_at: at })
        .onConflict()
        .ignore()
        .returning('source');
      return inserted.length > 0 ? saveDecision(trx, by, holdings, decide(holdings)) : holdings;
    }),

  get: (organisationId) => database.tenant(organisationId, (trx) => loadHoldings(trx, organisationId, 'unlocked')),

  listTransactions: (organisationId, filter, page) =>
    database.tenant(organisationId, (trx) =>
      listPage(transactionsLike(trx, organisationId, filter), page, {
        order: 'desc',
        read: (rows) => withEntries(trx, organisationId, rows),
      }),
    ),

  listGrants: (organisationId, page) =>
    database.tenant(
      organisationId,
      async (trx) => {
        const { account, grants } = await loadHoldings(trx, organisationId, 'unlocked');
        const drawn = new Map(drawDown(grants, account.undrawn).map((grant) => [grant.id, grant]));
        const all = trx('credit_grants').where({ organisation_id: organisationId });
        return listPage(all as Knex.QueryBuilder<object, CreditGrantRow[]>, page, {
          order: 'desc',
          read: (rows) => rows.map((row) => drawn.get(row.id) ?? grantColumns.read(row)),
        });
      },
      { isolation: 'repeatable read', readOnly: true },
    ),

  overdueReservations: (at, scope, limit) =>
    database.system({ 'app.sweep': 'reservations' }, async (trx) => {
      const rows = await inScope(trx<ReservationRow>('credit_reservations'), scope)
        .where('status', 'OPEN')
        .where('expires_at', '<=', at)
        .orderBy('expires_at')
        .limit(limit)
        .select('organisation_id', 'id');
      return rows.map(({ organisation_id: organisationId, id }) => ({ organisationId, id }));
    }),

  openReservations: () =>
    database.system(
      { 'app.sweep': 'reservations' },
      async (trx) => {
        const counts = trx.raw<{ open: number; oldestExpiry: Date | null }>(
          'count(*)::int AS open, min(expires_at) AS "oldestExpiry"',
        );
        const found = await trx('credit_reservations')
          .where({ status: 'OPEN' })
          .first<{ open: number; oldestExpiry: Date | null } | undefined>(counts);
        return found ?? { open: 0, oldestExpiry: null };
      },
      { readOnly: true },
    ),

  accountsToExpire: (at, scope, limit) =>
    database.system({ 'app.sweep': 'expiry' }, async (trx) => {
      const rows = await inScope(trx<CreditAccountRow>('credit_accounts'), scope)
        .where('next_expiry_at', '<=', at)
        .orderBy('next_expiry_at')
        .limit(limit)
        .select('organisation_id');
      return rows.map(({ organisation_id: organisationId }) => organisationId);
    }),
});

/** As `open` of the store, as part of a transaction. */
export async function openWith(
  trx: Knex.Transaction,
  by: ActorContext,
  at: Date,
  welcome: SourcedGrant | undefined,
): Promise<void> {
  if (welcome) await grantOnce(trx, by, welcome.source, at, welcome.decide);
  else await lockHoldings(trx, by, at);
  await trx('credit_accounts').where({ organisation_id: by.organisationId }).update({ welcomed: true });
}

/** As `grant` of the store, as part of a transaction. */
export async function grantOnce(
  trx: Knex.Transaction,
  by: ActorContext,
  source: string,
  at: Date,
  decide: DecideGrant,
): Promise<CreditGrant> {
  const holdings = await lockHoldings(trx, by, at);
  const named = { organisation_id: by.organisationId, source };
  const given = await trx<CreditGrantRow>('credit_grants').where(named).first();
  return given ? grantColumns.read(given) : saveDecision(trx, by, holdings, decide(holdings));
}

async function reserveOrExplain(
  database: Database,
  reserve: Reserve,
  reservation: ReservationInput,
): Promise<ReserveOutcome> {
  const { by, wanted, at } = reservation;
  try {
    const row = await reserve(reservation);
    const counted = { ...wanted, clientGroupId: row.client_group_id };
    if (row.available_micros !== null) {
      return { kind: 'reserved', reservation: { ...counted, status: 'OPEN', settled: 0n, createdAt: at } };
    }
    return await database.tenant(by.organisationId, (trx) => whyNotReserved(trx, by, counted, at, row));
  } catch (error) {
    // The same id was reserved in the very same moment; the next attempt will find it.
    if (isTaken(error)) return { kind: 'changed' };
    throw error;
  }
}

const isTaken = (error: unknown): boolean =>
  typeof error === 'object' &&
  error !== null &&
  'constraint' in error &&
  error.constraint === 'credit_reservations_pkey';

async function whyNotReserved(
  trx: Knex.Transaction,
  by: ActorContext,
  wanted: NewReservation,
  at: Date,
  tried: ReserveRow,
): Promise<ReserveOutcome> {
  const known = await loadReservation(trx, by.organisationId, wanted.id);
  if (known) return { kind: 'known', reservation: known };
  if (!tried.believed) return { kind: 'policy_due' };
  const named = { organisation_id: by.organisationId };
  const account = await trx<CreditAccountRow>('credit_accounts').where(named).first();
  if (!account?.welcomed) return { kind: 'no_account' };
  if (account.next_expiry_at !== null && account.next_expiry_at <= at) return { kind: 'expiry_due' };
  const available = BigInt(account.available_micros);
  if (available >= wanted.amount) {
    return { kind: (await leavesNoRoom(trx, by.organisationId, wanted, tried)) ? 'over_group_limit' : 'changed' };
  }
  return { kind: 'too_few', told: account.exhausted_at_version !== null };
}

async function leavesNoRoom(
  trx: Knex.Transaction,
  organisationId: string,
  { clientGroupId, creditClass, amount }: NewReservation,
  { group_limit: limit, group_limit_since: since }: ReserveRow,
): Promise<boolean> {
  if (limit === null) return false;
  const { rows } = await trx.raw<{ rows: [{ used: string }] }>('SELECT group_credits(?, ?, ?, ?) AS used', [
    organisationId,
    clientGroupId,
    creditClass,
    since,
  ]);
  return BigInt(rows[0].used) + amount > BigInt(limit);
}

async function finishOutcome(
  database: Database,
  organisationId: string,
  reservationId: string,
  row: ReservationRow | undefined,
): Promise<FinishOutcome> {
  if (row) return { kind: 'finished', reservation: reservationColumns.read(row) };
  const reservation = await database.tenant(organisationId, (trx) =>
    loadReservation(trx, organisationId, reservationId),
  );
  return { kind: 'unfinished', reservation };
}

async function loadReservation(trx: Knex.Transaction, organisationId: string, id: string) {
  const row = await trx<ReservationRow>('credit_reservations').where({ organisation_id: organisationId, id }).first();
  return row ? reservationColumns.read(row) : null;
}

interface TransactionRow {
  id: string;
  created_at: Date;
  kind: LedgerTransactionKind;
  available_after_micros: string;
  purpose: string;
  reservation_id: string | null;
  grant_id: string | null;
  client_group_id: string | null;
  debit_id: string | null;
  work_id: string | null;
}

interface EntryRow {
  organisation_id: string;
  transaction_id: string;
  account: LedgerAccount;
  amount_micros: string;
}

function transactionsLike(trx: Knex.Transaction, organisationId: string, filter: CreditTransactionFilter) {
  const transactions = trx('ledger_transactions').where({ organisation_id: organisationId });
  if (filter.kinds.length > 0) void transactions.whereIn('kind', filter.kinds);
  if (filter.createdAfter) void transactions.where('created_at', '>', filter.createdAfter);
  if (filter.createdBefore) void transactions.where('created_at', '<', filter.createdBefore);
  return transactions as Knex.QueryBuilder<object, TransactionRow[]>;
}

/** What each transaction moved, for all rows of a page in one query. */
async function withEntries(
  trx: Knex.Transaction,
  organisationId: string,
  rows: readonly TransactionRow[],
): Promise<readonly CreditTransaction[]> {
  const entries = await trx<EntryRow>('ledger_entries')
    .where({ organisation_id: organisationId })
    .whereIn('account', ['available', 'reserved'])
    .whereIn(
      'transaction_id',
      rows.map(({ id }) => id),
    );
  const changes = new Map(entries.map((entry) => [`${entry.transaction_id} ${entry.account}`, entry.amount_micros]));
  const change = (id: string, account: string) => BigInt(changes.get(`${id} ${account}`) ?? 0);
  return rows.map((row) => ({
    id: row.id,
    createdAt: row.created_at,
    kind: row.kind,
    availableChange: change(row.id, 'available'),
    reservedChange: change(row.id, 'reserved'),
    availableAfter: BigInt(row.available_after_micros),
    purpose: row.purpose,
    reservationId: row.reservation_id,
    grantId: row.grant_id,
    clientGroupId: row.client_group_id,
    debitId: row.debit_id,
    workId: row.work_id,
  }));
}
