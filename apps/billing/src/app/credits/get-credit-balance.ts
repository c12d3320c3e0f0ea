import type { Acting } from '../../domain/acting.ts';
import { nextLoss } from '../../domain/credits/credit-account.ts';
import type { CreditParts } from './credit-parts.ts';
import { expireDueCredits } from './expire-due-credits.ts';
import { grantWelcomeCredits } from './grant-welcome-credits.ts';

export interface CreditBalance {
  readonly available: bigint;
  readonly reserved: bigint;
  /** What is lost at that moment unless it is spent before; null: nothing. */
  readonly nextLoss: { readonly at: Date; readonly amount: bigint } | null;
}

/** What an organisation can spend now. What has expired is never shown, whether it was swept already or not. */
export const getCreditBalance = (parts: CreditParts) => {
  const { credits, clock } = parts;
  const expire = expireDueCredits(parts);
  const open = grantWelcomeCredits(parts);

  return async (by: Acting): Promise<CreditBalance> => {
    let holdings = await credits.get(by.organisationId);
    if (!holdings.opened) {
      await open(by);
      holdings = await credits.get(by.organisationId);
    }
    const { nextExpiryAt } = holdings.account;
    if (nextExpiryAt !== null && nextExpiryAt <= clock.now()) holdings = await expire(by);
    const { available, reserved } = holdings.account;
    return { available, reserved, nextLoss: nextLoss(holdings, clock.now()) };
  };
};
