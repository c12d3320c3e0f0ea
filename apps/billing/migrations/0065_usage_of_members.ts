import { acrossOrganisations, tenantTable, type Knex } from '@platform-backend/postgres';

/**
 * What members have spent by day, client group and API key. `usage_days` has the same without the member, and with what nobody in
 * particular has spent. What a replica of the release before books while this one is rolled out counts as nobody's.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    CREATE TABLE usage_member_days (
      organisation_id text NOT NULL,
      day date NOT NULL,
      client_group_id uuid NOT NULL,
      api_key_id uuid NOT NULL,
      member_id text NOT NULL,
      ai_credits_micros bigint NOT NULL CHECK (ai_credits_micros >= 0),
      infrastructure_credits_micros bigint NOT NULL CHECK (infrastructure_credits_micros >= 0),
      PRIMARY KEY (organisation_id, client_group_id, day, api_key_id, member_id)
    );
    CREATE INDEX usage_member_days_by_day ON usage_member_days (organisation_id, day);
  `);
  await acrossOrganisations(knex, ['credit_debits'], () =>
    knex.raw(`
      INSERT INTO usage_member_days (organisation_id, day, client_group_id, api_key_id, member_id,
        ai_credits_micros, infrastructure_credits_micros)
      SELECT organisation_id, (occurred_at AT TIME ZONE 'UTC')::date,
             coalesce(client_group_id, '00000000-0000-0000-0000-000000000000'),
             coalesce(api_key_id, '00000000-0000-0000-0000-000000000000'), member_id,
             coalesce(sum(amount_micros) FILTER (WHERE credit_class = 'AI'), 0),
             coalesce(sum(amount_micros) FILTER (WHERE credit_class <> 'AI'), 0)
      FROM credit_debits WHERE member_id IS NOT NULL
      GROUP BY 1, 2, 3, 4, 5`),
  );
  await tenantTable(knex, 'usage_member_days', { privileges: ['select', 'insert', 'update'] });
}
