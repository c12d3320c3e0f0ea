import { acrossOrganisations, type Knex } from '@platform-backend/postgres';

/** What asks for runs piles up no more: schedules have an overlap policy, events coalesce, and requests are taken in turns. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    ALTER TABLE pipelines ADD COLUMN overlap text NOT NULL DEFAULT 'BUFFER_ONE'
      CHECK (overlap IN ('SKIP', 'BUFFER_ONE', 'ALLOW', 'CANCEL_OTHER'));
    -- The pipelines whose runs have led to this one by what they made, one after the other.
    ALTER TABLE runs ADD COLUMN event_chain uuid[] NOT NULL DEFAULT '{}';
    ALTER TABLE run_requests
      ADD COLUMN event_chain uuid[] NOT NULL DEFAULT '{}',
      ADD COLUMN cancels_others boolean NOT NULL DEFAULT false,
      ADD COLUMN attempts integer NOT NULL DEFAULT 0,
      -- While somebody is at it, who may have read already what comes now.
      ADD COLUMN taken_at timestamptz(3);
    -- Of each organisation those that wait, pipeline by pipeline, and those that go on.
    CREATE INDEX runs_waiting ON runs (organisation_id, pipeline_id, created_at, id)
      WHERE admitted_at IS NULL AND finished_at IS NULL;
    CREATE INDEX runs_going_on ON runs (organisation_id, pipeline_id)
      WHERE admitted_at IS NOT NULL AND finished_at IS NULL;
    CREATE INDEX run_requests_due_by_organisation ON run_requests (organisation_id, look_at, id);
    DROP INDEX run_requests_due;
  `);
  await acrossOrganisations(knex, ['run_requests'], () =>
    knex.raw(`DELETE FROM run_requests AS later WHERE trigger = 'EVENT' AND EXISTS (
                SELECT FROM run_requests AS earlier
                WHERE earlier.pipeline_id = later.pipeline_id AND earlier.trigger = 'EVENT' AND earlier.id < later.id)`),
  );
  await knex.raw(`
    CREATE UNIQUE INDEX run_requests_coalesced ON run_requests (pipeline_id, event_chain)
      WHERE trigger = 'EVENT' AND taken_at IS NULL
  `);
}
