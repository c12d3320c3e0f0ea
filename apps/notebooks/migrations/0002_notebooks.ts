import { tenantTable, type Knex } from '@platform-backend/postgres';

export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    CREATE TABLE notebooks (
      organisation_id text NOT NULL,
      id uuid NOT NULL,
      name text NOT NULL,
      version integer NOT NULL CHECK (version >= 1),
      size_bytes integer NOT NULL,
      format_minor integer NOT NULL,
      language text NOT NULL,
      created_at timestamptz(3) NOT NULL,
      updated_at timestamptz(3) NOT NULL,
      PRIMARY KEY (organisation_id, id),
      CONSTRAINT notebooks_one_per_name UNIQUE (organisation_id, name)
    );
    CREATE INDEX notebooks_by_age ON notebooks (organisation_id, created_at, id);

    -- JSON as it came: neither the order of its keys nor its numbers are ours to change.
    CREATE TABLE notebook_contents (
      organisation_id text NOT NULL,
      notebook_id uuid NOT NULL,
      content text NOT NULL,
      PRIMARY KEY (organisation_id, notebook_id),
      CONSTRAINT notebook_contents_notebook FOREIGN KEY (organisation_id, notebook_id) REFERENCES notebooks ON DELETE CASCADE
    );

    CREATE TABLE notebook_checkpoints (
      organisation_id text NOT NULL,
      id uuid NOT NULL,
      notebook_id uuid NOT NULL,
      version integer NOT NULL,
      size_bytes integer NOT NULL,
      content text NOT NULL,
      created_at timestamptz(3) NOT NULL,
      PRIMARY KEY (organisation_id, id),
      CONSTRAINT notebook_checkpoints_notebook FOREIGN KEY (organisation_id, notebook_id) REFERENCES notebooks ON DELETE CASCADE
    );
    CREATE INDEX notebook_checkpoints_by_age ON notebook_checkpoints (organisation_id, notebook_id, created_at, id);
  `);
  for (const table of ['notebooks', 'notebook_contents', 'notebook_checkpoints']) await tenantTable(knex, table);
}
