import type { Database } from '@platform-backend/postgres';

/** All debits of one piece of work. */
export interface BookedWork {
  readonly purpose: string;
  readonly workId: string;
  readonly micros: bigint;
  readonly debits: number;
  /** When the last of it was done. */
  readonly at: Date;
}

interface BookedRow {
  purpose: string;
  work_id: string;
  micros: string;
  debits: number;
  at: Date;
}

/** Organisations that have an account, which everybody has of whom a debit was booked. */
export const organisationsWithAccounts = (database: Database): Promise<readonly string[]> =>
  database.system({ 'app.sweep': 'expiry' }, (trx) =>
    trx<{ organisation_id: string }>('credit_accounts').orderBy('organisation_id').pluck('organisation_id'),
  );

/** What is booked of an organisation's work since then. */
export const bookedWork = (database: Database, organisationId: string, since: Date): Promise<readonly BookedWork[]> =>
  database.tenant(organisationId, async (trx) => {
    const { rows } = await trx.raw<{ rows: BookedRow[] }>(
      `SELECT purpose, work_id, sum(amount_micros) AS micros, count(*)::int AS debits, max(occurred_at) AS at
       FROM credit_debits WHERE organisation_id = ? AND occurred_at >= ? GROUP BY purpose, work_id`,
      [organisationId, since],
    );
    return rows.map(({ work_id: workId, micros, ...row }) => ({ ...row, workId, micros: BigInt(micros) }));
  });
