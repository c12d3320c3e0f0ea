/** Something a provider reports on its own account, verified: perhaps more than once, late, and out of order. */
export interface ProviderEvent {
  readonly id: string;
  /** As the provider calls it: `payment_intent.succeeded`. */
  readonly type: string;
  readonly at: Date;
  /** Whom it is about, by the provider's name; null: no customer of ours. */
  readonly customer: string | null;
  /** What became of a payment; null: it is about something else. */
  readonly payment: {
    /** Ours, from its metadata; null: it has none, as one of the release before. */
    readonly id: string | null;
    readonly processorReference: string;
    readonly status: 'succeeded' | 'cancelled';
  } | null;
  /** A refund of ours of which there is news; null: it is about something else. */
  readonly refund: { readonly id: string; readonly paymentReference: string } | null;
  /** What has become of a payment that somebody has disputed at the bank; null: it is about something else. */
  readonly dispute: ReportedDispute | null;
}

export interface ReportedDispute {
  /** The provider's name for it. */
  readonly reference: string;
  readonly paymentReference: string;
  readonly amountMinor: bigint;
  /** ISO 4217. */
  readonly currency: string;
  /** As the provider calls it: `fraudulent`. */
  readonly reason: string;
  readonly state: 'OPEN' | 'WON' | 'LOST';
  /** The bank only asks, and has taken no money. */
  readonly isInquiry: boolean;
}

export interface ProviderWebhooks {
  /**
   * Reads a report from its body, byte for byte as it came. UNAUTHENTICATED: the signature is not the provider's, or
   * too old. NOT_FOUND: no reports are expected here.
   */
  readEvent(payload: Buffer, signature: string): ProviderEvent;
  /** Our id of a payment that is reported by the provider's name alone; null: it is none of ours. */
  paymentIdOf(processorReference: string): Promise<string | null>;
}

/** Reports that change what we know about payment methods; each makes us look at what is so now. */
export const concernsPaymentMethods = ({ type }: ProviderEvent): boolean =>
  type === 'setup_intent.succeeded' || type.startsWith('payment_method.');

/** What is remembered of reports. */
export interface ProviderEvents {
  /** Whether this report was dealt with. */
  isHandled(organisationId: string, event: ProviderEvent): Promise<boolean>;
  /** Remembers that it was. Repeating it is safe. */
  remember(organisationId: string, event: ProviderEvent, at: Date): Promise<void>;
}
