import type { Knex } from '@platform-backend/postgres';

/**
 * Whoever follows the run of a notebook hears of changes as they are committed, also of those that replicas of before make. What is
 * removed after its time is followed by nobody.
 */
export const up = (knex: Knex) =>
  knex.raw(`
    CREATE FUNCTION notebook_runs_tell_changes() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
      PERFORM pg_notify('changes', 'notebook_run ' || organisation_id || ' ' || id) FROM changed
      WHERE TG_OP = 'UPDATE' OR finished_at IS NULL;
      RETURN NULL;
    END $$;
    CREATE TRIGGER notebook_runs_tell_changes AFTER UPDATE ON notebook_runs REFERENCING NEW TABLE AS changed
      FOR EACH STATEMENT EXECUTE FUNCTION notebook_runs_tell_changes();
    CREATE TRIGGER notebook_runs_tell_removal AFTER DELETE ON notebook_runs REFERENCING OLD TABLE AS changed
      FOR EACH STATEMENT EXECUTE FUNCTION notebook_runs_tell_changes();
  `);
