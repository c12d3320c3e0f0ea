import {
  advisoryLock,
  changesIn,
  columns,
  forgetOldest,
  jsonColumn,
  listPage,
  type Database,
  type Knex,
} from '@platform-backend/postgres';
import { recordEvents } from '../../record-events.ts';
import { meterNotFound } from '../domain/errors.ts';
import type { Meter } from '../domain/meter.ts';
import type { Meters } from '../domain/meters.ts';
import { countEvents } from './counted-events.ts';
import { queryMeter } from './meter-query-rows.ts';

const meterColumns = columns<Meter>({
  id: 'id',
  slug: 'slug',
  name: 'name',
  description: 'description',
  eventType: 'event_type',
  aggregation: 'aggregation',
  valueProperty: 'value_property',
  groupBy: jsonColumn('group_by'),
  createdAt: 'created_at',
  updatedAt: 'updated_at',
  archivedAt: 'archived_at',
});

/** Rows that are removed of an organisation in one transaction. */
const removedAtOnce = 5_000;

/** Meters in PostgreSQL. */
export function metersStore(database: Database): Meters {
  const changes = changesIn(database, recordEvents);
  const load = async (trx: Knex.Transaction, organisationId: string, id: string, lock: 'locked' | 'unlocked') => {
    const query = trx('meters').where({ organisation_id: organisationId, id });
    const row = await (lock === 'locked' ? query.forUpdate() : query).first<object | undefined>();
    if (!row) throw meterNotFound();
    return meterColumns.read(row);
  };

  return {
    add: (by, decide) =>
      changes.update(by, (_: undefined, others: number) => decide(others), {
        load: () => Promise.resolve(undefined),
        lookUp: async (trx) => {
          // One after the other, or several would each be the last one that there is room for.
          await advisoryLock(trx, `meters of ${by.organisationId}`);
          const [counted] = (await trx('meters')
            .where({ organisation_id: by.organisationId, archived_at: null })
            .count({ meters: '*' })) as unknown as [{ meters: string }];
          return Number(counted.meters);
        },
        save: (trx, meter) =>
          trx('meters').insert({ ...meterColumns.write(meter), organisation_id: by.organisationId }),
      }),

    update: (by, meterId, decide) =>
      changes.update(by, decide, {
        load: (trx) => load(trx, by.organisationId, meterId, 'locked'),
        save: (trx, meter) =>
          trx('meters').where({ organisation_id: by.organisationId, id: meterId }).update(meterColumns.write(meter)),
      }),

    get: (organisationId, meterId) =>
      database.tenant(organisationId, (trx) => load(trx, organisationId, meterId, 'unlocked')),

    list: (organisationId, { archived }, page) =>
      database.tenant(organisationId, (trx) =>
        listPage(
          trx('meters')
            .where({ organisation_id: organisationId })
            .modify((query) => {
              if (!archived) void query.whereNull('archived_at');
            }),
          page,
          { order: 'desc', read: (rows) => rows.map(meterColumns.read) },
        ),
      ),

    ingest: (organisationId, events, measure, at) =>
      database.tenant(organisationId, async (trx) => {
        const types = [...new Set(events.map(({ type }) => type))];
        const rows = await trx('meters')
          .where({ organisation_id: organisationId, archived_at: null })
          .whereIn('event_type', types)
          .select<object[]>();
        return countEvents(trx, organisationId, { events, measured: measure(rows.map(meterColumns.read)) }, at);
      }),

    query: (meter, organisationId, query, page) =>
      database.tenant(organisationId, (trx) => queryMeter(trx, organisationId, meter, query, page)),

    async forget({ events, counts }) {
      const forget = (table: string, time: string, before: Date): Promise<number> =>
        forgetOldest(database, 'meters', { table, time, before });
      return (await forget('usage_events', 'received_at', events)) + (await forget('meter_hours', 'hour', counts));
    },

    async removeAll(organisationId) {
      for (const table of ['meter_hours', 'usage_events'] as const) {
        let removed: number;
        do removed = await database.tenant(organisationId, (trx) => removeSome(trx, table, organisationId));
        while (removed > 0);
      }
      await database.tenant(organisationId, (trx) => trx('meters').where({ organisation_id: organisationId }).delete());
    },
  };
}

const removeSome = async (trx: Knex.Transaction, table: string, organisationId: string): Promise<number> =>
  trx(table)
    .whereIn('ctid', trx(table).where({ organisation_id: organisationId }).limit(removedAtOnce).select('ctid'))
    .where({ organisation_id: organisationId })
    .delete();
