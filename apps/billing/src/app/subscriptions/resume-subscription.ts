import type { Acting } from '../../domain/acting.ts';
import { resumeSubscription as decide } from '../../domain/subscriptions/cancel-subscription.ts';
import type { Subscription } from '../../domain/subscriptions/subscription.ts';
import { changeWithoutPayment } from './change-without-payment.ts';
import type { SubscriptionParts } from './subscription-parts.ts';

/** Takes back what was to happen at the end of the period. Repeating it is safe. CONFLICT: it has ended. */
export const resumeSubscription =
  (parts: SubscriptionParts) =>
  (by: Acting): Promise<Subscription> =>
    changeWithoutPayment(parts, by, decide);
