import type { Clock } from '@platform/core';
import type { PaymentProvider } from '../../domain/payments/payment-provider.ts';
import type { ProviderEvents, ProviderWebhooks } from '../../domain/payments/provider-event.ts';
import type { Wallets } from '../../domain/payments/wallets.ts';
import type { Subscriptions } from '../../domain/subscriptions/subscriptions.ts';

/** The part of the sandbox that stands for the form in a payer's browser. */
export interface SandboxForm {
  confirm(
    organisationId: string,
    clientSecret: string,
    card: string,
  ): Promise<
    | { readonly status: 'set_up'; readonly reference: string }
    | { readonly status: 'declined'; readonly reason: string }
    | { readonly status: 'paid'; readonly processorReference: string }
    | { readonly status: 'unknown' }
    /** There is none of this name to set up; `cards` there are. */
    | { readonly status: 'unknown_card'; readonly cards: readonly string[] }
  >;
}

/** A payment of which the provider now says what became of it. */
export interface SettledPayment {
  readonly organisationId: string;
  /** As in the outcome of the charge. */
  readonly processorReference: string;
  readonly status: 'succeeded' | 'declined';
  readonly requestId: string;
}

/** What the use cases of payment methods work with. */
export interface PaymentParts {
  readonly provider: PaymentProvider;
  /** Present where the provider is the sandbox. */
  readonly sandbox: SandboxForm | null;
  /** Present where the provider reports on its own account. */
  readonly webhooks: ProviderWebhooks | null;
  readonly providerEvents: ProviderEvents;
  /** Told when a payment that was not decided at once has been; may be told more than once. */
  readonly paymentSettled: (payment: SettledPayment) => Promise<void>;
  readonly wallets: Wallets;
  readonly subscriptions: Subscriptions;
  readonly clock: Clock;
  readonly newId: () => string;
}
