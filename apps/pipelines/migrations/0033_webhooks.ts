import { tenantTable, type Knex } from '@platform-backend/postgres';

/** Those who send find what is due in all organisations; each delivery is worked on within its own. */
const due = { setting: 'app.tasks', value: 'due', allow: 'select' } as const;
const forget = { setting: 'app.sweep', value: 'webhooks', allow: 'all' } as const;

/** Addresses that are told how runs and executions end, and what each of them was told. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    CREATE TABLE webhooks (
      id uuid PRIMARY KEY,
      organisation_id text NOT NULL,
      description text NOT NULL,
      url text NOT NULL,
      enabled boolean NOT NULL,
      -- Sealed by the service.
      secret text NOT NULL,
      former_secret text,
      former_secret_until timestamptz(3),
      created_at timestamptz(3) NOT NULL,
      updated_at timestamptz(3) NOT NULL,
      CHECK ((former_secret IS NULL) = (former_secret_until IS NULL))
    );
    CREATE INDEX webhooks_by_age ON webhooks (organisation_id, created_at, id);

    CREATE TABLE webhook_deliveries (
      id uuid PRIMARY KEY,
      organisation_id text NOT NULL,
      webhook_id uuid NOT NULL REFERENCES webhooks (id) ON DELETE CASCADE,
      event_type text NOT NULL,
      -- Of what it tells; neither of a test.
      run_id uuid REFERENCES runs (id) ON DELETE CASCADE,
      execution_id uuid REFERENCES task_executions (id) ON DELETE CASCADE,
      -- As it is signed.
      payload text NOT NULL,
      status text NOT NULL CHECK (status IN ('PENDING', 'SENT', 'FAILED')),
      attempts jsonb NOT NULL,
      tries int NOT NULL,
      look_at timestamptz(3),
      created_at timestamptz(3) NOT NULL,
      CHECK (num_nonnulls(run_id, execution_id) <= 1),
      CHECK ((look_at IS NOT NULL) = (status = 'PENDING'))
    );
    CREATE INDEX webhook_deliveries_by_webhook ON webhook_deliveries (organisation_id, webhook_id, created_at, id);
    CREATE INDEX webhook_deliveries_of_webhook ON webhook_deliveries (webhook_id);
    CREATE INDEX webhook_deliveries_by_run ON webhook_deliveries (run_id, id);
    CREATE INDEX webhook_deliveries_by_execution ON webhook_deliveries (execution_id, id);
    CREATE INDEX webhook_deliveries_by_age ON webhook_deliveries (created_at);
    CREATE INDEX webhook_deliveries_due ON webhook_deliveries (organisation_id, look_at, id) WHERE look_at IS NOT NULL;
  `);
  await tenantTable(knex, 'webhooks');
  await tenantTable(knex, 'webhook_deliveries', { open: [due, forget] });
}
