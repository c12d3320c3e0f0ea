import type { Knex } from '@platform-backend/postgres';

/** Replicas that decide no conditions start no run of a version that has some: they hear 57P03, as of parameters (0043). */
export const up = (knex: Knex) =>
  knex.raw(`
    CREATE FUNCTION runs_need_their_conditions() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
      IF EXISTS (SELECT FROM pipeline_versions AS version
                 WHERE version.id = NEW.version_id AND jsonb_path_exists(version.steps, '$[*].config.when[*]')) THEN
        RAISE EXCEPTION 'the version has conditions that this replica does not decide' USING ERRCODE = '57P03';
      END IF;
      RETURN NEW;
    END $$;
    CREATE TRIGGER runs_need_their_conditions BEFORE INSERT ON runs
      FOR EACH ROW WHEN (NEW.engine_version < 4) EXECUTE FUNCTION runs_need_their_conditions();
  `);
