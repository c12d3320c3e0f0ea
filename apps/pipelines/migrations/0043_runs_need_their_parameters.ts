import type { Knex } from '@platform-backend/postgres';

/**
 * Replicas that give runs no parameters start none of a version that has some: they hear 57P03, as of steps that they do not know
 * (0037). And a backfill is looked at where one of its runs has ended.
 */
export const up = (knex: Knex) =>
  knex.raw(`
    CREATE FUNCTION runs_need_their_parameters() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
      IF EXISTS (SELECT FROM pipeline_versions AS version WHERE version.id = NEW.version_id AND version.parameters <> '[]') THEN
        RAISE EXCEPTION 'the version has parameters that this replica does not know' USING ERRCODE = '57P03';
      END IF;
      RETURN NEW;
    END $$;
    CREATE TRIGGER runs_need_their_parameters BEFORE INSERT ON runs
      FOR EACH ROW WHEN (NEW.engine_version < 3) EXECUTE FUNCTION runs_need_their_parameters();
    CREATE INDEX runs_of_backfills_going_on ON runs (backfill_id) WHERE backfill_id IS NOT NULL AND finished_at IS NULL;
  `);
