import type { ActorContext, Decision, Page, PageRequest } from '@platform-backend/core';
import type { BillingEvent } from '../../events.ts';
import type { StoredBillingDetails } from './billing-details.ts';
import type { Invoice, InvoiceStatus } from './invoice.ts';

export interface InvoiceFilter {
  /** Any of these; none: all. */
  readonly statuses: readonly InvoiceStatus[];
  readonly createdAfter?: Date;
  readonly createdBefore?: Date;
}

/** Invoices as they were issued. They are written together with what was paid for. */
export interface Invoices {
  /** NOT_FOUND: none, or another organisation's. */
  get(organisationId: string, id: string): Promise<Invoice>;
  /** Newest first. */
  list(organisationId: string, filter: InvoiceFilter, page: PageRequest): Promise<Page<Invoice>>;
  /**
   * Says for whom invoices are that were issued without a name. One that has a name by now keeps it. Answers the names
   * of all of them by invoice id.
   */
  nameBuyer(organisationId: string, invoiceIds: readonly string[], name: string): Promise<ReadonlyMap<string, string>>;
}

/** The names of organisations as they were last heard of: invoices are issued while nobody can be asked. */
export interface OrganisationNames {
  /** What was heard later stays. */
  remember(organisationId: string, name: string, heardAt: Date): Promise<void>;
  lastKnown(organisationId: string): Promise<string | null>;
}

/** That an organisation is exempt from tax, as the seller has found. */
export interface TaxExemption {
  /** Stands on invoices. */
  readonly reason: string;
  readonly validFrom: Date;
  /** Null: until it is taken back. */
  readonly validUntil: Date | null;
}

export interface TaxExemptions {
  /** Null: it is not exempt then. */
  at(organisationId: string, at: Date): Promise<TaxExemption | null>;
  /** In place of the one before. */
  set(organisationId: string, exemption: TaxExemption): Promise<void>;
}

export interface BillingDetailsBook {
  /** Organisations with a VAT ID about which the register is to be asked by then, the longest waiting first. */
  withDueVatId(at: Date, limit: number): Promise<readonly string[]>;
  get(organisationId: string): Promise<StoredBillingDetails>;
  update(
    by: ActorContext,
    decide: (details: StoredBillingDetails) => Decision<StoredBillingDetails, BillingEvent>,
  ): Promise<StoredBillingDetails>;
}

/** An invoice as it is printed. With the number of another one that it takes back it is a credit note. */
export interface PrintedInvoice extends Invoice {
  readonly takesBack?: string;
}

/** Makes an invoice a document for people. UNAVAILABLE: too many others are wanted at once. */
export type InvoiceDocument = (invoice: PrintedInvoice) => Promise<Buffer>;

/** Documents that were made before. */
export interface InvoiceDocuments {
  get(organisationId: string, invoiceId: string): Promise<Buffer | undefined>;
  /** The first one stays. */
  keep(organisationId: string, invoiceId: string, content: Buffer): Promise<void>;
}
