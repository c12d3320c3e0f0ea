import { notFound } from '@platform/core';
import { listPage, type Database, type Knex } from '@platform/postgres';
import type { Actor } from '../domain/acting.ts';
import type { InvoiceTerms } from '../domain/invoices/invoice-terms.ts';
import type { InvoiceDraft } from '../domain/invoices/invoice.ts';
import { purchaseSource, type CreditPurchase, type CreditPurchaseStatus } from '../domain/purchases/credit-purchase.ts';
import type { CreditPurchaseFilter, CreditPurchases, PendingPurchase } from '../domain/purchases/credit-purchases.ts';
import { carryOut, lockHoldings } from './credit-holding-rows.ts';
import { issueInvoice } from './invoice-rows.ts';

/** Purchases of credits in PostgreSQL; each that is paid gets an invoice on these terms. */
export const creditPurchasesStore = (database: Database, invoiceTerms: InvoiceTerms): CreditPurchases => ({
  add: (by, purchase) =>
    database.tenant(by.organisationId, async (trx) => {
      await trx('credit_purchases').insert(rowOfPurchase(by.organisationId, purchase));
    }),

  get: (organisationId, id) =>
    database.tenant(organisationId, async (trx) => {
      const row = await trx<PurchaseRow>('credit_purchases').where({ organisation_id: organisationId, id }).first();
      if (!row) throw notFound('Purchase');
      return purchaseOfRow(row);
    }),

  list: (organisationId, filter, page) =>
    database.tenant(organisationId, (trx) =>
      listPage(purchasesLike(trx, organisationId, filter), page, {
        order: 'desc',
        read: (rows) => rows.map(purchaseOfRow),
      }),
    ),

  update: (by, purchaseId, at, decide, grant) =>
    database.tenant(by.organisationId, async (trx) => {
      const named = { organisation_id: by.organisationId, id: purchaseId };
      const row = await trx<PurchaseRow>('credit_purchases').where(named).forNoKeyUpdate().first();
      if (!row) throw notFound('Purchase');
      const before = purchaseOfRow(row);
      const after = decide(before);
      if (after === before) return before;
      await trx('credit_purchases').where(named).update(rowOfPurchase(by.organisationId, after));
      if (after.status !== 'SUCCEEDED') return after;
      await issueInvoice(trx, by, invoiceOf(after), at, invoiceTerms);
      const holdings = await lockHoldings(trx, by, at);
      await carryOut(trx, by, holdings, grant(after, holdings));
      return after;
    }),

  pendingWithin: (after, until, limit) =>
    database.system({ 'app.sweep': 'purchases' }, async (trx) => {
      const rows = await trx<PurchaseRow>('credit_purchases')
        .where('status', 'PENDING')
        .where('created_at', '>', after)
        .where('created_at', '<=', until)
        .orderBy('created_at')
        .limit(limit);
      return rows.map(withOrganisation);
    }),

  byProcessorReference: (organisationId, processorReference) =>
    database.tenant(organisationId, async (trx) => {
      const named = { organisation_id: organisationId, processor_reference: processorReference };
      const row = await trx<PurchaseRow>('credit_purchases').where(named).first();
      return row ? purchaseOfRow(row) : null;
    }),
});

function purchasesLike(trx: Knex.Transaction, organisationId: string, filter: CreditPurchaseFilter) {
  const purchases = trx('credit_purchases').where({ organisation_id: organisationId });
  if (filter.statuses.length > 0) void purchases.whereIn('status', filter.statuses);
  if (filter.createdAfter) void purchases.where('created_at', '>', filter.createdAfter);
  if (filter.createdBefore) void purchases.where('created_at', '<', filter.createdBefore);
  return purchases as Knex.QueryBuilder<object, PurchaseRow[]>;
}

const invoiceOf = ({ id, price }: CreditPurchase): InvoiceDraft => ({
  source: purchaseSource(id),
  currency: price.currency,
  country: price.country,
  lines: [{ description: 'Credits', quantity: price.credits, amountMinor: price.subtotal }],
  subtotalMinor: price.subtotal,
  taxMinor: price.tax,
  totalMinor: price.total,
});

interface PurchaseRow {
  id: string;
  organisation_id: string;
  status: CreditPurchaseStatus;
  credits: number;
  currency: string;
  country: string;
  subtotal_minor: string;
  tax_minor: string;
  total_minor: string;
  payment_method_id: string | null;
  processor_reference: string | null;
  client_secret: string | null;
  buyer: Actor;
  created_at: Date;
  finished_at: Date | null;
}

const withOrganisation = (row: PurchaseRow): PendingPurchase => ({
  organisationId: row.organisation_id,
  purchase: purchaseOfRow(row),
});

const purchaseOfRow = (row: PurchaseRow): CreditPurchase => ({
  id: row.id,
  status: row.status,
  price: {
    credits: row.credits,
    currency: row.currency,
    country: row.country,
    subtotal: BigInt(row.subtotal_minor),
    tax: BigInt(row.tax_minor),
    total: BigInt(row.total_minor),
  },
  paymentMethodId: row.payment_method_id,
  processorReference: row.processor_reference,
  clientSecret: row.client_secret,
  buyer: row.buyer,
  createdAt: row.created_at,
  finishedAt: row.finished_at,
});

const rowOfPurchase = (organisationId: string, purchase: CreditPurchase) => ({
  id: purchase.id,
  organisation_id: organisationId,
  status: purchase.status,
  credits: purchase.price.credits,
  currency: purchase.price.currency,
  country: purchase.price.country,
  subtotal_minor: String(purchase.price.subtotal),
  tax_minor: String(purchase.price.tax),
  total_minor: String(purchase.price.total),
  payment_method_id: purchase.paymentMethodId,
  processor_reference: purchase.processorReference,
  client_secret: purchase.clientSecret,
  buyer: JSON.stringify(purchase.buyer),
  created_at: purchase.createdAt,
  finished_at: purchase.finishedAt,
});
