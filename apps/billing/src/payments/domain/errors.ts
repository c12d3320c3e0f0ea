import { declareError, DomainError } from '@platform-backend/core';
import { amountText, currencyOf } from '../../prices/domain/currency.ts';
import { isBelowMinimum } from '../../prices/domain/sale-tax.ts';

export const clientSecretNotFound = declareError('not_found', 'client_secret_not_found', 'Client secret not found');
export const paymentMethodNotFound = declareError('not_found', 'payment_method_not_found', 'Payment method not found');
export const tooManyPaymentMethods = declareError(
  'conflict',
  'too_many_payment_methods',
  'An organisation can have {max} payment methods: remove one first',
);
export const paymentMethodInUse = declareError(
  'conflict',
  'payment_method_in_use',
  'The subscription renews with this payment method',
);
export const missingSignature = declareError(
  'malformed',
  'missing_signature',
  'The header Stripe-Signature is missing',
);
export const unreadableReport = declareError('malformed', 'unreadable_report', 'The body is no event of Stripe');
export const invalidSignature = declareError(
  'malformed',
  'invalid_signature',
  'Stripe-Signature is not that of this body with the secret of this endpoint, or is older than five minutes',
);

export const paymentsLimited = declareError(
  'rate_limited',
  'payments_limited',
  'Too many payments or cards were tried: try again later',
  3600,
);
export const amountBelowMinimum = declareError(
  'conflict',
  'amount_below_minimum',
  'This comes to {total}, and less than {minimum} {currency} cannot be paid',
);
export const cardDeclined = declareError('payment_required', 'card_declined', 'The payment was refused');

/** CONFLICT: an amount is smaller than what can be paid in its currency. */
export function requirePayable(total: bigint, currency: string): void {
  if (!isBelowMinimum(total, currency)) return;
  const minimum = amountText(currencyOf(currency).minimum, currency);
  throw amountBelowMinimum({ total: amountText(total, currency), minimum, currency });
}

/** The code is the processor's own where it gives one (`insufficient_funds`), for its users know those. */
export const paymentRefused = (code: string | null | undefined, message?: string): DomainError =>
  new DomainError({
    kind: cardDeclined.kind,
    code: code ?? cardDeclined.code,
    message: message ?? cardDeclined.text,
  });

/** The path belongs to a payment processor that is not configured. */
export const noSuchPath = declareError('not_found', 'not_found', 'Not Found');
