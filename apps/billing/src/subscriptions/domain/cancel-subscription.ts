import { nothingToCancel, subscriptionEnded } from './errors.ts';
import { planned, type PlannedChange } from './planned-change.ts';
import { nothingToPay } from './subscription-bill.ts';
import type { Subscription } from './subscription.ts';

/**
 * Lets it end with the paid period; one that is past due ends at once, as nothing is paid for. Null: that is so
 * already. CONFLICT: there is nothing to cancel.
 */
export function cancelSubscription(current: Subscription | null): PlannedChange | null {
  switch (current?.status) {
    case 'ACTIVE':
      return unpaid('cancellation_scheduled', current, { ...current, status: 'CANCELING', pending: null });
    case 'PAST_DUE':
      return endSubscription(current);
    case 'CANCELING':
      return null;
    case 'ENDED':
    case undefined:
      throw nothingToCancel();
  }
}

/**
 * Takes back what was to happen at the end of the period: a cancellation or a downgrade. Null: nothing was.
 * CONFLICT: it has ended, or never began.
 */
export function resumeSubscription(current: Subscription | null): PlannedChange | null {
  if (!current || current.status === 'ENDED') throw subscriptionEnded();
  if (current.status !== 'CANCELING' && current.pending === null) return null;
  const status = current.status === 'CANCELING' ? 'ACTIVE' : current.status;
  // An open invoice is for what is not to be any more: the renewal is decided anew, with an invoice of its own.
  return unpaid('resumed', current, { ...current, status, pending: null, unpaidChangeId: null });
}

/** The paid time is over and is not renewed: back to what everybody has. Nobody is thrown out, but nobody gets in. */
export const endSubscription = (current: Subscription): PlannedChange => ({
  ...unpaid('ended', current, {
    ...current,
    status: 'ENDED',
    pending: null,
    graceEndsAt: null,
    unpaidChangeId: null,
    nextActionAt: null,
  }),
  maxActiveMembers: null,
});

const unpaid = (kind: PlannedChange['kind'], before: Subscription, next: Subscription): PlannedChange =>
  planned(kind, before, next, nothingToPay(before.creditMinor), null);
