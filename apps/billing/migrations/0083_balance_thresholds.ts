import { tenantTable, type Knex } from '@platform-backend/postgres';

/**
 * Thresholds of the balance. Which of them a movement crosses is decided with the movement itself, whatever statement makes it: most
 * movements compare two numbers of their own row, and only a crossing looks at the thresholds.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    ALTER TABLE credit_accounts
      -- The highest threshold that the balance is above, and the lowest that it is not above; null: none.
      ADD COLUMN alert_at_micros bigint,
      ADD COLUMN rearm_above_micros bigint;

    CREATE TABLE balance_thresholds (
      id uuid PRIMARY KEY,
      organisation_id text NOT NULL,
      purpose text NOT NULL CHECK (purpose IN ('ALERT', 'TOP_UP')),
      amount_micros bigint NOT NULL CHECK (amount_micros >= 0),
      is_low boolean NOT NULL,
      -- Of a fall to the threshold that nobody was told of yet, and the balance after it.
      crossing_id uuid,
      crossing_balance_micros bigint,
      -- When it was told of the last.
      last_crossed_at timestamptz(3),
      created_at timestamptz(3) NOT NULL,
      CONSTRAINT balance_thresholds_once UNIQUE (organisation_id, purpose, amount_micros)
    );
    CREATE INDEX balance_thresholds_crossed ON balance_thresholds (organisation_id) WHERE crossing_id IS NOT NULL;

    CREATE FUNCTION cross_balance_thresholds() RETURNS trigger LANGUAGE plpgsql AS $$
      DECLARE
        balance bigint := NEW.available_micros + NEW.reserved_micros;
      BEGIN
        UPDATE balance_thresholds
        SET is_low = NOT is_low,
            crossing_id = CASE WHEN is_low THEN crossing_id ELSE gen_random_uuid() END,
            crossing_balance_micros = CASE WHEN is_low THEN crossing_balance_micros ELSE balance END
        WHERE organisation_id = NEW.organisation_id AND is_low <> (balance <= amount_micros);
        SELECT max(amount_micros) FILTER (WHERE NOT is_low), min(amount_micros) FILTER (WHERE is_low)
        INTO NEW.alert_at_micros, NEW.rearm_above_micros
        FROM balance_thresholds WHERE organisation_id = NEW.organisation_id;
        RETURN NEW;
      END $$;
    CREATE TRIGGER credit_accounts_cross_thresholds BEFORE UPDATE ON credit_accounts FOR EACH ROW
      WHEN (NEW.available_micros + NEW.reserved_micros <= NEW.alert_at_micros
        OR NEW.available_micros + NEW.reserved_micros > NEW.rearm_above_micros)
      EXECUTE FUNCTION cross_balance_thresholds();
  `);
  await tenantTable(knex, 'balance_thresholds', { open: [{ setting: 'app.schedule', value: 'balance_thresholds' }] });
}
