import type { ProviderPaymentMethod } from '../domain/payment-provider.ts';

/** What becomes of payments with a card. */
export type CardBehaviour =
  | { readonly payments: 'succeed' }
  | { readonly payments: 'decline'; readonly reason: string }
  /** The payer has to confirm each one at the bank. */
  | { readonly payments: 'need_confirmation' };

export interface SandboxCard {
  readonly brand: string;
  readonly lastFour: string;
  /** Whether it can be set up at all. */
  readonly setUp: 'succeeds' | 'is_declined';
  readonly behaviour: CardBehaviour;
}

/** The sandbox's cards, by the names Stripe gives to its own test cards. None of them is a real number. */
export const sandboxCards: Readonly<Record<string, SandboxCard>> = {
  pm_card_visa: card('visa', '4242', { payments: 'succeed' }),
  pm_card_mastercard: card('mastercard', '4444', { payments: 'succeed' }),
  pm_card_chargeCustomerFail: card('visa', '0341', { payments: 'decline', reason: 'card_declined' }),
  pm_card_visa_chargeDeclinedInsufficientFunds: card('visa', '9995', {
    payments: 'decline',
    reason: 'insufficient_funds',
  }),
  pm_card_authenticationRequired: card('visa', '3155', { payments: 'need_confirmation' }),
  pm_card_visa_chargeDeclined: {
    ...card('visa', '0002', { payments: 'decline', reason: 'card_declined' }),
    setUp: 'is_declined',
  },
};

function card(brand: string, lastFour: string, behaviour: CardBehaviour): SandboxCard {
  return { brand, lastFour, setUp: 'succeeds', behaviour };
}

/** How a test card looks as a payment method. */
export function describeCard(reference: string, name: string): ProviderPaymentMethod {
  const known = sandboxCards[name];
  return {
    reference,
    kind: 'card',
    brand: known?.brand ?? '',
    lastFour: known?.lastFour ?? '',
    fingerprint: '',
    expiryMonth: 12,
    expiryYear: 2034,
  };
}
