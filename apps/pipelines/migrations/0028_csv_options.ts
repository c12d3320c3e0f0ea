import { acrossOrganisations, tenantTable, type Knex } from '@platform-backend/postgres';

/** How a CSV is to be read, and rows of the latest upload that could not be. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    ALTER TABLE datasets
      ADD COLUMN upload_csv jsonb,
      ADD COLUMN upload_rejected_row_count integer;

    CREATE TABLE rejected_rows (
      -- In the order of the file.
      id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
      organisation_id text NOT NULL,
      dataset_id uuid NOT NULL,
      upload_id uuid NOT NULL,
      created_at timestamptz(3) NOT NULL DEFAULT now(),
      line bigint NOT NULL,
      reason text NOT NULL,
      column_name text NOT NULL,
      message text NOT NULL,
      text text NOT NULL,
      CONSTRAINT rejected_rows_of_dataset FOREIGN KEY (organisation_id, dataset_id)
        REFERENCES datasets (organisation_id, id) ON DELETE CASCADE
    );
    CREATE INDEX rejected_rows_by_upload ON rejected_rows (organisation_id, dataset_id, upload_id, created_at, id);
  `);
  await tenantTable(knex, 'rejected_rows');
  await acrossOrganisations(knex, ['datasets'], () =>
    knex.raw('UPDATE datasets SET upload_rejected_row_count = 0 WHERE upload_id IS NOT NULL'),
  );
}
