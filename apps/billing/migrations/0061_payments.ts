import { acrossOrganisations, tenantTable, type Knex } from '@platform-backend/postgres';

/**
 * Every payment that was asked of a processor, attempt by attempt. What the release before keeps of payments in
 * `credit_purchases`, `subscription_changes`, `charge_attempts` and `provider_payments` is taken over, with the keys under
 * which it was or may still be asked, so that both releases ask for the same payment.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    CREATE TABLE payments (
      -- Stands in the processor's metadata from the first call on.
      id uuid PRIMARY KEY,
      organisation_id text NOT NULL,
      purpose text NOT NULL CHECK (purpose IN ('CREDIT_PURCHASE', 'SUBSCRIPTION_CHANGE', 'SUBSCRIPTION_RENEWAL')),
      -- The purchase or the change that it pays for.
      subject_id uuid NOT NULL,
      attempt integer NOT NULL CHECK (attempt > 0),
      idempotency_key text NOT NULL,
      -- Ours, as it was asked for; null: the default one.
      payment_method_id uuid,
      -- The processor's name for what it was first tried with; null: it was not tried yet.
      payment_method text,
      reference text,
      client_secret text CHECK (client_secret IS NULL OR state = 'REQUIRES_ACTION'),
      state text NOT NULL CHECK
        (state IN ('PENDING', 'PROCESSING', 'REQUIRES_ACTION', 'UNRESOLVED', 'SUCCEEDED', 'DECLINED', 'CANCELLED')),
      reason text,
      amount_minor bigint NOT NULL CHECK (amount_minor >= 0),
      currency text NOT NULL,
      description text NOT NULL,
      payer_is_away boolean NOT NULL,
      created_at timestamptz(3) NOT NULL,
      deadline_at timestamptz(3) NOT NULL,
      -- When the schedule looks at it again; null: all is done.
      next_look_at timestamptz(3)
    );
    CREATE UNIQUE INDEX payments_attempts ON payments (organisation_id, subject_id, attempt);
    CREATE UNIQUE INDEX payments_references ON payments (reference);
    CREATE INDEX payments_due ON payments (next_look_at) WHERE next_look_at IS NOT NULL;
    CREATE INDEX payments_by_age ON payments (created_at);
  `);
  await tenantTable(knex, 'payments', {
    privileges: ['select', 'insert', 'update'],
    open: [{ setting: 'app.schedule', value: 'payments' }],
  });
  const sources = ['payments', 'credit_purchases', 'subscription_changes', 'charge_attempts'];
  await acrossOrganisations(knex, sources, () => knex.raw(takeOver));
}

const takeOver = `
  INSERT INTO payments (id, organisation_id, purpose, subject_id, attempt, idempotency_key, payment_method_id, payment_method,
    reference, client_secret, state, reason, amount_minor, currency, description, payer_is_away, created_at, deadline_at,
    next_look_at)
  SELECT p.id, p.organisation_id, 'CREDIT_PURCHASE', p.id, 1, 'purchase:' || p.id, p.payment_method_id, a.payment_method,
    p.processor_reference, p.client_secret, p.status, NULL, p.total_minor, p.currency, p.credits || ' credits', false,
    p.created_at, greatest(p.created_at, now()) + interval '1 day', CASE WHEN p.finished_at IS NULL THEN now() END
  FROM credit_purchases p
  LEFT JOIN charge_attempts a ON a.organisation_id = p.organisation_id AND a.idempotency_key = 'purchase:' || p.id
  WHERE p.total_minor > 0
  UNION ALL
  SELECT c.id, c.organisation_id,
    CASE WHEN c.kind = 'renewed' AND c.plan -> 'if_refused' <> 'null' THEN 'SUBSCRIPTION_RENEWAL' ELSE 'SUBSCRIPTION_CHANGE' END,
    c.id, 1, c.id::text, NULL, a.payment_method, c.processor_reference, NULL,
    CASE WHEN c.state = 'charging' THEN 'PENDING' WHEN c.outcome = 'accepted' THEN 'SUCCEEDED' ELSE 'DECLINED' END,
    c.refusal_code, c.total_minor, c.currency,
    format('Subscription: %s, %s seats', c.plan #>> '{if_paid,tier}', c.plan #>> '{if_paid,seat_count}'), true,
    c.started_at, greatest(c.started_at, now()) + interval '1 day', CASE WHEN c.state = 'charging' THEN now() END
  FROM subscription_changes c
  LEFT JOIN charge_attempts a ON a.organisation_id = c.organisation_id AND a.idempotency_key = c.id::text
  WHERE c.total_minor > 0 AND (c.state = 'charging' OR c.outcome IN ('accepted', 'payment_refused'))
`;
