import { tenantTable, type Knex } from '@platform-backend/postgres';

export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    CREATE TABLE kernels (
      organisation_id text NOT NULL,
      id uuid NOT NULL,
      spec text NOT NULL,
      -- No reference: it is told of until it is forgotten, also when its notebook is gone.
      notebook_id uuid,
      user_id text,
      client_group_id uuid,
      api_key_id uuid,
      node_id uuid NOT NULL,
      node_address text NOT NULL,
      lease_until timestamptz(3) NOT NULL,
      state text NOT NULL CHECK (state IN ('starting', 'idle', 'busy', 'restarting', 'dead', 'stopped')),
      last_activity timestamptz(3) NOT NULL,
      connections integer NOT NULL,
      started_at timestamptz(3) NOT NULL,
      ended_at timestamptz(3),
      paid_minutes integer NOT NULL,
      CHECK ((ended_at IS NOT NULL) = (state IN ('dead', 'stopped'))),
      PRIMARY KEY (organisation_id, id)
      -- Room on each page, so that what is reported of a kernel again and again touches no index but that of leases.
    ) WITH (fillfactor = 60);
    CREATE INDEX kernels_by_start ON kernels (organisation_id, started_at, id);
    CREATE INDEX kernels_by_lease ON kernels (lease_until) WHERE ended_at IS NULL;
    CREATE INDEX kernels_by_end ON kernels (ended_at) WHERE ended_at IS NOT NULL;

    CREATE TABLE kernel_sessions (
      organisation_id text NOT NULL,
      id uuid NOT NULL,
      path text NOT NULL,
      name text NOT NULL,
      type text NOT NULL,
      kernel_id uuid NOT NULL,
      created_at timestamptz(3) NOT NULL,
      PRIMARY KEY (organisation_id, id),
      FOREIGN KEY (organisation_id, kernel_id) REFERENCES kernels ON DELETE CASCADE
    );
    -- Paths are too long for an index of their own.
    CREATE UNIQUE INDEX kernel_sessions_one_per_path ON kernel_sessions (organisation_id, sha256(path::bytea));
    CREATE INDEX kernel_sessions_by_kernel ON kernel_sessions (organisation_id, kernel_id);
  `);
  await tenantTable(knex, 'kernels', { open: [{ setting: 'app.sweep', value: 'kernels', allow: 'all' }] });
  await tenantTable(knex, 'kernel_sessions', { open: [{ setting: 'app.sweep', value: 'kernels', allow: 'all' }] });
}
