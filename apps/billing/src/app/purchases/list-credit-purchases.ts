import type { Page, PageRequest } from '@platform/core';
import type { CreditPurchase } from '../../domain/purchases/credit-purchase.ts';
import type { CreditPurchaseFilter } from '../../domain/purchases/credit-purchases.ts';
import type { PurchaseParts } from './purchase-parts.ts';

/** Purchases of an organisation, newest first, with what became of each. */
export const listCreditPurchases =
  ({ purchases }: Pick<PurchaseParts, 'purchases'>) =>
  (organisationId: string, filter: CreditPurchaseFilter, page: PageRequest): Promise<Page<CreditPurchase>> =>
    purchases.list(organisationId, filter, page);
