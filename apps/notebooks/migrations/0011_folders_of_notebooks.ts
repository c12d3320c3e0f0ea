import { tenantTable, type Knex } from '@platform-backend/postgres';

/** The files of a notebook's folder, which go with it. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    CREATE TABLE notebook_files (
      organisation_id text NOT NULL,
      notebook_id uuid NOT NULL,
      -- In the order of its bytes: what is in a folder is a range of paths.
      path text COLLATE "C" NOT NULL,
      kind text NOT NULL CHECK (kind IN ('FILE', 'FOLDER')),
      size_bytes integer NOT NULL CHECK (size_bytes >= 0),
      digest text NOT NULL,
      updated_at timestamptz(3) NOT NULL,
      PRIMARY KEY (organisation_id, notebook_id, path),
      CONSTRAINT notebook_files_notebook FOREIGN KEY (organisation_id, notebook_id) REFERENCES notebooks ON DELETE CASCADE
    );
    CREATE TABLE notebook_file_contents (
      organisation_id text NOT NULL,
      notebook_id uuid NOT NULL,
      path text COLLATE "C" NOT NULL,
      content bytea NOT NULL,
      PRIMARY KEY (organisation_id, notebook_id, path),
      CONSTRAINT notebook_file_contents_file FOREIGN KEY (organisation_id, notebook_id, path)
        REFERENCES notebook_files ON DELETE CASCADE ON UPDATE CASCADE
    );
  `);
  for (const table of ['notebook_files', 'notebook_file_contents']) await tenantTable(knex, table);
}
