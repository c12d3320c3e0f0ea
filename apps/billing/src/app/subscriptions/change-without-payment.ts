import { notFound } from '@platform/core';
import type { Acting } from '../../domain/acting.ts';
import type { PlannedChange } from '../../domain/subscriptions/planned-change.ts';
import type { Subscription } from '../../domain/subscriptions/subscription.ts';
import { beginning } from './begin-change.ts';
import { refusalOf } from './refused-change.ts';
import { runChange } from './run-change.ts';
import type { SubscriptionParts } from './subscription-parts.ts';

/** Makes a change that costs nothing; answers the subscription as it is afterwards. */
export async function changeWithoutPayment(
  parts: SubscriptionParts,
  by: Acting,
  decide: (current: Subscription | null) => PlannedChange | null,
): Promise<Subscription> {
  const begun = await parts.subscriptions.begin(by, await beginning(parts, by, parts.clock.now(), decide));
  if (begun) {
    const change = await runChange(parts)(begun);
    const refusal = refusalOf(change);
    if (refusal) throw refusal;
  }
  const subscription = await parts.subscriptions.get(by.organisationId);
  if (!subscription) throw notFound('Subscription');
  return subscription;
}
