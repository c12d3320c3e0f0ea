import { tenantTable, type Knex } from '@platform-backend/postgres';

/** A file of a notebook's folder as it was once; it goes and moves with the file. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    CREATE TABLE notebook_file_checkpoints (
      organisation_id text NOT NULL,
      notebook_id uuid NOT NULL,
      path text COLLATE "C" NOT NULL,
      id uuid NOT NULL,
      size_bytes integer NOT NULL CHECK (size_bytes >= 0),
      created_at timestamptz(3) NOT NULL,
      content bytea NOT NULL,
      PRIMARY KEY (organisation_id, notebook_id, path),
      CONSTRAINT notebook_file_checkpoints_file FOREIGN KEY (organisation_id, notebook_id, path)
        REFERENCES notebook_files ON DELETE CASCADE ON UPDATE CASCADE
    );
  `);
  await tenantTable(knex, 'notebook_file_checkpoints');
}
