import type { ProviderPaymentMethod } from '../domain/payment-provider.ts';

/** What becomes of payments with a card. */
export type CardBehaviour =
  | { readonly payments: 'succeed'; readonly disputed?: CardDispute }
  | { readonly payments: 'decline'; readonly reason: string }
  /** The payer has to confirm each one at the bank. */
  | { readonly payments: 'need_confirmation' };

/** What becomes of a payment that is paid and then disputed. */
export interface CardDispute {
  /** As banks give it. */
  readonly reason: string;
  readonly ends: 'WON' | 'LOST';
}

export interface SandboxCard {
  readonly brand: string;
  readonly lastFour: string;
  /** ISO 3166-1: where it was issued; null: it does not say, as cards of prepaid kinds. */
  readonly country: string | null;
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
  pm_card_createDispute: card('visa', '0259', {
    ...{ payments: 'succeed', disputed: { reason: 'fraudulent', ends: 'LOST' } },
  }),
  pm_card_createDisputeProductNotReceived: card('visa', '2685', {
    ...{ payments: 'succeed', disputed: { reason: 'product_not_received', ends: 'WON' } },
  }),
  ...cardsOfCountries({ AT: '0008', CH: '0009', DE: '0016', FR: '0003', GB: '0000', JP: '0003', US: '4242' }),
  pm_card_visa_chargeDeclined: {
    ...card('visa', '0002', { payments: 'decline', reason: 'card_declined' }),
    setUp: 'is_declined',
  },
};

function card(brand: string, lastFour: string, behaviour: CardBehaviour): SandboxCard {
  return { brand, lastFour, country: null, setUp: 'succeeds', behaviour };
}

/** By country, with the last four digits: `pm_card_de` and the like. */
function cardsOfCountries(cards: Readonly<Record<string, string>>): Readonly<Record<string, SandboxCard>> {
  const entries = Object.entries(cards).map(([country, lastFour]): [string, SandboxCard] => [
    `pm_card_${country.toLowerCase()}`,
    { ...card('visa', lastFour, { payments: 'succeed' }), country },
  ]);
  return Object.fromEntries(entries);
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
    country: known?.country ?? null,
    expiryMonth: 12,
    expiryYear: 2034,
  };
}
