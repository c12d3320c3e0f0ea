import type { Knex } from '@platform-backend/postgres';

/** Stands for no client group or no key. */
export const NO_GROUP = '00000000-0000-0000-0000-000000000000';

interface CountedRequests {
  readonly day: string;
  readonly clientGroupId: string | null;
  readonly apiKeyId: string | null;
  readonly requests: bigint;
}

/** Adds requests to a day. Spent credits are added where they are settled. */
export async function addUsage(
  trx: Knex.Transaction,
  organisationId: string,
  { day, clientGroupId, apiKeyId, requests }: CountedRequests,
): Promise<void> {
  await trx.raw(
    `INSERT INTO usage_days (organisation_id, day, client_group_id, api_key_id, requests) VALUES (?, ?, ?, ?, ?)
     ON CONFLICT (organisation_id, client_group_id, day, api_key_id) DO UPDATE
     SET requests = usage_days.requests + excluded.requests, revision = usage_days.revision + 1`,
    [organisationId, day, clientGroupId ?? NO_GROUP, apiKeyId ?? NO_GROUP, String(requests)],
  );
}
