import type { Acting } from '../../domain/acting.ts';
import { expireCredits, type CreditHoldings } from '../../domain/credits/credit-account.ts';
import type { CreditParts } from './credit-parts.ts';

/** Takes away what is left of grants whose time is over; answers what is there afterwards. */
export const expireDueCredits =
  ({ credits, clock, newId }: CreditParts) =>
  (by: Acting): Promise<CreditHoldings> => {
    const at = clock.now();
    return credits.update(by, at, (holdings) => expireCredits(holdings, at, newId));
  };
