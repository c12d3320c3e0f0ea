import type { Acting } from '../../domain/acting.ts';
import type { PlannedChange } from '../../domain/subscriptions/planned-change.ts';
import { startChange, type SubscriptionChange } from '../../domain/subscriptions/subscription-change.ts';
import type { BeginChange } from '../../domain/subscriptions/subscriptions.ts';
import type { Subscription } from '../../domain/subscriptions/subscription.ts';
import type { SubscriptionParts } from './subscription-parts.ts';

/** Turns a decision about a subscription into a change that can be written down, with tax and versions. */
export async function beginning(
  { newId, salesTax, seatPrices, leaseMs }: SubscriptionParts,
  by: Acting,
  at: Date,
  decide: (current: Subscription | null) => PlannedChange | null,
): Promise<BeginChange> {
  const country = await salesTax.countryOf(by.organisationId);
  const id = newId();
  return (current, versionBefore): SubscriptionChange | null => {
    const plan = decide(current);
    if (!plan) return null;
    const { amountMinor: subtotalMinor } = plan.bill;
    const taxMinor = salesTax.on(country, subtotalMinor);
    return startChange(plan, {
      id,
      organisationId: by.organisationId,
      versionBefore,
      totals: {
        currency: seatPrices.currency,
        country,
        subtotalMinor,
        taxMinor,
        totalMinor: subtotalMinor + taxMinor,
      },
      startedBy: by.actor,
      requestId: by.requestId,
      at,
      leaseMs,
    });
  };
}
