import { tenantTable, type Knex } from '@platform-backend/postgres';

/**
 * Numbers of invoices, counted for who issues them and no longer for each organisation. What the release before issues is
 * counted as it was, in `invoice_counts`, and has no series.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    ALTER TABLE invoices ADD COLUMN series text;
    CREATE UNIQUE INDEX invoices_numbers_of_issuer ON invoices (number) WHERE series IS NOT NULL;
    -- A sequence would leave gaps behind transactions that were rolled back.
    CREATE TABLE invoice_series (
      series text NOT NULL,
      year integer NOT NULL,
      count integer NOT NULL CHECK (count > 0),
      PRIMARY KEY (series, year)
    );
  `);
  // The only rows that transactions of all organisations write.
  await tenantTable(knex, 'invoice_series', {
    column: 'series',
    privileges: ['select', 'insert', 'update'],
    open: [{ column: 'series', setting: 'app.invoice_series', allow: 'all' }],
  });
}
