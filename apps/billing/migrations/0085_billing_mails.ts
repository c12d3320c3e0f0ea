import { tenantTable, type Knex } from '@platform-backend/postgres';

/** Mails about billing: written down with what they tell of, and sent afterwards. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    ALTER TABLE billing_details ADD COLUMN email text;
    -- For which renewal members were told that it is near.
    ALTER TABLE subscriptions ADD COLUMN renewal_told_of timestamptz(3);

    CREATE TABLE billing_mails (
      id uuid PRIMARY KEY,
      organisation_id text NOT NULL,
      kind text NOT NULL,
      -- The event that it tells of, as it was published.
      data jsonb NOT NULL,
      status text NOT NULL CHECK (status IN ('PENDING', 'SENT', 'FAILED', 'SKIPPED')),
      recipients jsonb NOT NULL DEFAULT '[]',
      attempts integer NOT NULL DEFAULT 0,
      -- By the real time, also where the organisation has a clock of its own.
      next_attempt_at timestamptz(3),
      sent_at timestamptz(3),
      error text,
      created_at timestamptz(3) NOT NULL,
      CHECK ((status = 'PENDING') = (next_attempt_at IS NOT NULL)),
      CHECK ((status = 'SENT') = (sent_at IS NOT NULL))
    );
    CREATE INDEX billing_mails_due ON billing_mails (organisation_id, id) WHERE status = 'PENDING';
    CREATE INDEX billing_mails_by_age ON billing_mails (organisation_id, created_at, id);
    CREATE INDEX billing_mails_sent ON billing_mails (organisation_id, sent_at) WHERE status = 'SENT';

    CREATE TABLE billing_mail_preferences (
      organisation_id text PRIMARY KEY,
      disabled jsonb NOT NULL
    );
  `);
  await tenantTable(knex, 'billing_mails', {
    privileges: ['select', 'insert', 'update'],
    open: [{ setting: 'app.schedule', value: 'billing_mails' }],
  });
  await tenantTable(knex, 'billing_mail_preferences', { privileges: ['select', 'insert', 'update'] });
}
