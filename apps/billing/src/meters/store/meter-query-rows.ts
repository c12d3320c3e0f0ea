import type { Page, PageRequest } from '@platform-backend/core';
import type { Knex } from '@platform-backend/postgres';
import { windowEnd, type MeterQuery, type MeterRow, type MeterWindow } from '../domain/meter-query.ts';
import type { Meter, MeterAggregation } from '../domain/meter.ts';

/** How hours come to a window. */
const aggregates: Readonly<Record<MeterAggregation, string>> = {
  SUM: 'sum(total)',
  COUNT: 'sum(events)',
  MAX: 'max(highest)',
  UNIQUE_COUNT: 'count(DISTINCT value_digest)',
  LATEST: '(array_agg(latest ORDER BY latest_at DESC, latest_event DESC))[1]',
};

const windows: Readonly<Record<MeterWindow, string>> = {
  HOUR: 'hour',
  DAY: "date_trunc('day', hour, 'UTC')",
  MONTH: "date_trunc('month', hour, 'UTC')",
};

interface Row {
  begins: Date;
  picked: Record<string, string>;
  key: string;
  value: string;
}

/** Reads the hours of the meter in the time that is asked for, by their key, and nothing else. */
export async function queryMeter(
  trx: Knex.Transaction,
  organisationId: string,
  { id, aggregation }: Meter,
  { from, to, window, groupBy, filters }: MeterQuery,
  { limit, cursor }: Omit<PageRequest, 'includeTotal'>,
): Promise<Page<MeterRow>> {
  const [lastBegins, lastKey] = cursor === '' ? [null, null] : cursor.split(' ');
  const { rows } = await trx.raw<{ rows: Row[] }>(
    `SELECT * FROM (
       SELECT ${window === null ? 'CAST(:from AS timestamptz)' : windows[window]} AS begins, picked, md5(CAST(picked AS text)) AS key,
              CAST(trim_scale(CAST(${aggregates[aggregation]} AS numeric)) AS text) AS value
       FROM meter_hours, LATERAL (
         SELECT coalesce(jsonb_object_agg(name, groups -> name), '{}') AS picked
         FROM unnest(CAST(:groupBy AS text[])) AS name WHERE groups -> name IS NOT NULL
       ) AS of_groups
       WHERE organisation_id = :organisationId AND meter_id = :id AND hour >= :from AND hour < :to
         AND NOT EXISTS (
           SELECT FROM jsonb_each(CAST(:filters AS jsonb)) AS wanted
           WHERE NOT coalesce(wanted.value @> jsonb_build_array(groups -> wanted.key), false)
         )
       GROUP BY begins, picked
     ) AS counted
     WHERE CAST(:lastKey AS text) IS NULL OR (:isByWindow AND begins < :lastBegins)
        OR ((begins = :lastBegins OR NOT :isByWindow) AND key > :lastKey)
     ORDER BY begins DESC, key LIMIT :limit`,
    {
      ...{ organisationId, id, from, to, groupBy: [...groupBy], filters: JSON.stringify(filters), limit: limit + 1 },
      // Without windows all begin with the time asked for, which moves on between two pages where it is counted from now.
      ...{ lastKey: lastKey ?? null, lastBegins: lastBegins ?? null, isByWindow: window !== null },
    },
  );
  const shown = rows.slice(0, limit);
  const last = shown.at(-1);
  return {
    items: shown.map(({ begins, picked, value }) => ({
      windowStart: begins,
      windowEnd: window === null ? to : windowEnd(window, begins),
      value,
      groups: picked,
    })),
    nextCursor: rows.length > limit && last ? `${last.begins.toISOString()} ${last.key}` : '',
  };
}
