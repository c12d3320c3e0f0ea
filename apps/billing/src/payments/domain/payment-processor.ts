/** What a processor says of a payment. `processorReference` is its name for it, by which its webhooks speak. */
export type ChargeOutcome =
  | { readonly status: 'succeeded'; readonly processorReference: string }
  /** The bank decides later. */
  | { readonly status: 'processing'; readonly processorReference: string }
  /** `processorReference` is empty where not even a payment was made. */
  | { readonly status: 'declined' | 'cancelled'; readonly processorReference: string; readonly reason: string }
  | {
      readonly status: 'requires_action';
      readonly processorReference: string;
      /** With which the frontend lets the payer confirm. */
      readonly clientSecret: string;
    };
