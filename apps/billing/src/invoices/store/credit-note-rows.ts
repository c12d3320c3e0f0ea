import { bigintColumn, column, columns, type Knex } from '@platform-backend/postgres';
import { creditNoteNumber, issueCreditNote, type CreditNote, type TakenBack } from '../domain/credit-note.ts';
import { invoiceNotFound } from '../domain/errors.ts';
import { jsonOfLines, linesOfJson, type LineJson } from './line-columns.ts';

export const creditNoteColumns = columns<CreditNote>({
  id: 'id',
  organisationId: 'organisation_id',
  number: 'number',
  refundId: 'refund_id',
  invoiceId: 'invoice_id',
  lines: column('lines', {
    read: linesOfJson,
    write: (lines: CreditNote['lines']) => JSON.stringify(jsonOfLines(lines)),
  }),
  currency: 'currency',
  subtotalMinor: bigintColumn('subtotal_minor'),
  taxMinor: bigintColumn('tax_minor'),
  totalMinor: bigintColumn('total_minor'),
  createdAt: 'created_at',
});

interface InvoiceRow {
  number: string;
  currency: string;
  lines: readonly LineJson[];
  tax_minor: string;
  total_minor: string;
}

/** Of all organisations: credit notes are numbered for who issues them. */
const series = 'CN';

/** Issues a credit note about an invoice, in the transaction of what it is about; of all of the invoice unless less is said. */
export async function saveCreditNote(
  trx: Knex.Transaction,
  { organisationId, invoiceId }: { readonly organisationId: string; readonly invoiceId: string },
  { id, refund }: { readonly id: string; readonly refund: TakenBack | null },
  at: Date,
): Promise<{ readonly note: CreditNote; readonly invoiceNumber: string }> {
  const invoice = await trx('invoices')
    .where({ organisation_id: organisationId, id: invoiceId })
    .first<InvoiceRow | undefined>();
  if (!invoice) throw invoiceNotFound();
  await trx.raw("SELECT set_config('app.credit_note_series', ?, true)", [series]);
  // The row is locked until the end of the transaction, so numbers have no gaps.
  const { rows } = await trx.raw<{ rows: [{ count: number }] }>(
    `INSERT INTO credit_note_series (series, year, count) VALUES (?, ?, 1)
     ON CONFLICT (series, year) DO UPDATE SET count = credit_note_series.count + 1 RETURNING count`,
    [series, at.getUTCFullYear()],
  );
  const number = creditNoteNumber(at.getUTCFullYear(), rows[0].count);
  const totalMinor = BigInt(invoice.total_minor);
  const issued = {
    ...{ id: invoiceId, organisationId, number: invoice.number, currency: invoice.currency, totalMinor },
    lines: linesOfJson(invoice.lines),
  };
  const whole: TakenBack = { refundId: null, totalMinor, taxMinor: BigInt(invoice.tax_minor) };
  const note = issueCreditNote(refund ?? whole, issued, { id, number, at });
  await trx('credit_notes').insert(creditNoteColumns.write(note));
  return { note, invoiceNumber: invoice.number };
}
