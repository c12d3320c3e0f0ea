import { acrossOrganisations, type Knex } from '@platform-backend/postgres';

/** Organisations take turns at the steps that are due, of which those that wait for a kernel have places of their own. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    ALTER TABLE runs ADD COLUMN due_at timestamptz(3), ADD COLUMN kernel_due_at timestamptz(3);
    CREATE INDEX runs_due ON runs (organisation_id, due_at, id) WHERE due_at IS NOT NULL AND admitted_at IS NOT NULL;
    CREATE INDEX runs_due_in_kernels ON runs (organisation_id, kernel_due_at, id)
      WHERE kernel_due_at IS NOT NULL AND admitted_at IS NOT NULL;
    CREATE INDEX runs_at_work ON runs (organisation_id) WHERE workers <> '{}';
  `);
  // What waits while this is rolled out.
  await acrossOrganisations(knex, ['runs'], () =>
    knex.raw(`UPDATE runs SET due_at = ready_since WHERE finished_at IS NULL AND engine = 'embedded'`),
  );
}
