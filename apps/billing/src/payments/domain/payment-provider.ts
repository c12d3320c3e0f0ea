import type { ChargeOutcome } from './payment-processor.ts';
import type { Payment } from './payment.ts';

/** A customer at the provider, always found from the organisation and never from anything a request says. */
export interface Payer {
  readonly organisationId: string;
  /** The provider's name for the customer. */
  readonly customer: string;
}

/** A payment method as the provider knows it. */
export interface ProviderPaymentMethod {
  /** The provider's name for it. */
  readonly reference: string;
  /** `card` and what else the provider knows. */
  readonly kind: string;
  /** Empty unless it is a card. */
  readonly brand: string;
  readonly lastFour: string;
  /** The same for one card, whoever has set it up; empty: the provider does not say. */
  readonly fingerprint: string;
  /** ISO 3166-1: where it was issued; null: the provider does not say. */
  readonly country: string | null;
  readonly expiryMonth: number | null;
  readonly expiryYear: number | null;
}

/** A payment as the provider is asked for it. */
export type ProviderCharge = Omit<Payment, 'paymentMethod'> & {
  /** The provider's name for the payment method. */
  readonly paymentMethod: string;
};

/** A payment as the provider lists it. */
export interface ListedPayment {
  readonly reference: string;
  /** Ours; null: it was told none. */
  readonly paymentId: string | null;
  readonly organisationId: string;
  readonly amountMinor: bigint;
  /** ISO 4217. */
  readonly currency: string;
  /** As the provider calls it, of which only `succeeded` means that money has moved. */
  readonly status: string;
}

/** The provider does not know the customer any more: somebody has deleted it there. */
export class CustomerGone extends Error {}

/**
 * A company that keeps payment methods and moves money, or the sandbox that stands in for one. Refusals are answers;
 * UPSTREAM_FAILED means that it is not known what happened, and the same call with the same key may be tried again. What is done
 * for a payer throws CustomerGone when the provider has deleted the customer.
 */
export interface PaymentProvider {
  readonly name: 'stripe' | 'sandbox';
  /** Pays where an organisation has set nothing up; null: then nothing is paid. */
  readonly methodUnlessSetUp: string | null;
  /**
   * Makes the customer of an organisation, or answers the one that was made before with the same organisation; `gone` is
   * the one in whose place it comes.
   */
  createCustomer(organisationId: string, gone: string | null): Promise<string>;
  /**
   * A secret with which the frontend registers a payment method at the provider, for later payments without the payer.
   * Null: for nobody; what is set up is no customer's.
   */
  createSetupIntent(payer: Payer | null, idempotencyKey: string): Promise<{ readonly clientSecret: string }>;
  /** What is attached now, newest first. */
  listPaymentMethods(payer: Payer): Promise<readonly ProviderPaymentMethod[]>;
  /** Repeating it is safe. */
  detachPaymentMethod(payer: Payer, reference: string): Promise<void>;
  /**
   * The same key is one payment, however often it is asked for. Cancelled with `processor_failed`: the provider itself failed,
   * says so for this key for ever, and has made no payment.
   */
  charge(payer: Payer, charge: ProviderCharge): Promise<ChargeOutcome>;
  /** What has become of a payment. */
  getPayment(payer: Payer, processorReference: string): Promise<ChargeOutcome>;
  /** The payment that the provider has made of ours; null: none. */
  findPayment(payer: Payer, payment: Payment): Promise<ChargeOutcome | null>;
  /** All that was asked for since then, of all our organisations. */
  listPayments(since: Date): AsyncIterable<ListedPayment>;
  /** Gives a payment up, so that it cannot be paid later; answers what is true of it from then on. Repeating it is safe. */
  cancelPayment(payer: Payer, processorReference: string): Promise<ChargeOutcome>;
}

/** The part of the sandbox that stands for the form in a payer's browser. */
export interface SandboxForm {
  confirm(organisationId: string, clientSecret: string, card: string): Promise<SandboxConfirmation>;
}

export type SandboxConfirmation =
  | { readonly status: 'set_up'; readonly reference: string }
  | { readonly status: 'declined'; readonly reason: string }
  | { readonly status: 'paid'; readonly processorReference: string }
  | { readonly status: 'unknown' }
  /** There is none of this name to set up; `cards` there are. */
  | { readonly status: 'unknown_card'; readonly cards: readonly string[] };
