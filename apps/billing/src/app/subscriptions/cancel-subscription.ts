import type { Acting } from '../../domain/acting.ts';
import { cancelSubscription as decide } from '../../domain/subscriptions/cancel-subscription.ts';
import type { Subscription } from '../../domain/subscriptions/subscription.ts';
import type { SubscriptionParts } from './subscription-parts.ts';
import { changeWithoutPayment } from './change-without-payment.ts';

/** Lets the subscription end with the paid period. Repeating it is safe. CONFLICT: there is nothing to cancel. */
export const cancelSubscription =
  (parts: SubscriptionParts) =>
  (by: Acting): Promise<Subscription> =>
    changeWithoutPayment(parts, by, decide);
