import type { ScheduleScope } from '../../test-clocks/domain/schedule-scope.ts';
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

/** A payment that is disputed. */
export interface SandboxDispute {
  readonly id: string;
  readonly organisationId: string;
  readonly paymentId: string;
  /** Minor units. */
  readonly amount: bigint;
  readonly currency: string;
  readonly reason: string;
  readonly state: 'OPEN' | 'WON' | 'LOST';
  readonly ends: 'WON' | 'LOST';
  /** When it is told of next; null: all is told. */
  readonly nextReportAt: Date | null;
}

/** The part of the sandbox's books that is about disputes. */
export interface SandboxDisputeBooks {
  /** A payment has one at most: the first. */
  addDispute(dispute: SandboxDispute): Promise<void>;
  /** Of which is to be told by then, of any organisation, the longest waiting first. */
  dueDisputes(at: Date, scope: ScheduleScope, limit: number): Promise<readonly SandboxDispute[]>;
  /** When the first of them is to be told of; null: none. */
  firstDisputeAt(scope: ScheduleScope): Promise<Date | null>;
  /** Writes down what was told of it, and when there is more to tell. */
  updateDispute(dispute: SandboxDispute): Promise<void>;
  /** When the next one of an organisation is to be told of; null: none. */
  nextDisputeAt(organisationId: string): Promise<Date | null>;
}

/** What a payment company would keep on its side, for the sandbox that stands in for one. */
export interface SandboxBooks extends SandboxRefundBooks, SandboxDisputeBooks {
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
