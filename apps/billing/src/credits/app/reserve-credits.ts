import { unavailable, type ActorContext } from '@platform-backend/core';
import { tellExhausted } from '../domain/credit-account.ts';
import { clientGroupCreditLimitReached, creditLimitReached } from '../domain/errors.ts';
import { repeatedReservation, type CreditReservation, type NewReservation } from '../domain/reservation.ts';
import { expireDueCredits } from './sweep-credits.ts';
import { grantWelcomeCredits, type WelcomePorts } from './welcome-credits.ts';

export type ReservationInput = Omit<NewReservation, 'expiresAt'> & { readonly lifetimeSeconds: number };

/** Each pass removes one reason why the statement could not decide; more would mean that it never will. */
const maxPasses = 6;

export interface ReservePorts extends WelcomePorts {
  readonly groupPolicies: GroupPolicies;
}

/** Knows what reservations for client groups may take. */
export interface GroupPolicies {
  /** Hears of the policy of a group, or of the default one, if there is one and it can be had now. */
  ask(by: ActorContext, clientGroupId: string | null): Promise<void>;
  /** A policy last heard of then or before has to be asked for first; null: what is known holds. */
  heardAfter(by: ActorContext, clientGroupId: string | null): Date | null;
  /** The time by which they go: that of the work. */
  now(): Date;
}

/**
 * Sets credits aside before work starts. Repeating it is safe. What names no client group counts for the default one.
 * PAYMENT_REQUIRED: too few credits, or more than a hard limit of the client group allows.
 */
export async function reserveCredits(
  ports: ReservePorts,
  by: ActorContext,
  { lifetimeSeconds, ...rest }: ReservationInput,
): Promise<CreditReservation> {
  const { credits, clock, groupPolicies } = ports;
  let policyHeardAfter = groupPolicies.heardAfter(by, rest.clientGroupId);
  for (let pass = 0; pass < maxPasses; pass += 1) {
    const at = clock.now();
    const wanted: NewReservation = { ...rest, expiresAt: new Date(at.getTime() + lifetimeSeconds * 1000) };
    const outcome = await credits.reserve(by, wanted, at, { heardAfter: policyHeardAfter, at: groupPolicies.now() });
    switch (outcome.kind) {
      case 'reserved':
        return outcome.reservation;
      case 'known':
        return repeatedReservation(outcome.reservation, wanted);
      case 'too_few':
        if (!outcome.told) {
          await credits.update(by, at, (holdings) => tellExhausted(holdings, by.organisationId, wanted.amount, at));
        }
        throw creditLimitReached();
      case 'over_group_limit':
        throw clientGroupCreditLimitReached();
      case 'policy_due':
        await groupPolicies.ask(by, rest.clientGroupId);
        // Whatever came of it, nothing newer can be had.
        policyHeardAfter = null;
        break;
      case 'expiry_due':
        await expireDueCredits(ports, by);
        break;
      case 'no_account':
        await grantWelcomeCredits(ports, by);
        break;
      case 'changed':
        break;
    }
  }
  throw unavailable(new Error('the account kept changing'));
}
