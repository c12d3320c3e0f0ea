import type { Page, PageRequest } from '@platform/core';
import type { Invoice } from './invoice.ts';

export interface InvoiceFilter {
  readonly createdAfter?: Date;
  readonly createdBefore?: Date;
}

/** Invoices as they were issued. They are written together with what was paid for. */
export interface Invoices {
  /** NOT_FOUND: none, or another organisation's. */
  get(organisationId: string, id: string): Promise<Invoice>;
  /** Newest first. */
  list(organisationId: string, filter: InvoiceFilter, page: PageRequest): Promise<Page<Invoice>>;
}

/** An invoice as a document for people. */
export type InvoiceDocument = (invoice: Invoice) => Promise<Buffer>;
