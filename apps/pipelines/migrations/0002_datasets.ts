import { tenantTable, type Knex } from '@platform-backend/postgres';

export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    CREATE TABLE datasets (
      -- Given by whoever uploads it: two organisations may choose the same.
      organisation_id text NOT NULL,
      id uuid NOT NULL,
      name text NOT NULL,
      description text NOT NULL,
      created_at timestamptz(3) NOT NULL,
      updated_at timestamptz(3) NOT NULL,
      -- The current version is the one of this number.
      version_count integer NOT NULL,
      upload_id uuid,
      upload_format text,
      upload_key text,
      upload_status text,
      upload_expires_at timestamptz(3),
      upload_attempts integer,
      upload_failure jsonb,
      work_at timestamptz(3),
      PRIMARY KEY (organisation_id, id)
    );
    CREATE UNIQUE INDEX datasets_by_name ON datasets (organisation_id, lower(name));
    CREATE INDEX datasets_by_age ON datasets (organisation_id, created_at, id);
    CREATE INDEX datasets_with_work ON datasets (work_at) WHERE work_at IS NOT NULL;

    CREATE TABLE dataset_versions (
      id uuid PRIMARY KEY,
      organisation_id text NOT NULL,
      dataset_id uuid NOT NULL,
      number integer NOT NULL,
      created_at timestamptz(3) NOT NULL,
      columns jsonb NOT NULL,
      rows bigint NOT NULL,
      bytes bigint NOT NULL,
      object_key text NOT NULL,
      checksum text NOT NULL,
      statistics jsonb NOT NULL,
      dictionary jsonb NOT NULL,
      upload_id uuid,
      run_id uuid,
      step text,
      input_version_ids uuid[] NOT NULL,
      CONSTRAINT dataset_versions_number UNIQUE (organisation_id, dataset_id, number),
      CONSTRAINT dataset_versions_once_a_step UNIQUE (organisation_id, dataset_id, run_id, step),
      CONSTRAINT dataset_versions_source CHECK ((upload_id IS NULL) <> (run_id IS NULL) AND (run_id IS NULL) = (step IS NULL)),
      CONSTRAINT dataset_versions_of_dataset FOREIGN KEY (organisation_id, dataset_id)
        REFERENCES datasets (organisation_id, id) ON DELETE CASCADE
    );
    CREATE INDEX dataset_versions_by_age ON dataset_versions (organisation_id, dataset_id, created_at, id);

    CREATE TABLE object_removals (
      -- Of one object, or of all below it where it ends with a slash.
      key text PRIMARY KEY,
      organisation_id text NOT NULL,
      remove_at timestamptz(3) NOT NULL,
      -- Once more, for what was still being written.
      again_at timestamptz(3)
    );
    CREATE INDEX object_removals_due ON object_removals (remove_at);
    CREATE INDEX object_removals_of_organisation ON object_removals (organisation_id);
  `);
  await tenantTable(knex, 'datasets', { open: [{ setting: 'app.datasets', value: 'due' }] });
  await tenantTable(knex, 'dataset_versions');
  await tenantTable(knex, 'object_removals', {
    open: [{ setting: 'app.object_removals', value: 'due', allow: 'all' }],
  });
}
