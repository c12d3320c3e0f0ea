import type { Database } from '@platform-backend/postgres';
import { recordEvents } from '../../record-events.ts';
import type { PaymentCounts } from '../domain/payment-limits.ts';

interface CountRow {
  organisation_id: string;
  name: string;
  count: number;
  ends_at: Date;
}

/** Counts in PostgreSQL, each in one statement. */
export const paymentCountsStore = (database: Database): PaymentCounts => ({
  add: (whose, { name, windowMs }, at) =>
    database.tenant(whose, async (trx) => {
      const { rows } = await trx.raw<{ rows: CountRow[] }>(
        `INSERT INTO payment_counts AS known (organisation_id, name, count, ends_at) VALUES (:whose, :name, 1, :endsAt)
         ON CONFLICT (organisation_id, name) DO UPDATE SET
           count = CASE WHEN known.ends_at <= :at THEN 1 ELSE known.count + 1 END,
           ends_at = CASE WHEN known.ends_at <= :at THEN EXCLUDED.ends_at ELSE known.ends_at END
         RETURNING count, ends_at`,
        { whose, name, at, endsAt: new Date(at.getTime() + windowMs) },
      );
      const [row] = rows;
      if (!row) throw new Error(`nothing was counted for ${name}`);
      return { count: row.count, endsAt: row.ends_at };
    }),

  get: (whose, { name }, at) =>
    database.tenant(whose, async (trx) => {
      const named = { organisation_id: whose, name };
      const row = await trx<CountRow>('payment_counts').where(named).where('ends_at', '>', at).first();
      return row ? { count: row.count, endsAt: row.ends_at } : { count: 0, endsAt: at };
    }),

  recordRefusal: (by, event) =>
    database.tenant(by.organisationId, async (trx) => {
      await recordEvents(trx, by, [event]);
    }),
});
