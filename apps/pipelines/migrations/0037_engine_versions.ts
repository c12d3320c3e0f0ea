import type { Knex } from '@platform-backend/postgres';

/**
 * Whoever writes a run says which steps it knows. Replicas of before say nothing, and start and repeat no run that has steps which they would
 * take for something else: they hear 57P03, which is 503 for whoever has asked, and is tried again where nobody waits.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    ALTER TABLE runs ADD COLUMN engine_version smallint NOT NULL DEFAULT 1, ADD COLUMN client_group_id text;

    CREATE FUNCTION runs_need_their_engine() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
      IF EXISTS (
        SELECT FROM pipeline_versions AS version
        WHERE version.id = NEW.version_id
          AND jsonb_path_exists(version.steps, '$[*].config.queryType \\? (@ == "LLM" || @ == "PIPELINE")')
      ) THEN
        RAISE EXCEPTION 'the run has steps that this replica does not know' USING ERRCODE = '57P03';
      END IF;
      RETURN NEW;
    END $$;
    CREATE TRIGGER runs_need_their_engine BEFORE INSERT ON runs
      FOR EACH ROW WHEN (NEW.engine_version < 2) EXECUTE FUNCTION runs_need_their_engine();
  `);
}
