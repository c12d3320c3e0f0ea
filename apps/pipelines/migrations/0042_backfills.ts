import { tenantTable, type Knex } from '@platform-backend/postgres';

/** Whoever starts runs of them finds those of all organisations, beside their runs. */
const sweep = { setting: 'app.sweep', value: 'runs', allow: 'select' } as const;

/** Runs of one pipeline over many values of a parameter. What the version before writes belongs to none. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    CREATE TABLE backfills (
      id uuid PRIMARY KEY,
      organisation_id text NOT NULL,
      pipeline_id uuid NOT NULL REFERENCES pipelines (id) ON DELETE CASCADE,
      version_id uuid NOT NULL,
      status text NOT NULL CHECK (status IN ('Running', 'Succeeded', 'Failed', 'Cancelled')),
      parameter text NOT NULL,
      -- Each has one run, in this order.
      run_values jsonb NOT NULL,
      parameters jsonb NOT NULL,
      max_concurrent_runs int NOT NULL,
      -- So many of the values have their run.
      started_runs int NOT NULL,
      message text NOT NULL,
      started_by jsonb NOT NULL,
      client_group_id text,
      request_id text,
      created_at timestamptz(3) NOT NULL,
      finished_at timestamptz(3),
      CHECK ((finished_at IS NULL) = (status = 'Running'))
    );
    CREATE INDEX backfills_of_pipelines ON backfills (organisation_id, pipeline_id, created_at, id);
    CREATE INDEX backfills_open ON backfills (id) WHERE finished_at IS NULL;
    CREATE INDEX backfills_open_of_organisations ON backfills (organisation_id) WHERE finished_at IS NULL;
    CREATE INDEX backfills_by_pipeline ON backfills (pipeline_id);
    CREATE INDEX backfills_by_end ON backfills (finished_at) WHERE finished_at IS NOT NULL;
    ALTER TABLE runs ADD COLUMN backfill_id uuid;
    CREATE INDEX runs_of_backfills ON runs (backfill_id, created_at, id) WHERE backfill_id IS NOT NULL;
    CREATE INDEX runs_of_backfills_open ON runs (id) WHERE backfill_id IS NOT NULL AND finished_at IS NULL;
  `);
  await tenantTable(knex, 'backfills', { open: [sweep] });
}
