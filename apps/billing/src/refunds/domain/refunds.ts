import type { ActorContext, Page, PageRequest } from '@platform-backend/core';
import type { CreditNote } from '../../invoices/domain/credit-note.ts';
import type { GivenBackOf } from '../../invoices/domain/given-back.ts';
import type { Payment } from '../../payments/domain/payment.ts';
import type { ReportedDispute } from '../../payments/domain/provider-event.ts';
import type { ScheduleScope } from '../../test-clocks/domain/schedule-scope.ts';
import type { Dispute } from './dispute.ts';
import type { Refund, Refundable } from './refund.ts';

export interface RefundName {
  readonly organisationId: string;
  readonly id: string;
}

/** A credit note, and the number of the invoice that it is about. */
export interface ShownCreditNote extends CreditNote {
  readonly invoiceNumber: string;
  /** Null: it counts. */
  readonly voidedAt: Date | null;
}

/** Where refunds are kept, with credit notes and disputes. */
export interface Refunds {
  /**
   * Writes a refund down, and takes back what it is for, in one transaction, while nobody else can have the same payment
   * refunded. `unused`: whether only what is not used is given back. NOT_FOUND: no such invoice, or none that was paid by a payment.
   */
  begin(
    by: ActorContext,
    invoiceId: string,
    unused: 'asked' | 'not_asked',
    at: Date,
    decide: (of: Refundable) => Refund,
  ): Promise<Refund>;
  /**
   * Writes down that all of a payment that is left is given back, once: nothing was given for it. Null: nothing of it is left.
   */
  beginSurplus(by: ActorContext, payment: Payment, refundId: string, at: Date): Promise<Refund | null>;
  /** Whether all of a payment is given back, or on its way, since nothing was given for it. */
  isSurplus(payment: Payment): Promise<boolean>;
  get(name: RefundName): Promise<Refund | null>;
  /** Newest first. */
  list(organisationId: string, invoiceId: string | null, page: PageRequest): Promise<Page<Refund>>;
  /** Takes one to look at; null when somebody else was faster, or it is over. */
  take(name: RefundName, at: Date, leaseUntil: Date): Promise<Refund | null>;
  /**
   * `decide` sees the locked refund and is synchronous. With its success the credit note is issued; with its failure what was taken
   * is there again, and a credit note is void. CONFLICT: that cannot be now, since the subscription is being changed.
   */
  update(name: RefundName, by: ActorContext, at: Date, decide: (refund: Refund) => Refund): Promise<Refund>;
  /** Those that the schedule has to look at, the most overdue first. */
  due(at: Date, scope: ScheduleScope, limit: number): Promise<readonly RefundName[]>;
  /** When the first of them has to be looked at; null: none. */
  readonly firstDueAt: (scope: ScheduleScope) => Promise<Date | null>;
  /** When the next one of an organisation has to be looked at; null: none. */
  nextDueAt(organisationId: string): Promise<Date | null>;
  /** NOT_FOUND: none, or another organisation's. */
  creditNote(organisationId: string, id: string): Promise<ShownCreditNote>;
  listCreditNotes(organisationId: string, page: PageRequest): Promise<Page<ShownCreditNote>>;
  /** Takes in what is reported of a dispute about a payment; repeating it is safe. */
  recordDispute(by: ActorContext, payment: Payment, report: ReportedDispute, at: Date): Promise<void>;
  listDisputes(organisationId: string, page: PageRequest): Promise<Page<Dispute>>;
  /** By invoice id; of one that is missing nothing was given back. */
  readonly givenBack: GivenBackOf;
}
