import { tenantTable, type Knex } from '@platform-backend/postgres';

export async function up(knex: Knex): Promise<void> {
  await createAccounts(knex);
  await createGrants(knex);
  await createReservations(knex);
  await createLedger(knex);
}

/** 1 credit = 1,000,000 micros, here and in every column named so. */
async function createAccounts(knex: Knex): Promise<void> {
  await knex.raw(`
    CREATE TABLE credit_accounts (
      organisation_id text PRIMARY KEY,
      available_micros bigint NOT NULL CONSTRAINT credit_accounts_never_overdrawn CHECK (available_micros >= 0),
      reserved_micros bigint NOT NULL CHECK (reserved_micros >= 0),
      -- Spent, and not yet taken from the grants: that is done when a grant comes or goes, not with every settlement.
      undrawn_micros bigint NOT NULL CHECK (undrawn_micros >= 0),
      -- From then on a grant has to be expired before anything can be reserved.
      next_expiry_at timestamptz(3),
      -- An expired grant still backs open reservations; what they give back has expired.
      expiry_held boolean NOT NULL,
      -- The version at which members were told that the credits ran out; null while they have not.
      exhausted_at_version bigint,
      version bigint NOT NULL,
      created_at timestamptz(3) NOT NULL
      -- Room on each page, so that an update of a balance touches no index.
    ) WITH (fillfactor = 40);
    CREATE INDEX credit_accounts_by_expiry ON credit_accounts (next_expiry_at) WHERE next_expiry_at IS NOT NULL;
  `);
  await tenantTable(knex, 'credit_accounts', {
    privileges: ['select', 'insert', 'update'],
    open: [{ setting: 'app.sweep', value: 'expiry' }],
  });
}

async function createGrants(knex: Knex): Promise<void> {
  await knex.raw(`
    CREATE TABLE credit_grants (
      id uuid PRIMARY KEY,
      organisation_id text NOT NULL,
      -- What the grant is for, such as a purchase: nothing is granted twice for the same.
      source text NOT NULL,
      kind text NOT NULL CHECK (kind IN ('WELCOME', 'PLAN', 'PURCHASE', 'ADJUSTMENT')),
      amount_micros bigint NOT NULL CHECK (amount_micros > 0),
      remaining_micros bigint NOT NULL CHECK (remaining_micros BETWEEN 0 AND amount_micros),
      priority integer NOT NULL,
      expires_at timestamptz(3),
      created_at timestamptz(3) NOT NULL,
      CONSTRAINT credit_grants_once_per_source UNIQUE (organisation_id, source)
    );
    CREATE INDEX credit_grants_by_age ON credit_grants (organisation_id, created_at, id);
    CREATE INDEX credit_grants_unspent ON credit_grants (organisation_id) WHERE remaining_micros > 0;
  `);
  await tenantTable(knex, 'credit_grants', { privileges: ['select', 'insert', 'update'] });
}

async function createReservations(knex: Knex): Promise<void> {
  await knex.raw(`
    CREATE TABLE credit_reservations (
      organisation_id text NOT NULL,
      id uuid NOT NULL,
      status text NOT NULL CHECK (status IN ('OPEN', 'SETTLED', 'RELEASED')),
      amount_micros bigint NOT NULL CHECK (amount_micros > 0),
      settled_micros bigint NOT NULL CHECK (settled_micros BETWEEN 0 AND amount_micros),
      purpose text NOT NULL,
      credit_class text NOT NULL CHECK (credit_class IN ('AI', 'INFRASTRUCTURE')),
      client_group_id uuid,
      api_key_id uuid,
      -- The service that holds it.
      service text NOT NULL,
      created_at timestamptz(3) NOT NULL,
      expires_at timestamptz(3) NOT NULL,
      finished_at timestamptz(3),
      CHECK ((status = 'OPEN') = (finished_at IS NULL)),
      -- Chosen by callers, so it is unique for one organisation only.
      CONSTRAINT credit_reservations_pkey PRIMARY KEY (organisation_id, id)
    );
    CREATE INDEX credit_reservations_open ON credit_reservations (expires_at) WHERE status = 'OPEN';
  `);
  await tenantTable(knex, 'credit_reservations', {
    privileges: ['select', 'insert', 'update'],
    open: [{ setting: 'app.sweep', value: 'reservations' }],
  });
}

/** Append-only: the service's role has no right to change or remove a row. Every transaction adds up to zero. */
async function createLedger(knex: Knex): Promise<void> {
  await knex.raw(`
    CREATE TABLE ledger_transactions (
      organisation_id text NOT NULL,
      id uuid NOT NULL,
      created_at timestamptz(3) NOT NULL,
      kind text NOT NULL CHECK (kind IN ('GRANT', 'PURCHASE', 'RESERVE', 'SETTLE', 'RELEASE', 'EXPIRE')),
      available_after_micros bigint NOT NULL,
      purpose text NOT NULL,
      reservation_id uuid,
      grant_id uuid,
      client_group_id uuid,
      PRIMARY KEY (organisation_id, id)
    );
    CREATE INDEX ledger_transactions_by_age ON ledger_transactions (organisation_id, created_at, id);

    CREATE TABLE ledger_entries (
      organisation_id text NOT NULL,
      transaction_id uuid NOT NULL,
      account text NOT NULL CHECK (account IN ('available', 'reserved', 'issued', 'consumed', 'expired')),
      amount_micros bigint NOT NULL CHECK (amount_micros <> 0),
      PRIMARY KEY (organisation_id, transaction_id, account),
      FOREIGN KEY (organisation_id, transaction_id) REFERENCES ledger_transactions
    );

    CREATE FUNCTION ledger_transaction_balances() RETURNS trigger LANGUAGE plpgsql AS $$
      BEGIN
        IF (SELECT sum(amount_micros) FROM ledger_entries
            WHERE organisation_id = NEW.organisation_id AND transaction_id = NEW.transaction_id) <> 0 THEN
          RAISE EXCEPTION 'ledger transaction % does not balance', NEW.transaction_id
            USING ERRCODE = 'check_violation', CONSTRAINT = 'ledger_transactions_balance';
        END IF;
        RETURN NULL;
      END $$;
    CREATE CONSTRAINT TRIGGER ledger_transactions_balance AFTER INSERT ON ledger_entries
      DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION ledger_transaction_balances();
  `);
  await tenantTable(knex, 'ledger_transactions', { privileges: ['select', 'insert'] });
  await tenantTable(knex, 'ledger_entries', { privileges: ['select', 'insert'] });
}
