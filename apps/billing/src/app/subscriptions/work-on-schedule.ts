import type { Logger } from '@platform/core';
import { billingItself } from '../../domain/acting.ts';
import type { SubscriptionChange } from '../../domain/subscriptions/subscription-change.ts';
import type { Subscription } from '../../domain/subscriptions/subscription.ts';
import { renewOnSchedule } from '../../domain/subscriptions/renew-subscription.ts';
import { beginning } from './begin-change.ts';
import { runChange } from './run-change.ts';
import type { SubscriptionParts } from './subscription-parts.ts';

/** How much one round takes on. */
const roundSize = 50;

/**
 * One round of what time brings about: renewals, ends, and changes that somebody left behind. Replicas share it:
 * what one has taken, the others pass by. Answers how many changes it brought to their end.
 */
export const workOnSchedule =
  (parts: SubscriptionParts) =>
  async (logger: Logger): Promise<number> => {
    const finished = [await completeAbandoned(parts, logger), await renewDue(parts, logger)];
    return finished.reduce((sum, count) => sum + count, 0);
  };

async function completeAbandoned(parts: SubscriptionParts, logger: Logger): Promise<number> {
  const { subscriptions, clock, leaseMs } = parts;
  let finished = 0;
  for (const open of await subscriptions.abandoned(clock.now(), roundSize)) {
    const { organisationId, changeId } = open;
    const taken = async () => {
      const now = clock.now();
      return subscriptions.takeOver(open, now, new Date(now.getTime() + leaseMs));
    };
    if (await runOne(parts, taken, logger, { organisationId, changeId })) finished += 1;
  }
  return finished;
}

async function renewDue(parts: SubscriptionParts, logger: Logger): Promise<number> {
  const { subscriptions, seatPrices, grace, clock, newId } = parts;
  let finished = 0;
  for (const organisationId of await subscriptions.due(clock.now(), roundSize)) {
    const begun = async () => {
      const at = clock.now();
      const by = billingItself(organisationId, newId());
      const renew = (current: Subscription | null) => current && renewOnSchedule(current, seatPrices, grace, at);
      return subscriptions.beginUnlessBusy(by, await beginning(parts, by, at, renew));
    };
    if (await runOne(parts, begun, logger, { organisationId })) finished += 1;
  }
  return finished;
}

/** One that fails, wherever, is tried again in a later round and must not keep the others waiting. */
async function runOne(
  parts: SubscriptionParts,
  begin: () => Promise<SubscriptionChange | null>,
  logger: Logger,
  whose: { readonly organisationId: string; readonly changeId?: string },
): Promise<boolean> {
  try {
    const change = await begin();
    if (!change) return false;
    await runChange(parts)(change);
    return true;
  } catch (error) {
    logger.warn({ err: error, ...whose }, 'a subscription change could not go on now, trying again');
    return false;
  }
}
