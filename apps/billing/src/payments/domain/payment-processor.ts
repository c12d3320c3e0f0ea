/** One payment, in the currency's minor units: 1234n is 12.34 EUR. */
export interface Charge {
  /** Whose customer pays: the processor finds it by the organisation, never by anything a request says. */
  readonly organisationId: string;
  readonly amount: bigint;
  /** ISO 4217. */
  readonly currency: string;
  /** The same key is one payment, however often it is asked for. Needs to be the same for the same charge only. */
  readonly idempotencyKey: string;
  /** Ours, not the processor's. Absent: the organisation's default. */
  readonly paymentMethodId?: string;
  /** Nobody is there to confirm: a payment that needs it is declined, and can never be confirmed later. */
  readonly payerIsAway?: boolean;
  /** What the payer reads on the statement. */
  readonly description: string;
}

/** What became of a charge. `processorReference` is the processor's name for it, by which its webhooks speak. */
export type ChargeOutcome =
  | { readonly status: 'succeeded'; readonly processorReference: string }
  | { readonly status: 'declined'; readonly processorReference: string; readonly reason: string }
  | {
      readonly status: 'requires_action';
      readonly processorReference: string;
      /** With which the frontend lets the payer confirm. */
      readonly clientSecret: string;
    };

/**
 * Whoever moves the money. A refusal is an answer; UPSTREAM_FAILED means that it is not known what happened, and
 * the same charge with the same key may be tried again.
 */
export interface PaymentProcessor {
  charge(charge: Charge): Promise<ChargeOutcome>;
}
