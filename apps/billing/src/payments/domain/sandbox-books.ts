import type { ListedPayment } from './payment-provider.ts';

export interface SandboxSetup {
  readonly id: string;
  readonly clientSecret: string;
  readonly status: 'requires_payment_method' | 'succeeded';
}

export interface SandboxPayment {
  readonly id: string;
  readonly clientSecret: string;
  /** The payment method it was tried with. */
  readonly card: string;
  /** Minor units. */
  readonly amount: bigint;
  readonly currency: string;
  readonly description: string;
  readonly status: 'succeeded' | 'declined' | 'requires_action';
  readonly reason: string | null;
}

export interface SandboxRefund {
  readonly id: string;
  readonly idempotencyKey: string;
  readonly paymentId: string;
  /** Minor units. */
  readonly amount: bigint;
}

/** The part of the sandbox's books that is about money given back. */
export interface SandboxRefundBooks {
  /** The first one with its key counts and is answered. Null: the payment has not brought as much, or was given back before. */
  addRefund(organisationId: string, refund: SandboxRefund, at: Date): Promise<SandboxRefund | null>;
  refund(organisationId: string, idempotencyKey: string): Promise<SandboxRefund | null>;
}

/** What a payment company would keep on its side, for the sandbox that stands in for one. */
export interface SandboxBooks extends SandboxRefundBooks {
  /** What is attached now, newest first; `card` is the test card it was made from. */
  cards(organisationId: string): Promise<readonly { readonly id: string; readonly card: string }[]>;
  detach(organisationId: string, cardId: string, at: Date): Promise<void>;
  /** Of those with one idempotency key the first counts and is answered, here and below. */
  addSetup(organisationId: string, idempotencyKey: string, setup: SandboxSetup, at: Date): Promise<SandboxSetup>;
  addPayment(
    organisationId: string,
    idempotencyKey: string,
    payment: SandboxPayment,
    at: Date,
  ): Promise<SandboxPayment>;
  setupOf(organisationId: string, clientSecret: string): Promise<SandboxSetup | null>;
  /** The payment with this name, secret or key. */
  payment(
    organisationId: string,
    which: { readonly id: string } | { readonly clientSecret: string } | { readonly idempotencyKey: string },
  ): Promise<SandboxPayment | null>;
  /** Attaches the card that a set-up was for. Repeating it is safe. */
  finishSetup(organisationId: string, setupId: string, card: { id: string; card: string }, at: Date): Promise<void>;
  /** Of all organisations. */
  paymentsSince(since: Date): AsyncIterable<ListedPayment>;
  /** Ends a payment that waits for its payer; answers what became of it, now or before. */
  settle(
    organisationId: string,
    paymentId: string,
    outcome: Pick<SandboxPayment, 'status' | 'reason'>,
  ): Promise<SandboxPayment | null>;
}
