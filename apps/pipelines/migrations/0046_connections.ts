import { tenantTable, type Knex } from '@platform-backend/postgres';

/** How what datasets are read from is reached, and what of it each of them is. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    CREATE TABLE connections (
      id uuid PRIMARY KEY,
      organisation_id text NOT NULL,
      name text NOT NULL,
      kind text NOT NULL CHECK (kind IN ('POSTGRESQL', 'S3', 'HTTP')),
      settings jsonb NOT NULL,
      -- Sealed by the service.
      secret text,
      created_at timestamptz(3) NOT NULL,
      updated_at timestamptz(3) NOT NULL,
      CONSTRAINT connections_of_organisation UNIQUE (organisation_id, id)
    );
    CREATE UNIQUE INDEX connections_by_name ON connections (organisation_id, lower(name));
    CREATE INDEX connections_by_age ON connections (organisation_id, created_at, id);

    ALTER TABLE datasets
      ADD COLUMN source jsonb,
      ADD COLUMN source_connection_id uuid,
      -- What is being read of it, or was last.
      ADD COLUMN upload_source jsonb,
      -- As work_at, of what is read from connections: others may be slow.
      ADD COLUMN source_work_at timestamptz(3),
      ADD CONSTRAINT datasets_source_connection FOREIGN KEY (organisation_id, source_connection_id)
        REFERENCES connections (organisation_id, id);
    CREATE INDEX datasets_by_connection ON datasets (organisation_id, source_connection_id, name)
      WHERE source_connection_id IS NOT NULL;
    CREATE INDEX datasets_with_source_work ON datasets (organisation_id, source_work_at) WHERE source_work_at IS NOT NULL;
    CREATE INDEX datasets_first_source_due ON datasets (source_work_at) WHERE source_work_at IS NOT NULL;

    ALTER TABLE dataset_versions ADD COLUMN connection_id uuid;
  `);
  await tenantTable(knex, 'connections');
  await knex.raw(`
    CREATE POLICY read_by_resealing ON connections FOR SELECT USING (current_setting('app.secrets', true) = 'reseal');
    CREATE POLICY written_by_resealing ON connections FOR UPDATE USING (current_setting('app.secrets', true) = 'reseal');
  `);
}
