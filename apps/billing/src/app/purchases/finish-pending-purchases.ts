import type { Logger } from '@platform/core';
import type { Acting } from '../../domain/acting.ts';
import { chargePurchase } from './charge-purchase.ts';
import type { PurchaseParts } from './purchase-parts.ts';

const batch = 50;

/**
 * Processors forget the keys that make a charge safe to repeat after a day. What is still not known by then waits for
 * the processor's report or a person.
 */
const repeatableMs = 23 * 3_600_000;

/**
 * Finishes purchases of whose payment nothing is known. Replicas may do it at the same time: the processor makes one
 * payment of one key, and one purchase becomes one grant. Each round goes on after the last one, so that purchases
 * that can't be finished keep nobody else waiting. Answers how many were finished.
 */
export const finishPendingPurchases = (parts: PurchaseParts) => {
  const charge = chargePurchase(parts);
  let seen = new Date(0);
  return async (logger: Logger): Promise<number> => {
    const now = parts.clock.now().getTime();
    const after = new Date(Math.max(seen.getTime(), now - repeatableMs));
    const pending = await parts.purchases.pendingWithin(after, new Date(now - parts.leaseMs), batch);
    seen = pending.length < batch ? new Date(0) : (pending.at(-1)?.purchase.createdAt ?? new Date(0));
    let finished = 0;
    for (const { organisationId, purchase } of pending) {
      const by: Acting = { organisationId, actor: purchase.buyer, requestId: parts.newId() };
      try {
        const { status } = (await charge(by, purchase)).purchase;
        if (status !== 'PENDING') finished += 1;
      } catch (error) {
        logger.warn(
          { err: error, purchaseId: purchase.id },
          'a purchase could not be finished, it will be tried again',
        );
      }
    }
    return finished;
  };
};
