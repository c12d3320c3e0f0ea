import { throwawayPostgres } from '@platform-backend/testing';
import pg from 'pg';
import { migrateService } from '../migrate-service.ts';
import { parentOf } from '../process-cpu.ts';

/** A database of the billing service with accounts that have more credits than any run can reserve. */
export interface Accounts {
  /** As the service connects to it. */
  readonly url: string;
  /** The PostgreSQL server's first process, whose children serve the connections. */
  readonly postmaster: number;
  /** With debits and usage: so that no run finds larger tables than another, and none of the reservations expires within one. */
  forgetReservations(): Promise<void>;
  /** How many are booked. */
  debits(): Promise<number>;
  drop(): Promise<void>;
}

export async function openAccounts(billing: string, organisations: readonly string[]): Promise<Accounts> {
  const database = await throwawayPostgres();
  await migrateService(billing, database);
  const superuserUrl = new URL(database.superuserUrl);
  superuserUrl.pathname = new URL(database.appUrl).pathname;
  const superuser = new pg.Client({ connectionString: superuserUrl.href });
  await superuser.connect();
  await superuser.query(
    `INSERT INTO credit_accounts (organisation_id, available_micros, reserved_micros, undrawn_micros, expiry_held,
       version, created_at)
     SELECT id, 1000000000000, 0, 0, false, 0, now() FROM unnest($1::text[]) AS id`,
    [organisations],
  );
  const { rows } = await superuser.query<{ pid: number }>('SELECT pg_backend_pid() AS pid');
  return {
    url: database.appUrl,
    postmaster: parentOf(rows[0]?.pid ?? 0),
    async forgetReservations() {
      await superuser.query(
        `TRUNCATE outbox, inbox, credit_reservations, credit_debits, ledger_transactions, ledger_entries, usage_days,
           usage_member_days`,
      );
    },
    async debits() {
      const { rows: counted } = await superuser.query<{ count: number }>('SELECT count(*)::int FROM credit_debits');
      return counted[0]?.count ?? 0;
    },
    async drop() {
      await superuser.end();
      await database.drop();
    },
  };
}
