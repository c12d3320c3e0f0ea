import type { Database, Knex } from '@platform-backend/postgres';
import { lockBalance, watchThresholds } from '../../credits/store/credit-holding-rows.ts';
import { addPurchase } from '../../purchases/store/credit-purchases-store.ts';
import { recordEvents } from '../../record-events.ts';
import { inScope } from '../../test-clocks/store/in-scope.ts';
import type { AutomaticTopUps, DueTopUp } from '../domain/automatic-top-ups.ts';
import { load, of, thresholdOf, topUpColumns } from './automatic-top-up-rows.ts';

/** Shows the schedule who is low, and nothing that could be changed. */
const schedule = { 'app.schedule': 'top_ups' };

/** Automatic top-up in PostgreSQL; the trigger of the accounts sees when a balance falls (migration 0083). */
export const automaticTopUpsStore = (database: Database): AutomaticTopUps => ({
  get: (organisationId) => database.tenant(organisationId, (trx) => load(of(trx, organisationId))),

  spentSince: (organisationId, currency, since) =>
    database.tenant(organisationId, (trx) => spent(trx, organisationId, currency, since)),

  set: (by, at, decide) =>
    database.tenant(by.organisationId, async (trx) => {
      const { organisationId } = by;
      // The account first, as every movement of it that crosses a threshold does.
      await lockBalance(trx, by, at);
      const before = await load(of(trx, organisationId).forUpdate());
      const { state, events } = decide(before);
      if (!state || state === before) return before;
      await recordEvents(trx, by, events);
      await trx('automatic_top_ups')
        .insert({ ...topUpColumns.write(state), organisation_id: organisationId })
        .onConflict('organisation_id')
        .merge();
      await thresholdOf(trx, organisationId).delete();
      if (state.state !== 'OFF') {
        await trx('balance_thresholds').insert({
          ...{ id: trx.raw('gen_random_uuid()'), organisation_id: organisationId, purpose: 'TOP_UP', is_low: false },
          ...{ amount_micros: String(state.threshold), created_at: at },
        });
      }
      await watchThresholds(trx, organisationId);
      return state;
    }),

  due: (at, scope, limit, after) =>
    database.system(schedule, async (trx) => {
      const rows = await inScope(trx('automatic_top_ups AS a'), scope, 'a.organisation_id')
        .leftJoin('balance_thresholds AS t', (join) =>
          join.on('t.organisation_id', 'a.organisation_id').andOnVal('t.purpose', 'TOP_UP'),
        )
        .leftJoin('credit_purchases AS p', 'p.id', 'a.purchase_id')
        .whereRaw(
          `p.finished_at IS NOT NULL OR (a.purchase_id IS NULL AND (
             t.crossing_id IS NOT NULL AND a.state = 'ACTIVE' OR t.id IS NOT NULL AND a.resumes_at <= ?))`,
          [at],
        )
        .orderByRaw('a.organisation_id <= ?, a.organisation_id', [after])
        .limit(limit)
        .select<DueTopUp[]>('a.organisation_id AS organisationId', 'a.purchase_id AS purchaseId');
      return rows;
    }),

  resumesAt: (organisationId) =>
    database.tenant(organisationId, async (trx) => (await load(of(trx, organisationId)))?.resumesAt ?? null),

  begin: (by, month, at, decide) =>
    database.tenant(by.organisationId, async (trx) => {
      const { organisationId } = by;
      const known = await load(of(trx, organisationId).forUpdate());
      const isOver = known?.state === 'CAP_REACHED' && known.resumesAt !== null && known.resumesAt <= at;
      if (!known || known.purchaseId !== null || (known.state !== 'ACTIVE' && !isOver)) return null;
      const threshold = (await thresholdOf(trx, organisationId).forUpdate().first()) as ThresholdRow | undefined;
      if (!threshold || (threshold.crossing_id === null && !isOver)) return null;
      // The fall is used up here, whatever comes of it.
      await thresholdOf(trx, organisationId).update(nothingCrossed);
      const spentMinor = await spent(trx, organisationId, known.currency, month);
      const { state, events, result } = decide(known, { isLow: threshold.is_low, spentMinor });
      await recordEvents(trx, by, events);
      await of(trx, organisationId).update(topUpColumns.write(state));
      if (result) await addPurchase(trx, by, result);
      return result;
    }),

  conclude: (by, purchaseId, _at, decide) =>
    database.tenant(by.organisationId, async (trx) => {
      const { organisationId } = by;
      const known = await load(of(trx, organisationId).forUpdate());
      if (known?.purchaseId !== purchaseId) return;
      const { state, events } = decide(known);
      await recordEvents(trx, by, events);
      await of(trx, organisationId).update(topUpColumns.write(state));
      if (state.state !== 'ACTIVE') return;
      const stillLow = thresholdOf(trx, organisationId).where({ is_low: true });
      await stillLow.update({ crossing_id: trx.raw('gen_random_uuid()') });
    }),
});

interface ThresholdRow {
  is_low: boolean;
  crossing_id: string | null;
}

const nothingCrossed = { crossing_id: null, crossing_balance_micros: null };

async function spent(trx: Knex.Transaction, organisationId: string, currency: string, since: Date): Promise<bigint> {
  const [row] = await trx('credit_purchases')
    .where({ organisation_id: organisationId, origin: 'AUTOMATIC_TOP_UP', currency })
    .whereNot({ status: 'DECLINED' })
    .where('created_at', '>=', since)
    .sum<{ total: string | null }[]>({ total: 'total_minor' });
  return BigInt(row?.total ?? 0);
}
