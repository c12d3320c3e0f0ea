import type { Organisation } from '@platform/contract/identity';
import type { Acting } from '../../domain/acting.ts';
import { changePlan, type WantedPlan } from '../../domain/subscriptions/change-plan.ts';
import { beginning } from './begin-change.ts';
import { refusalOf } from './refused-change.ts';
import { runChange } from './run-change.ts';
import type { SubscriptionParts } from './subscription-parts.ts';

/**
 * Buys, upgrades, downgrades or renews; the organisation that is answered shows it already. CONFLICT: fewer seats
 * than active members, or another change is running. PAYMENT_REQUIRED: the payment was refused.
 */
export const changeSubscription =
  (parts: SubscriptionParts) =>
  async (by: Acting, wanted: WantedPlan): Promise<Organisation> => {
    const { subscriptions, organisations, seatPrices: prices, usualCycle, clock, newId } = parts;
    const at = clock.now();
    const terms = { prices, usualCycle, newSubscriptionId: newId() };
    const begin = await beginning(parts, by, at, (current) => changePlan(current, wanted, terms, at));
    const begun = await subscriptions.begin(by, begin);
    if (!begun) throw new Error('buying always changes something');
    const refusal = refusalOf(await runChange(parts)(begun));
    if (refusal) throw refusal;
    return organisations.get(by.organisationId, by.requestId);
  };
