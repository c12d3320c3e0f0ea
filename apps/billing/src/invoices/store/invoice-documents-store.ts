import type { Database } from '@platform-backend/postgres';
import type { InvoiceDocuments } from '../domain/invoices.ts';

interface InvoiceDocumentRow {
  organisation_id: string;
  invoice_id: string;
  content: Buffer;
}

/** Documents of invoices in PostgreSQL: about 15 KB each. */
export const invoiceDocumentsStore = (database: Database): InvoiceDocuments => ({
  get: (organisationId, invoiceId) =>
    database.tenant(organisationId, async (trx) => {
      const wanted = { organisation_id: organisationId, invoice_id: invoiceId };
      const row = await trx<InvoiceDocumentRow>('invoice_documents').where(wanted).first('content');
      return row?.content;
    }),

  keep: (organisationId, invoiceId, content) =>
    database.tenant(organisationId, async (trx) => {
      await trx<InvoiceDocumentRow>('invoice_documents')
        .insert({ organisation_id: organisationId, invoice_id: invoiceId, content })
        .onConflict()
        .ignore();
    }),
});
