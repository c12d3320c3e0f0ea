import type { Knex } from '@platform-backend/postgres';
import { createHash } from 'node:crypto';
import type { GroupValues, Measurement, UsageEvent } from '../domain/measure.ts';
import type { IngestResult } from '../domain/meters.ts';

interface EventName {
  readonly source: string;
  readonly id: string;
}

/**
 * Writes events down that were not counted yet, and adds what they come to to their hours, in one transaction: an event is known by
 * the time it is counted, and counted by the time it is known. Rows are taken in one order everywhere, so that two lists never wait for each
 * other; events of both come first to one of them, and the other finds them known.
 */
export async function countEvents(
  trx: Knex.Transaction,
  organisationId: string,
  { events, measured }: { readonly events: readonly UsageEvent[]; readonly measured: readonly Measurement[] },
  at: Date,
): Promise<IngestResult> {
  const { rows: fresh } = await trx.raw<{ rows: EventName[] }>(
    `INSERT INTO usage_events (organisation_id, source, id, received_at)
     SELECT :organisationId, source, id, :at
     FROM unnest(CAST(:sources AS text[]), CAST(:ids AS text[])) AS told (source, id)
     GROUP BY source, id ORDER BY source, id
     ON CONFLICT DO NOTHING
     RETURNING source, id`,
    { organisationId, at, sources: events.map(({ source }) => source), ids: events.map(({ id }) => id) },
  );
  const isFresh = new Set(fresh.map(nameOf));
  // Of an event that is twice in the list the first counts.
  const counted = new Map<string, UsageEvent>();
  for (const event of events) if (!counted.has(nameOf(event))) counted.set(nameOf(event), event);
  const added = measured.filter(({ event }) => isFresh.has(nameOf(event)) && counted.get(nameOf(event)) === event);
  if (added.length > 0) await addToHours(trx, organisationId, added);
  return { accepted: fresh.length, duplicates: events.length - fresh.length };
}

const nameOf = ({ source, id }: EventName): string => JSON.stringify([source, id]);

async function addToHours(trx: Knex.Transaction, organisationId: string, added: readonly Measurement[]): Promise<void> {
  const rows = added.map(({ event, meterId, groups, number, distinct, order }) => ({
    meter_id: meterId,
    at: event.time,
    groups,
    groups_digest: digestOf(JSON.stringify(inOrder(groups))),
    value_digest: distinct === null ? '' : digestOf(distinct),
    value: number,
    named: order,
  }));
  await trx.raw(
    `INSERT INTO meter_hours AS known (organisation_id, meter_id, hour, groups_digest, value_digest, groups, events, total,
       highest, latest, latest_at, latest_event)
     SELECT :organisationId, meter_id, date_trunc('hour', at, 'UTC') AS hour, groups_digest, value_digest,
            (array_agg(groups))[1], count(*), coalesce(sum(value), 0), max(value),
            (array_agg(value ORDER BY at DESC, named COLLATE "C" DESC))[1],
            max(at), (array_agg(named ORDER BY at DESC, named COLLATE "C" DESC))[1]
     FROM jsonb_to_recordset(CAST(:rows AS jsonb)) AS told (meter_id uuid, at timestamptz, groups jsonb, groups_digest text,
       value_digest text, value numeric, named text)
     GROUP BY meter_id, hour, groups_digest, value_digest
     ORDER BY meter_id, hour, groups_digest, value_digest
     ON CONFLICT (organisation_id, meter_id, hour, groups_digest, value_digest) DO UPDATE
     SET events = known.events + excluded.events,
         total = known.total + excluded.total,
         highest = greatest(known.highest, excluded.highest),
         latest = CASE WHEN (excluded.latest_at, excluded.latest_event) > (known.latest_at, known.latest_event)
           THEN excluded.latest ELSE known.latest END,
         latest_event = CASE WHEN (excluded.latest_at, excluded.latest_event) > (known.latest_at, known.latest_event)
           THEN excluded.latest_event ELSE known.latest_event END,
         latest_at = greatest(known.latest_at, excluded.latest_at)`,
    { organisationId, rows: JSON.stringify(rows) },
  );
}

const digestOf = (text: string): string => createHash('sha256').update(text).digest('base64url');

const inOrder = (groups: GroupValues) => Object.entries(groups).toSorted(([one], [other]) => (one < other ? -1 : 1));
