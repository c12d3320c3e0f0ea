import { acrossOrganisations, type Knex } from '@platform-backend/postgres';

/**
 * What the files of a notebook have in all, with their checkpoints, so that whoever saves one adds up notebooks, and not all files of the
 * organisation. A service of before leaves it as it is: the next change in the same folder counts anew.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw('ALTER TABLE notebooks ADD COLUMN folder_bytes bigint NOT NULL DEFAULT 0 CHECK (folder_bytes >= 0)');
  await acrossOrganisations(knex, ['notebooks', 'notebook_files', 'notebook_file_checkpoints'], () =>
    knex.raw(`
      UPDATE notebooks SET folder_bytes = counted.bytes FROM (
        SELECT organisation_id, notebook_id, sum(size_bytes) AS bytes FROM (
          SELECT organisation_id, notebook_id, size_bytes FROM notebook_files
          UNION ALL SELECT organisation_id, notebook_id, size_bytes FROM notebook_file_checkpoints
        ) AS kept GROUP BY organisation_id, notebook_id
      ) AS counted
      WHERE counted.organisation_id = notebooks.organisation_id AND counted.notebook_id = notebooks.id AND counted.bytes > 0
    `),
  );
  await knex.raw(
    'CREATE INDEX notebooks_with_files ON notebooks (organisation_id) INCLUDE (id, folder_bytes) WHERE folder_bytes > 0',
  );
}
