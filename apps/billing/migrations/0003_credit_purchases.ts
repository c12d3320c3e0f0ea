import { tenantTable, type Knex } from '@platform-backend/postgres';

export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    CREATE TABLE credit_purchases (
      id uuid PRIMARY KEY,
      organisation_id text NOT NULL,
      status text NOT NULL CHECK (status IN ('PENDING', 'REQUIRES_ACTION', 'SUCCEEDED', 'DECLINED')),
      credits integer NOT NULL CHECK (credits > 0),
      currency text NOT NULL,
      country text NOT NULL,
      subtotal_minor bigint NOT NULL,
      tax_minor bigint NOT NULL,
      total_minor bigint NOT NULL CHECK (total_minor = subtotal_minor + tax_minor),
      payment_method_id uuid,
      -- By which the processor's webhooks speak of the payment.
      processor_reference text,
      -- With which the buyer confirms the payment; gone when that is over.
      client_secret text CHECK (client_secret IS NULL OR status = 'REQUIRES_ACTION'),
      buyer jsonb NOT NULL,
      created_at timestamptz(3) NOT NULL,
      finished_at timestamptz(3),
      CHECK ((status IN ('SUCCEEDED', 'DECLINED')) = (finished_at IS NOT NULL))
    );
    CREATE UNIQUE INDEX credit_purchases_by_processor_reference ON credit_purchases (processor_reference);
    CREATE INDEX credit_purchases_pending ON credit_purchases (created_at) WHERE status = 'PENDING';
  `);
  await tenantTable(knex, 'credit_purchases', {
    privileges: ['select', 'insert', 'update'],
    open: [{ setting: 'app.sweep', value: 'purchases' }],
  });
}
