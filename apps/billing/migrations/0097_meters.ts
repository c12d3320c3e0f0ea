import { tenantTable, type Knex } from '@platform-backend/postgres';

/** What organisations measure of their own: meters, the events that they were told of, and what was counted by hour. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    CREATE TABLE meters (
      id uuid PRIMARY KEY,
      organisation_id text NOT NULL,
      slug text NOT NULL,
      name text NOT NULL,
      description text NOT NULL,
      event_type text NOT NULL,
      aggregation text NOT NULL CHECK (aggregation IN ('SUM', 'COUNT', 'MAX', 'UNIQUE_COUNT', 'LATEST')),
      value_property text CHECK ((value_property IS NULL) = (aggregation = 'COUNT')),
      group_by jsonb NOT NULL,
      created_at timestamptz(3) NOT NULL,
      updated_at timestamptz(3) NOT NULL,
      archived_at timestamptz(3)
    );
    CREATE INDEX meters_by_age ON meters (organisation_id, created_at, id);
    CREATE UNIQUE INDEX meters_slug ON meters (organisation_id, slug) WHERE archived_at IS NULL;

    -- Events that were counted, as long as they may come again.
    CREATE TABLE usage_events (
      organisation_id text NOT NULL,
      source text NOT NULL,
      id text NOT NULL,
      received_at timestamptz(3) NOT NULL,
      PRIMARY KEY (organisation_id, source, id)
    );
    CREATE INDEX usage_events_by_age ON usage_events (received_at);

    CREATE TABLE meter_hours (
      organisation_id text NOT NULL,
      meter_id uuid NOT NULL REFERENCES meters,
      -- Of UTC.
      hour timestamptz(3) NOT NULL,
      groups_digest text NOT NULL,
      -- Of a UNIQUE_COUNT each value has a row; empty for the others.
      value_digest text NOT NULL,
      groups jsonb NOT NULL,
      events bigint NOT NULL CHECK (events > 0),
      total numeric NOT NULL,
      -- Null, as what follows, where no number is counted.
      highest numeric,
      latest numeric,
      latest_at timestamptz(3),
      -- Tells events of the same time apart.
      latest_event text COLLATE "C",
      PRIMARY KEY (organisation_id, meter_id, hour, groups_digest, value_digest)
    );
    CREATE INDEX meter_hours_by_age ON meter_hours (hour);
  `);
  const open = [{ setting: 'app.sweep', value: 'meters', allow: 'all' as const }];
  await tenantTable(knex, 'meters', { privileges: ['select', 'insert', 'update', 'delete'] });
  await tenantTable(knex, 'usage_events', { privileges: ['select', 'insert', 'delete'], open });
  await tenantTable(knex, 'meter_hours', { privileges: ['select', 'insert', 'update', 'delete'], open });
}
