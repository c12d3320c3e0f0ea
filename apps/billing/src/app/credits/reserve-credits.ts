import { paymentRequired, unavailable } from '@platform/core';
import type { Acting } from '../../domain/acting.ts';
import { repeatedReservation, type CreditReservation, type NewReservation } from '../../domain/credits/reservation.ts';
import { groupCreditLimit } from '../../domain/usage/client-policy.ts';
import type { RecentPolicy } from '../usage/recent-policies.ts';
import type { CreditParts } from './credit-parts.ts';
import { expireDueCredits } from './expire-due-credits.ts';
import { grantWelcomeCredits } from './grant-welcome-credits.ts';

export type WantedReservation = Omit<NewReservation, 'expiresAt'> & { readonly lifetimeSeconds: number };

/** Each pass removes one reason why the statement could not decide; more would mean that it never will. */
const mostPasses = 6;

export interface ReserveParts extends CreditParts {
  readonly recentPolicy: RecentPolicy;
}

/**
 * Sets credits aside before work starts. Repeating it is safe. What names no client group counts for the default one.
 * PAYMENT_REQUIRED: too few credits, or more than a hard limit of the client group allows.
 */
export const reserveCredits = (parts: ReserveParts) => {
  const { credits, clock, recentPolicy } = parts;
  const expire = expireDueCredits(parts);
  const open = grantWelcomeCredits(parts);

  return async (by: Acting, { lifetimeSeconds, ...rest }: WantedReservation): Promise<CreditReservation> => {
    const group = await recentPolicy(by, rest.clientGroupId);
    const clientGroupId = rest.clientGroupId ?? group?.clientGroupId ?? null;
    for (let pass = 0; pass < mostPasses; pass += 1) {
      const at = clock.now();
      const expiresAt = new Date(at.getTime() + lifetimeSeconds * 1000);
      const wanted: NewReservation = { ...rest, clientGroupId, expiresAt };
      const outcome = await credits.reserve(by, wanted, at, group && groupCreditLimit(group, rest.creditClass, at));
      switch (outcome.kind) {
        case 'reserved':
          return outcome.reservation;
        case 'known':
          return repeatedReservation(outcome.reservation, wanted);
        case 'too_few':
          throw paymentRequired('credit_limit_reached');
        case 'over_group_limit':
          throw paymentRequired('client_group_credit_limit_reached');
        case 'expiry_due':
          await expire(by);
          break;
        case 'no_account':
          await open(by);
          break;
        case 'changed':
          break;
      }
    }
    throw unavailable(new Error('the account kept changing'));
  };
};
