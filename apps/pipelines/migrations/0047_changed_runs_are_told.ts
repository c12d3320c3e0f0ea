import type { Knex } from '@platform-backend/postgres';

/**
 * Whoever follows a run, its log or its place among those that wait hears of changes as they are committed, also of those that replicas of
 * before make. What is removed after its time is followed by nobody.
 */
export const up = (knex: Knex) =>
  knex.raw(`
    CREATE FUNCTION runs_tell_changes() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
      PERFORM pg_notify('changes', 'run ' || organisation_id || ' ' || id) FROM after;
      PERFORM pg_notify('changes', 'waiting_runs ' || moved.organisation_id) FROM (
        SELECT DISTINCT after.organisation_id FROM after JOIN before ON before.id = after.id
        WHERE before.admitted_at IS NULL AND (after.admitted_at IS NOT NULL OR after.finished_at IS NOT NULL)
      ) AS moved;
      RETURN NULL;
    END $$;
    CREATE TRIGGER runs_tell_changes AFTER UPDATE ON runs REFERENCING OLD TABLE AS before NEW TABLE AS after
      FOR EACH STATEMENT EXECUTE FUNCTION runs_tell_changes();

    CREATE FUNCTION runs_tell_removal() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
      PERFORM pg_notify('changes', 'run ' || organisation_id || ' ' || id) FROM gone WHERE finished_at IS NULL;
      RETURN NULL;
    END $$;
    CREATE TRIGGER runs_tell_removal AFTER DELETE ON runs REFERENCING OLD TABLE AS gone
      FOR EACH STATEMENT EXECUTE FUNCTION runs_tell_removal();

    CREATE FUNCTION run_logs_tell_lines() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
      PERFORM pg_notify('changes', 'run_log ' || logged.organisation_id || ' ' || logged.run_id)
      FROM (SELECT DISTINCT organisation_id, run_id FROM lines) AS logged;
      RETURN NULL;
    END $$;
    CREATE TRIGGER run_logs_tell_lines AFTER INSERT ON run_logs REFERENCING NEW TABLE AS lines
      FOR EACH STATEMENT EXECUTE FUNCTION run_logs_tell_lines();
  `);
