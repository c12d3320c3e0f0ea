import type { Clock } from '@platform/core';
import type {
  BillingDetailsBook,
  InvoiceDocument,
  InvoiceDocuments,
  Invoices,
  OrganisationNames,
} from '../../domain/invoices/invoices.ts';

/** What the use cases of invoices work with. */
export interface InvoiceParts {
  readonly invoices: Invoices;
  readonly invoiceDocument: InvoiceDocument;
  readonly invoiceDocuments: InvoiceDocuments;
  readonly billingDetails: BillingDetailsBook;
  readonly organisationNames: OrganisationNames;
  readonly nameDirectory: NameDirectory;
  readonly clock: Clock;
}

/** Identity, which knows what organisations are called. */
export interface NameDirectory {
  /** NOT_FOUND: there is no such organisation any more. UNAVAILABLE or DEADLINE_EXCEEDED: nobody can say now. */
  nameOf(organisationId: string, requestId: string): Promise<string>;
}
