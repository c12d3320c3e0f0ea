import type { Clock } from '@platform/core';
import type { CreditAccounts } from '../../domain/credits/credit-accounts.ts';
import type { PriceBook } from '../../domain/prices/price-book.ts';

/** What the use cases of credits work with. */
export interface CreditParts {
  readonly credits: CreditAccounts;
  readonly priceBook: PriceBook;
  readonly clock: Clock;
  readonly newId: () => string;
}
