import type { Page, PageRequest } from '@platform-backend/core';
import type { Knex } from '@platform-backend/postgres';
import type { HourRange } from '../domain/days.ts';
import type { UsageFilter, UsageRow } from '../domain/usage.ts';

interface HourRow {
  hour: Date;
  requests: string;
  ai: string;
  infrastructure: string;
}

/**
 * Usage by UTC hour: requests as they were counted, credits as their debits say. Both are read by index, and no more of them than
 * lies between the hours.
 */
export async function usageByHour(
  trx: Knex.Transaction,
  organisationId: string,
  { from, to, clientGroupId, apiKeyId, memberId }: HourRange & UsageFilter,
  { limit, cursor, includeTotal }: PageRequest,
): Promise<Page<UsageRow>> {
  const asked = { organisationId, from, to, clientGroupId, apiKeyId, memberId };
  // What comes before a page is not read again.
  const before = cursor === '' ? to : new Date(cursor);
  const { rows } = await trx.raw<{ rows: HourRow[] }>(`${byHour} ORDER BY hour DESC LIMIT :limit`, {
    ...asked,
    to: before < to ? before : to,
    limit: limit + 1,
  });
  const items = rows.slice(0, limit);
  const nextCursor = rows.length > limit ? (items.at(-1)?.hour.toISOString() ?? '') : '';
  if (!includeTotal) return { items: items.map(usageOfHour), nextCursor };
  const counted = await trx.raw<{ rows: [{ hours: string }] }>(
    `SELECT count(*) AS hours FROM (${byHour}) AS all_of_them`,
    asked,
  );
  return { items: items.map(usageOfHour), nextCursor, total: Number(counted.rows[0].hours) };
}

/** Debits of whatever client group and key; requests are not counted by member. */
const byHour = `
  SELECT hour, sum(requests) AS requests, sum(ai) AS ai, sum(infrastructure) AS infrastructure
  FROM (
    SELECT date_trunc('hour', occurred_at, 'UTC') AS hour, 0 AS requests,
           CASE credit_class WHEN 'AI' THEN amount_micros ELSE 0 END AS ai,
           CASE credit_class WHEN 'AI' THEN 0 ELSE amount_micros END AS infrastructure,
           client_group_id, api_key_id, member_id
    FROM credit_debits
    WHERE organisation_id = :organisationId AND occurred_at >= :from AND occurred_at < :to
    UNION ALL
    SELECT hour, requests, 0, 0, client_group_id, api_key_id, NULL
    FROM usage_hours
    WHERE organisation_id = :organisationId AND hour >= :from AND hour < :to
  ) AS counted
  WHERE (CAST(:clientGroupId AS uuid) IS NULL OR client_group_id = :clientGroupId)
    AND (CAST(:apiKeyId AS uuid) IS NULL OR api_key_id = :apiKeyId)
    AND (CAST(:memberId AS text) IS NULL OR member_id = :memberId)
  GROUP BY hour`;

const usageOfHour = (row: HourRow): UsageRow => ({
  // Whole seconds, as hours are.
  key: row.hour.toISOString().replace('.000Z', 'Z'),
  requests: BigInt(row.requests),
  aiCredits: BigInt(row.ai),
  infrastructureCredits: BigInt(row.infrastructure),
});
