import type { Knex } from '@platform-backend/postgres';

/** Stands for no client group or no key. */
export const NO_GROUP = '00000000-0000-0000-0000-000000000000';

export interface CountedRequests {
  readonly occurredAt: Date;
  readonly clientGroupId: string | null;
  readonly apiKeyId: string | null;
  readonly requests: bigint;
}

/**
 * Adds requests to their UTC days, and then to their hours. Rows are taken in one order everywhere, so that two that count never
 * wait for each other. Spent credits are added where they are booked.
 */
export async function addUsage(
  trx: Knex.Transaction,
  organisationId: string,
  counted: readonly CountedRequests[],
): Promise<void> {
  if (counted.length === 0) return;
  const values = {
    organisationId,
    at: counted.map(({ occurredAt }) => occurredAt),
    groups: counted.map(({ clientGroupId }) => clientGroupId ?? NO_GROUP),
    keys: counted.map(({ apiKeyId }) => apiKeyId ?? NO_GROUP),
    requests: counted.map(({ requests }) => String(requests)),
  };
  await trx.raw(
    `INSERT INTO usage_days (organisation_id, day, client_group_id, api_key_id, requests)
     SELECT :organisationId, (at AT TIME ZONE 'UTC')::date, client_group_id, api_key_id, sum(requests)
     ${given}
     GROUP BY 2, 3, 4 ORDER BY 3, 2, 4
     ON CONFLICT (organisation_id, client_group_id, day, api_key_id) DO UPDATE
     SET requests = usage_days.requests + excluded.requests, revision = usage_days.revision + 1`,
    values,
  );
  await trx.raw(
    `INSERT INTO usage_hours (organisation_id, hour, client_group_id, api_key_id, requests)
     SELECT :organisationId, date_trunc('hour', at, 'UTC'), client_group_id, api_key_id, sum(requests)
     ${given}
     GROUP BY 2, 3, 4 ORDER BY 2, 3, 4
     ON CONFLICT (organisation_id, hour, client_group_id, api_key_id) DO UPDATE
     SET requests = usage_hours.requests + excluded.requests`,
    values,
  );
}

const given = `FROM unnest(CAST(:at AS timestamptz[]), CAST(:groups AS uuid[]), CAST(:keys AS uuid[]), CAST(:requests AS bigint[]))
       AS counted (at, client_group_id, api_key_id, requests)`;
