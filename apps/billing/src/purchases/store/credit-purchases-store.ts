import type { ActorContext } from '@platform-backend/core';
import { bigintColumn, columns, firstOrThrow, listPage, type Database, type Knex } from '@platform-backend/postgres';
import { saveDecision, lockHoldings } from '../../credits/store/credit-holding-rows.ts';
import type { InvoiceTerms } from '../../invoices/domain/invoice.ts';
import { saveInvoice } from '../../invoices/store/invoice-rows.ts';
import { saleTaxColumn } from '../../invoices/store/sale-tax-column.ts';
import type { Price } from '../../prices/domain/price-book.ts';
import { inScope } from '../../test-clocks/store/in-scope.ts';
import {
  purchaseInvoice,
  uncharged,
  type CreditPurchase,
  type CreditPurchaseStatus,
} from '../domain/credit-purchase.ts';
import type { CreditPurchaseFilter, CreditPurchases } from '../domain/credit-purchases.ts';
import { purchaseNotFound } from '../domain/errors.ts';
import { actorColumn } from './actor-column.ts';

/** Purchases of credits in PostgreSQL; each that is paid gets an invoice on these terms. */
export const creditPurchasesStore = (database: Database, invoiceTerms: InvoiceTerms): CreditPurchases => ({
  add: (by, purchase) => database.tenant(by.organisationId, (trx) => addPurchase(trx, by, purchase)),

  get: (organisationId, id) =>
    database.tenant(organisationId, async (trx) => {
      const row = await trx<PurchaseRow>('credit_purchases').where({ organisation_id: organisationId, id }).first();
      if (!row) throw purchaseNotFound();
      return purchaseColumns.read(row);
    }),

  list: (organisationId, filter, page) =>
    database.tenant(organisationId, (trx) =>
      listPage(purchasesLike(trx, organisationId, filter), page, {
        order: 'desc',
        read: (rows) => rows.map(purchaseColumns.read),
      }),
    ),

  update: (by, purchaseId, at, decide, grant) =>
    database.tenant(by.organisationId, async (trx) => {
      const named = { organisation_id: by.organisationId, id: purchaseId };
      const row = await trx<PurchaseRow>('credit_purchases').where(named).forNoKeyUpdate().first();
      if (!row) throw purchaseNotFound();
      const before = purchaseColumns.read(row);
      const after = decide(before);
      if (after === before) return before;
      await trx('credit_purchases').where(named).update(purchaseColumns.write(after));
      if (after.status !== 'SUCCEEDED') return after;
      const holdings = await lockHoldings(trx, by, at);
      await saveDecision(trx, by, holdings, grant(after, holdings));
      await saveInvoice(trx, by, purchaseInvoice(after), at, invoiceTerms);
      return after;
    }),

  endUncharged: (organisationId, id, at) =>
    database.tenant(organisationId, async (trx) => {
      const named = { organisation_id: organisationId, id };
      const purchase = await firstOrThrow(
        trx<PurchaseRow>('credit_purchases').where(named).forNoKeyUpdate(),
        purchaseColumns,
        purchaseNotFound,
      );
      // Looked for under the lock, which who begins a payment takes as well.
      const payment: unknown = await trx('payments')
        .where({ organisation_id: organisationId, subject_id: id })
        .first('id');
      if (purchase.finishedAt !== null || payment) return purchase;
      const ended = uncharged(purchase, at);
      await trx('credit_purchases').where(named).update(purchaseColumns.write(ended));
      return ended;
    }),

  withoutPayment: (until, scope, limit) =>
    database.system({ 'app.sweep': 'purchases', 'app.schedule': 'payments' }, async (trx) => {
      const rows = await inScope(trx<PurchaseRow>('credit_purchases'), scope)
        .where('status', 'PENDING')
        .where('created_at', '<=', until)
        .whereNotExists(trx('payments').whereRaw('payments.subject_id = credit_purchases.id'))
        .orderBy('created_at')
        .limit(limit);
      return rows.map((row) => ({ organisationId: row.organisation_id, purchase: purchaseColumns.read(row) }));
    }),

  unfinished: (organisationId) =>
    database.tenant(organisationId, async (trx) => {
      const rows = await trx<PurchaseRow>('credit_purchases')
        .where({ organisation_id: organisationId, finished_at: null })
        .orderBy('created_at');
      return rows.map(purchaseColumns.read);
    }),
});

/** As `add` of the store, as part of a transaction. */
export async function addPurchase(
  trx: Knex.Transaction,
  { organisationId }: Pick<ActorContext, 'organisationId'>,
  purchase: CreditPurchase,
): Promise<void> {
  await trx('credit_purchases').insert({ ...purchaseColumns.write(purchase), organisation_id: organisationId });
}

function purchasesLike(trx: Knex.Transaction, organisationId: string, filter: CreditPurchaseFilter) {
  const purchases = trx('credit_purchases').where({ organisation_id: organisationId });
  if (filter.statuses.length > 0) void purchases.whereIn('status', filter.statuses);
  if (filter.createdAfter) void purchases.where('created_at', '>', filter.createdAfter);
  if (filter.createdBefore) void purchases.where('created_at', '<', filter.createdBefore);
  return purchases as Knex.QueryBuilder<object, PurchaseRow[]>;
}

interface PurchaseRow {
  id: string;
  organisation_id: string;
  status: CreditPurchaseStatus;
  processor_reference: string | null;
  created_at: Date;
  finished_at: Date | null;
}

const purchaseColumns = columns<CreditPurchase>({
  id: 'id',
  status: 'status',
  price: columns<Price>({
    credits: 'credits',
    currency: 'currency',
    country: 'country',
    subtotal: bigintColumn('subtotal_minor'),
    tax: bigintColumn('tax_minor'),
    total: bigintColumn('total_minor'),
    taxed: saleTaxColumn('taxed'),
  }),
  paymentMethodId: 'payment_method_id',
  processorReference: 'processor_reference',
  clientSecret: 'client_secret',
  buyer: actorColumn('buyer'),
  origin: 'origin',
  createdAt: 'created_at',
  finishedAt: 'finished_at',
});
