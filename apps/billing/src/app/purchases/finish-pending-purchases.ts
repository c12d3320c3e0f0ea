import type { Logger } from '@platform/core';
import type { Acting } from '../../domain/acting.ts';
import { chargePurchase } from './charge-purchase.ts';
import type { PurchaseParts } from './purchase-parts.ts';

const batch = 50;

/**
 * Finishes purchases of whose payment nothing is known. Replicas may do it at the same time: the processor makes one
 * payment of one key, and one purchase becomes one grant. Answers how many were finished.
 */
export const finishPendingPurchases = (parts: PurchaseParts) => {
  const charge = chargePurchase(parts);
  return async (logger: Logger): Promise<number> => {
    const before = new Date(parts.clock.now().getTime() - parts.leaseMs);
    let finished = 0;
    for (const { organisationId, purchase } of await parts.purchases.pendingSince(before, batch)) {
      const by: Acting = { organisationId, actor: purchase.buyer, requestId: parts.newId() };
      try {
        const { status } = await charge(by, purchase);
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
