import type { Knex } from '@platform-backend/postgres';

/**
 * That entries balance is looked at once for all that a statement has written, and no longer for each of them at the commit: whoever writes
 * entries of a transaction writes them in one statement.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    DROP TRIGGER ledger_transactions_balance ON ledger_entries;
    CREATE OR REPLACE FUNCTION ledger_transaction_balances() RETURNS trigger LANGUAGE plpgsql AS $$
      DECLARE
        unbalanced uuid := (SELECT transaction_id FROM written GROUP BY organisation_id, transaction_id
                            HAVING sum(amount_micros) <> 0 LIMIT 1);
      BEGIN
        IF unbalanced IS NOT NULL THEN
          RAISE EXCEPTION 'ledger transaction % does not balance', unbalanced
            USING ERRCODE = 'check_violation', CONSTRAINT = 'ledger_transactions_balance';
        END IF;
        RETURN NULL;
      END $$;
    CREATE TRIGGER ledger_transactions_balance AFTER INSERT ON ledger_entries
      REFERENCING NEW TABLE AS written FOR EACH STATEMENT EXECUTE FUNCTION ledger_transaction_balances();
  `);
}
