import type { Knex } from '@platform-backend/postgres';

/**
 * Replicas that start one run where a step says several start no run of such a version: they hear 57P03, as of conditions (0044). And as they see no step
 * that starts runs in one of these, they would have the run left out of those whose children are looked after.
 */
export const up = (knex: Knex) =>
  knex.raw(`
    CREATE FUNCTION runs_need_their_values() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
      IF EXISTS (SELECT FROM pipeline_versions AS version
                 WHERE version.id = NEW.version_id AND jsonb_path_exists(version.steps, '$[*].config.forEach.values[*]')) THEN
        RAISE EXCEPTION 'the version has steps that start several runs, which this replica does not' USING ERRCODE = '57P03';
      END IF;
      RETURN NEW;
    END $$;
    CREATE TRIGGER runs_need_their_values BEFORE INSERT ON runs
      FOR EACH ROW WHEN (NEW.engine_version < 5) EXECUTE FUNCTION runs_need_their_values();
    CREATE FUNCTION runs_keep_starting_runs() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
      NEW.starts_runs := true;
      RETURN NEW;
    END $$;
    CREATE TRIGGER runs_keep_starting_runs BEFORE UPDATE ON runs
      FOR EACH ROW WHEN (OLD.starts_runs AND NOT NEW.starts_runs) EXECUTE FUNCTION runs_keep_starting_runs();
  `);
