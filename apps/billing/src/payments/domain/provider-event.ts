/** Something a provider reports on its own account, verified: perhaps more than once, late, and out of order. */
export interface ProviderEvent {
  readonly id: string;
  /** As the provider calls it: `payment_intent.succeeded`. */
  readonly type: string;
  readonly at: Date;
  /** Whom it is about, by the provider's name; null: no customer of ours. */
  readonly customer: string | null;
  /** What became of a payment; null: it is about something else. */
  readonly payment: { readonly processorReference: string; readonly status: 'succeeded' | 'declined' } | null;
}

/** A payment of which the provider now says what became of it. */
export interface SettledPayment {
  readonly organisationId: string;
  /** As in the outcome of the charge. */
  readonly processorReference: string;
  readonly status: 'succeeded' | 'declined';
  readonly requestId: string;
}

export interface ProviderWebhooks {
  /**
   * Reads a report from its body, byte for byte as it came. UNAUTHENTICATED: the signature is not the provider's, or
   * too old. NOT_FOUND: no reports are expected here.
   */
  readEvent(payload: Buffer, signature: string): ProviderEvent;
}

/** Reports that change what we know about payment methods; each makes us look at what is so now. */
export const concernsPaymentMethods = ({ type }: ProviderEvent): boolean =>
  type === 'setup_intent.succeeded' || type.startsWith('payment_method.');

/** What was reported of a payment so far moves only forward: one that was refused may be paid after all, never back. */
export const isNews = (known: 'succeeded' | 'declined' | null, reported: 'succeeded' | 'declined'): boolean =>
  known === null || (known === 'declined' && reported === 'succeeded');

/** What is remembered of reports. */
export interface ProviderEvents {
  /** Whether this report was dealt with, and what is known of its payment. */
  known(
    organisationId: string,
    event: ProviderEvent,
  ): Promise<{ readonly handled: boolean; readonly payment: 'succeeded' | 'declined' | null }>;
  /** Remembers that it was. Repeating it is safe. */
  remember(organisationId: string, event: ProviderEvent, at: Date): Promise<void>;
}
