import { conflict, notFound, paymentRequired, type DomainError } from '@platform/core';
import type { SubscriptionChange } from '../../domain/subscriptions/subscription-change.ts';

/** What the caller hears of a change that did not come about; null when it did. */
export function refusalOf({ outcome, refusal }: SubscriptionChange): DomainError | null {
  switch (outcome) {
    case 'payment_refused':
      return paymentRequired(refusal?.code ?? 'card_declined', refusal?.message ?? 'The payment was refused');
    case 'seats_taken':
      return conflict('seats_in_use', 'There are more active members than seats asked for');
    case 'organisation_gone':
      return notFound('Organisation');
    case 'accepted':
    case null:
      return null;
  }
}
