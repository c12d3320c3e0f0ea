import type { Knex } from '@platform-backend/postgres';

/** Nobody reads them any more: `payments` has taken their place (migration 0061), and numbers of invoices have a series (0071). */
export const up = (knex: Knex): Promise<void> =>
  knex.raw('DROP TABLE charge_attempts, provider_payments, invoice_counts');
