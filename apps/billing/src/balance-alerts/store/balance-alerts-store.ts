import { bigintColumn, columns, type Database, type Knex } from '@platform-backend/postgres';
import { lockBalance, watchThresholds } from '../../credits/store/credit-holding-rows.ts';
import { recordEvents } from '../../record-events.ts';
import { inScope } from '../../test-clocks/store/in-scope.ts';
import type { BalanceAlert } from '../domain/balance-alert.ts';
import type { BalanceAlerts } from '../domain/balance-alerts.ts';

interface ThresholdRow {
  id: string;
  organisation_id: string;
  purpose: string;
  crossing_id: string | null;
  crossing_balance_micros: string | null;
  last_crossed_at: Date | null;
}

const alertColumns = columns<BalanceAlert>({
  id: 'id',
  threshold: bigintColumn('amount_micros'),
  isLow: 'is_low',
  lastCrossedAt: 'last_crossed_at',
  createdAt: 'created_at',
});

/** Shows the schedule whose balance has crossed a threshold, and nothing that could be changed. */
const schedule = { 'app.schedule': 'balance_thresholds' };

/** Alerts in PostgreSQL, where a trigger of the accounts sees what crosses them (migration 0083). */
export const balanceAlertsStore = (database: Database): BalanceAlerts => ({
  list: (organisationId) => database.tenant(organisationId, (trx) => load(trx, organisationId)),

  update: (by, at, decide) =>
    database.tenant(by.organisationId, async (trx) => {
      const { organisationId } = by;
      // All movements of the account wait for this lock, so no alert goes off meanwhile.
      const balance = await lockBalance(trx, by, at);
      const before = await load(trx, organisationId);
      const { state, events, result } = decide(before, balance);
      await recordEvents(trx, by, events);
      if (state !== before) await save(trx, organisationId, before, state);
      return result;
    }),

  removeAll: (by, at) =>
    database.tenant(by.organisationId, async (trx) => {
      await lockBalance(trx, by, at);
      await trx('balance_thresholds').where({ organisation_id: by.organisationId }).delete();
      await watchThresholds(trx, by.organisationId);
    }),

  untold: (scope, limit, after) =>
    database.system(schedule, (trx) =>
      inScope(trx<ThresholdRow>('balance_thresholds'), scope)
        .where({ purpose: 'ALERT' })
        .whereNotNull('crossing_id')
        .groupBy('organisation_id')
        .orderByRaw('organisation_id <= ?, organisation_id', [after])
        .limit(limit)
        .pluck('organisation_id'),
    ),

  tell: (by, at, tell) =>
    database.tenant(by.organisationId, async (trx) => {
      const rows = await alertsOf(trx, by.organisationId).whereNotNull('crossing_id').forUpdate().skipLocked();
      const events = rows.map((row) =>
        tell({
          id: row.crossing_id ?? '',
          alert: alertColumns.read(row),
          balance: BigInt(row.crossing_balance_micros ?? 0),
        }),
      );
      await recordEvents(trx, by, events);
      const told = { crossing_id: null, crossing_balance_micros: null, last_crossed_at: at };
      const ids = rows.map(({ id }) => id);
      if (ids.length > 0) await alertsOf(trx, by.organisationId).whereIn('id', ids).update(told);
      return ids.length;
    }),
});

const alertsOf = (trx: Knex.Transaction, organisationId: string) =>
  trx<ThresholdRow>('balance_thresholds').where({ organisation_id: organisationId, purpose: 'ALERT' });

async function load(trx: Knex.Transaction, organisationId: string): Promise<readonly BalanceAlert[]> {
  return (await alertsOf(trx, organisationId).orderBy('amount_micros', 'desc')).map(alertColumns.read);
}

async function save(
  trx: Knex.Transaction,
  organisationId: string,
  before: readonly BalanceAlert[],
  after: readonly BalanceAlert[],
): Promise<void> {
  const gone = before.filter(({ id }) => !after.some((alert) => alert.id === id)).map(({ id }) => id);
  if (gone.length > 0) await alertsOf(trx, organisationId).whereIn('id', gone).delete();
  for (const alert of after.filter((each) => !before.includes(each))) {
    const row = { ...alertColumns.write(alert), organisation_id: organisationId, purpose: 'ALERT' };
    // What it has not told yet was about its former threshold.
    const anew = { crossing_id: null, crossing_balance_micros: null };
    await trx('balance_thresholds')
      .insert({ ...row, ...anew })
      .onConflict('id')
      .merge();
  }
  await watchThresholds(trx, organisationId);
}
