import { cancelSubscription } from './cancel-subscription.ts';
import { changeSubscription } from './change-subscription.ts';
import { getSubscription } from './get-subscription.ts';
import { resumeSubscription } from './resume-subscription.ts';
import type { SubscriptionParts } from './subscription-parts.ts';
import { workOnSchedule } from './work-on-schedule.ts';

/** What can be done with subscriptions. */
export const subscriptionUseCases = (parts: SubscriptionParts) => ({
  changeSubscription: changeSubscription(parts),
  getSubscription: getSubscription(parts),
  cancelSubscription: cancelSubscription(parts),
  resumeSubscription: resumeSubscription(parts),
  workOnSchedule: workOnSchedule(parts),
});
