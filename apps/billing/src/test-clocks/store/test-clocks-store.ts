import { changesIn, column, columns, type Database, type Knex } from '@platform-backend/postgres';
import { recordEvents } from '../../record-events.ts';
import type { TestClock } from '../domain/test-clock.ts';
import type { TestClocks } from '../domain/test-clocks.ts';

interface TestClockRow {
  organisation_id: string;
  lease_until: Date;
}

/** Shows the schedule which organisations have one, and nothing that could be changed. */
const schedule = { 'app.schedule': 'test_clocks' };

const clockColumns = columns<TestClock>({
  id: 'id',
  name: 'name',
  aheadMs: column('ahead_ms', { read: Number, write: (value: number) => value }),
  advancingTo: 'advancing_to',
  createdAt: 'created_at',
});

/** Test clocks in PostgreSQL. */
export const testClocksStore = (database: Database): TestClocks => {
  const changes = changesIn(database, recordEvents);
  return {
    get: (organisationId) =>
      database.tenant(organisationId, (trx) => testClockIn(trx, organisationId), { readOnly: true }),

    update: (by, realTime, decide) =>
      changes.update(by, decide, {
        load: (trx) => load(of(trx, by.organisationId).forUpdate()),
        save: async (trx, after) => {
          const { organisationId } = by;
          if (!after) return returnToRealTime(trx, organisationId, realTime);
          const row = { ...clockColumns.write(after), organisation_id: organisationId, lease_until: realTime };
          return trx('test_clocks').insert(row).onConflict('organisation_id').merge(['ahead_ms', 'advancing_to']);
        },
      }),

    organisations: () =>
      database.system(schedule, (trx) => trx<TestClockRow>('test_clocks').pluck('organisation_id'), { readOnly: true }),

    take: (organisationId, realTime, leaseUntil) =>
      database.tenant(organisationId, async (trx) => {
        const free = of(trx, organisationId).where('lease_until', '<=', realTime);
        const clock = await load(free.forUpdate().skipLocked());
        if (clock) await of(trx, organisationId).update({ lease_until: leaseUntil });
        return clock;
      }),

    release: (organisationId, realTime) =>
      database.tenant(organisationId, async (trx) => {
        await of(trx, organisationId).update({ lease_until: realTime });
      }),
  };
};

/** Null: it goes by the real time. */
export const testClockIn = (trx: Knex.Transaction, organisationId: string): Promise<TestClock | null> =>
  load(of(trx, organisationId));

const of = (trx: Knex.Transaction, organisationId: string) =>
  trx<TestClockRow>('test_clocks').where({ organisation_id: organisationId });

async function load(query: Knex.QueryBuilder): Promise<TestClock | null> {
  const row = (await query.first()) as object | undefined;
  return row ? clockColumns.read(row) : null;
}

/** What was written down by the clock to be looked at later is looked at now; what was heard of was heard of by now. */
async function returnToRealTime(trx: Knex.Transaction, organisationId: string, at: Date): Promise<void> {
  await of(trx, organisationId).delete();
  const named = { organisation_id: organisationId };
  await trx('payments').where(named).where('next_look_at', '>', at).update({ next_look_at: at });
  await trx('refunds').where(named).where('next_look_at', '>', at).update({ next_look_at: at });
  await trx('sandbox_disputes').where(named).where('next_report_at', '>', at).update({ next_report_at: at });
  await trx('automatic_top_ups').where(named).where('resumes_at', '>', at).update({ resumes_at: at });
  await trx('subscription_changes').where(named).where('lease_until', '>', at).update({ lease_until: at });
  await trx('credit_reservations')
    .where({ ...named, status: 'OPEN' })
    .update({ expires_at: at });
  await trx('organisation_names').where(named).where('heard_at', '>', at).update({ heard_at: at });
}
