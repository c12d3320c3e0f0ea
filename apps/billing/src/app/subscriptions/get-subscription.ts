import { notFound } from '@platform/core';
import type { Subscription } from '../../domain/subscriptions/subscription.ts';
import type { SubscriptionParts } from './subscription-parts.ts';

/** What the organisation has bought. NOT_FOUND: nothing yet. */
export const getSubscription =
  ({ subscriptions }: SubscriptionParts) =>
  async (organisationId: string): Promise<Subscription> => {
    const subscription = await subscriptions.get(organisationId);
    if (!subscription) throw notFound('Subscription');
    return subscription;
  };
