import Stripe from 'stripe';
import type { RefundOutcome, RefundProvider } from '../domain/refund-provider.ts';
import { failureOf } from './stripe-failures.ts';

/** Refunds at Stripe. */
export const stripeRefunds = (stripe: Stripe): RefundProvider => ({
  async refund({ organisationId }, { id, paymentReference, amountMinor }) {
    try {
      const refund = await stripe.refunds.create(
        {
          payment_intent: paymentReference,
          amount: Number(amountMinor),
          metadata: { organisation_id: organisationId, refund_id: id },
        },
        { idempotencyKey: `refund:${id}` },
      );
      return outcomeOf(refund);
    } catch (error) {
      if (error instanceof Stripe.errors.StripeInvalidRequestError) {
        return { status: 'failed', reference: '', reason: error.code ?? 'refund_refused' };
      }
      throw failureOf(error);
    }
  },

  async findRefund(_payer, { id, paymentReference }) {
    try {
      for await (const refund of stripe.refunds.list({ payment_intent: paymentReference, limit: 100 })) {
        if (refund.metadata?.['refund_id'] === id) return outcomeOf(refund);
      }
      return null;
    } catch (error) {
      throw failureOf(error);
    }
  },
});

function outcomeOf({ id: reference, status, failure_reason: reason }: Stripe.Refund): RefundOutcome {
  switch (status) {
    case 'succeeded':
      return { status, reference };
    case 'failed':
    case 'canceled':
      return { status: 'failed', reference, reason: reason ?? status };
    case null:
    default:
      return { status: 'pending', reference };
  }
}
