import { tenantTable, type Knex } from '@platform-backend/postgres';

export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    CREATE TABLE notebook_runs (
      organisation_id text NOT NULL,
      id uuid NOT NULL,
      notebook_id uuid NOT NULL,
      notebook_version integer NOT NULL,
      status text NOT NULL CHECK (status IN ('PENDING', 'RUNNING', 'SUCCEEDED', 'FAILED', 'CANCELLED')),
      parameters jsonb NOT NULL,
      kernel_name text NOT NULL,
      attempts integer NOT NULL,
      attempt_id uuid,
      cells integer NOT NULL,
      cells_done integer NOT NULL,
      failed_cell integer,
      code text NOT NULL,
      message text NOT NULL,
      user_id text,
      client_group_id uuid,
      api_key_id uuid,
      created_at timestamptz(3) NOT NULL,
      started_at timestamptz(3),
      finished_at timestamptz(3),
      -- When somebody has to look after it; null once it is over.
      look_at timestamptz(3),
      CHECK ((finished_at IS NULL) = (status IN ('PENDING', 'RUNNING'))),
      CHECK ((look_at IS NULL) = (finished_at IS NOT NULL)),
      PRIMARY KEY (organisation_id, id),
      CONSTRAINT notebook_runs_notebook FOREIGN KEY (organisation_id, notebook_id) REFERENCES notebooks ON DELETE CASCADE
    ) WITH (fillfactor = 60);
    CREATE INDEX notebook_runs_by_age ON notebook_runs (organisation_id, notebook_id, created_at, id);
    CREATE INDEX notebook_runs_due ON notebook_runs (look_at) WHERE look_at IS NOT NULL;
    CREATE INDEX notebook_runs_open ON notebook_runs (organisation_id) WHERE look_at IS NOT NULL;

    -- What runs, and what has come of it; JSON as it came.
    CREATE TABLE notebook_run_contents (
      organisation_id text NOT NULL,
      run_id uuid NOT NULL,
      content text NOT NULL,
      result text,
      PRIMARY KEY (organisation_id, run_id),
      FOREIGN KEY (organisation_id, run_id) REFERENCES notebook_runs ON DELETE CASCADE
    );
  `);
  await tenantTable(knex, 'notebook_runs', { open: [{ setting: 'app.sweep', value: 'notebook runs', allow: 'all' }] });
  await tenantTable(knex, 'notebook_run_contents');
}
