import { upstreamFailed } from '@platform-backend/core';
import Stripe from 'stripe';
import { CustomerGone } from '../domain/payment-provider.ts';

/** What is between Stripe and us, and no refusal. */
export const failureOf = (error: unknown): unknown =>
  isCustomerMissing(error)
    ? new CustomerGone()
    : error instanceof Stripe.errors.StripeError
      ? upstreamFailed(error)
      : error;

const isCustomerMissing = (error: unknown): boolean =>
  error instanceof Stripe.errors.StripeInvalidRequestError &&
  error.code === 'resource_missing' &&
  (error.param === 'customer' || /^No such customer/.test(error.message));
