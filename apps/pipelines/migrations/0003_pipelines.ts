import { tenantTable, type Knex } from '@platform-backend/postgres';

export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    CREATE TABLE pipelines (
      id uuid PRIMARY KEY,
      organisation_id text NOT NULL,
      name text NOT NULL,
      description text NOT NULL,
      reference_notes text NOT NULL,
      cron_schedule text,
      time_zone text NOT NULL,
      runs_on_new_data boolean NOT NULL,
      max_concurrent_runs integer NOT NULL,
      archived boolean NOT NULL,
      current_version_id uuid,
      version_count integer NOT NULL,
      created_at timestamptz(3) NOT NULL,
      updated_at timestamptz(3) NOT NULL
    );
    CREATE INDEX pipelines_of_organisation ON pipelines (organisation_id, archived, created_at, id);

    CREATE TABLE pipeline_versions (
      id uuid PRIMARY KEY,
      organisation_id text NOT NULL,
      pipeline_id uuid NOT NULL REFERENCES pipelines (id) ON DELETE CASCADE,
      number integer NOT NULL,
      step_order text NOT NULL,
      steps jsonb NOT NULL,
      created_at timestamptz(3) NOT NULL,
      UNIQUE (pipeline_id, number)
    );
    CREATE INDEX pipeline_versions_of_pipeline ON pipeline_versions (pipeline_id, created_at, id);

    -- The steps of a run are part of its row, so that whatever is reported of one changes the whole run at once. Rows
    -- change a few times each and leave room for that on their page.
    CREATE TABLE runs (
      id uuid PRIMARY KEY,
      organisation_id text NOT NULL,
      pipeline_id uuid NOT NULL REFERENCES pipelines (id) ON DELETE CASCADE,
      version_id uuid NOT NULL REFERENCES pipeline_versions (id) ON DELETE CASCADE,
      name text NOT NULL,
      status text NOT NULL CHECK (status IN
        ('Pending', 'Running', 'Succeeded', 'Failed', 'Error', 'Cancelling', 'Cancelled')),
      trigger text NOT NULL,
      retry_of_run_id uuid,
      started_by jsonb NOT NULL,
      engine text NOT NULL,
      created_at timestamptz(3) NOT NULL,
      admitted_at timestamptz(3),
      started_at timestamptz(3),
      cancelling_at timestamptz(3),
      finished_at timestamptz(3),
      message text NOT NULL,
      steps jsonb NOT NULL,
      changes integer NOT NULL,
      -- Since when a step of it could begin that nobody has begun.
      ready_since timestamptz(3),
      -- Who carries out something of it.
      workers uuid[] NOT NULL DEFAULT '{}',
      charge_state text NOT NULL DEFAULT 'NONE' CHECK (charge_state IN ('NONE', 'OPEN', 'SETTLED', 'LOST')),
      charge_micros bigint NOT NULL DEFAULT 0,
      CHECK ((status IN ('Succeeded', 'Failed', 'Error', 'Cancelled')) = (finished_at IS NOT NULL))
    ) WITH (fillfactor = 70);
    CREATE INDEX runs_of_pipeline ON runs (pipeline_id, created_at, id);
    CREATE INDEX runs_of_version ON runs (version_id, created_at, id);
    CREATE INDEX runs_over ON runs (pipeline_id, status, created_at, id) WHERE finished_at IS NOT NULL;
    CREATE INDEX runs_not_over ON runs (organisation_id, created_at, id) WHERE finished_at IS NULL;
    CREATE INDEX runs_charged ON runs (created_at) WHERE charge_state = 'OPEN';

    CREATE FUNCTION runs_stay_as_they_ended() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
      IF (NEW.status, NEW.steps, NEW.message, NEW.finished_at) IS DISTINCT FROM
         (OLD.status, OLD.steps, OLD.message, OLD.finished_at)
      THEN
        RAISE EXCEPTION 'a run that is over stays as it ended' USING ERRCODE = 'check_violation';
      END IF;
      RETURN NEW;
    END $$;
    CREATE TRIGGER runs_stay_as_they_ended BEFORE UPDATE ON runs
      FOR EACH ROW WHEN (OLD.finished_at IS NOT NULL) EXECUTE FUNCTION runs_stay_as_they_ended();

    CREATE TABLE run_logs (
      id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
      organisation_id text NOT NULL,
      run_id uuid NOT NULL REFERENCES runs (id) ON DELETE CASCADE,
      place smallint NOT NULL,
      attempt smallint NOT NULL,
      number integer NOT NULL,
      created_at timestamptz(3) NOT NULL,
      text text NOT NULL,
      UNIQUE (run_id, place, attempt, number)
    );
    CREATE INDEX run_logs_of_run ON run_logs (run_id, created_at, id);
    CREATE INDEX run_logs_by_age ON run_logs (created_at);

    -- Runs that a schedule or an event asks for, until they are started under the same id.
    CREATE TABLE run_requests (
      id uuid PRIMARY KEY,
      organisation_id text NOT NULL,
      pipeline_id uuid NOT NULL REFERENCES pipelines (id) ON DELETE CASCADE,
      trigger text NOT NULL,
      requested_at timestamptz(3) NOT NULL,
      -- Whoever starts it does so until then.
      look_at timestamptz(3) NOT NULL
    );
    CREATE INDEX run_requests_due ON run_requests (look_at);
    CREATE INDEX run_requests_of_pipeline ON run_requests (pipeline_id);

    -- Processes that carry steps out. What one of them has begun is its own until its lease ends.
    CREATE TABLE run_workers (
      id uuid PRIMARY KEY,
      organisation_id text NOT NULL DEFAULT '',
      lease_until timestamptz(3) NOT NULL
    );
    CREATE INDEX run_workers_by_lease ON run_workers (lease_until);
  `);
  await tenantTable(knex, 'pipelines');
  await tenantTable(knex, 'pipeline_versions', { privileges: ['select', 'insert', 'delete'] });
  await tenantTable(knex, 'runs', { open: [{ setting: 'app.sweep', value: 'runs' }] });
  await tenantTable(knex, 'run_requests', { open: [{ setting: 'app.sweep', value: 'run_requests' }] });
  await tenantTable(knex, 'run_logs', {
    privileges: ['select', 'insert', 'delete'],
    open: [{ setting: 'app.sweep', value: 'run_logs', allow: 'all' }],
  });
  // Workers serve every organisation: their rows belong to none.
  await tenantTable(knex, 'run_workers', { open: [{ setting: 'app.sweep', value: 'runs', allow: 'all' }] });
}
