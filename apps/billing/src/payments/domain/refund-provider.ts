import type { Payer } from './payment-provider.ts';

/** Money that a provider is asked to give back to where it came from. */
export interface ProviderRefund {
  /** Ours, in the provider's metadata, and the idempotency key. */
  readonly id: string;
  /** The provider's name for the payment. */
  readonly paymentReference: string;
  /** Minor units. */
  readonly amountMinor: bigint;
}

/** What a provider says of a refund. */
export type RefundOutcome =
  | { readonly status: 'succeeded' | 'pending'; readonly reference: string }
  /** `reference` is empty where not even a refund was made. */
  | { readonly status: 'failed'; readonly reference: string; readonly reason: string };

/** Gives money back. Refusals are answers; UPSTREAM_FAILED means that it is not known what happened. */
export interface RefundProvider {
  /** The same id is one refund, however often it is asked for. */
  refund(payer: Payer, refund: ProviderRefund): Promise<RefundOutcome>;
  /** What has become of a refund, by our id; null: the provider has made none. */
  findRefund(payer: Payer, refund: ProviderRefund): Promise<RefundOutcome | null>;
}
