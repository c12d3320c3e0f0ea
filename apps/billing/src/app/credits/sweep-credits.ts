import { billingItself } from '../../domain/acting.ts';
import type { CreditParts } from './credit-parts.ts';
import { expireDueCredits } from './expire-due-credits.ts';

/** So many at once, so that a sweep after an outage holds no account for long. */
const batch = 500;

export interface Swept {
  readonly released: number;
  readonly expired: number;
}

/**
 * Releases reservations that nobody has extended, and takes away expired credits. Any number of replicas may do it at
 * the same time: each change is conditional, so it happens once.
 */
export const sweepCredits = (parts: CreditParts) => {
  const { credits, clock, newId } = parts;
  const expire = expireDueCredits(parts);

  const releaseOverdue = async (): Promise<number> => {
    const at = clock.now();
    const overdue = await credits.overdueReservations(at, batch);
    let released = 0;
    for (const [organisationId, reservations] of Map.groupBy(overdue, (each) => each.organisationId)) {
      const ids = reservations.map(({ id }) => id);
      released += await credits.releaseOverdue(billingItself(organisationId, newId()), ids, at);
    }
    // When all were taken by another replica, the rest is left to it as well.
    return overdue.length === batch && released > 0 ? released + (await releaseOverdue()) : released;
  };

  return async (): Promise<Swept> => {
    const released = await releaseOverdue();
    const due = await credits.accountsToExpire(clock.now(), batch);
    for (const organisationId of due) await expire(billingItself(organisationId, newId()));
    return { released, expired: due.length };
  };
};
