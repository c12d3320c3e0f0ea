import type { CreditPurchase } from '../../domain/purchases/credit-purchase.ts';
import type { PurchaseParts } from './purchase-parts.ts';

/** What became of a purchase. NOT_FOUND: none, or another organisation's. */
export const getCreditPurchase =
  ({ purchases }: Pick<PurchaseParts, 'purchases'>) =>
  (organisationId: string, id: string): Promise<CreditPurchase> =>
    purchases.get(organisationId, id);
