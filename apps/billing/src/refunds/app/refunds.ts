import { keyedCallId, type ActorContext, type Page, type PageRequest } from '@platform-backend/core';
import { answerInTime } from '../../payments/app/answer-within.ts';
import type { Payment } from '../../payments/domain/payment.ts';
import type { ReportedDispute } from '../../payments/domain/provider-event.ts';
import type { Dispute } from '../domain/dispute.ts';
import { refundNotFound } from '../domain/errors.ts';
import { newRefund, type Refund, type RefundRequest } from '../domain/refund.ts';
import type { ShownCreditNote } from '../domain/refunds.ts';
import { executeRefund, type RefundPorts } from './execute-refund.ts';

export type RefundInput = Pick<RefundRequest, 'amountMinor' | 'memo' | 'reason'> & { readonly invoiceId: string };

/** What can be done with refunds. */
export const refundUseCases = (ports: RefundPorts) => ({
  /**
   * Gives back what was paid with an invoice and is not used. While it is not known what became of it, it is PENDING and goes on by
   * itself. NOT_FOUND: no such invoice. CONFLICT: nothing of it, or less than asked for, can be given back.
   */
  async createRefund(by: ActorContext, { invoiceId, ...input }: RefundInput): Promise<Refund> {
    const { refunds, clock, newId, leaseMs } = ports;
    const { organisationId, requestId } = by;
    const request = { ...input, id: keyedCallId(newId), organisationId, requestedBy: by.actor, requestId };
    const at = clock.now();
    const begun = await refunds.begin(by, invoiceId, 'asked', at, (of) =>
      newRefund(of, request, at, new Date(at.getTime() + leaseMs)),
    );
    return (await answerInTime(() => executeRefund(ports, begun))) ?? begun;
  },

  /** NOT_FOUND: none, or another organisation's. */
  async getRefund(organisationId: string, id: string): Promise<Refund> {
    const refund = await ports.refunds.get({ organisationId, id });
    if (!refund) throw refundNotFound();
    return refund;
  },

  listRefunds: (organisationId: string, invoiceId: string | null, page: PageRequest): Promise<Page<Refund>> =>
    ports.refunds.list(organisationId, invoiceId, page),

  getCreditNote: (organisationId: string, id: string): Promise<ShownCreditNote> =>
    ports.refunds.creditNote(organisationId, id),

  listCreditNotes: (organisationId: string, page: PageRequest): Promise<Page<ShownCreditNote>> =>
    ports.refunds.listCreditNotes(organisationId, page),

  listDisputes: (organisationId: string, page: PageRequest): Promise<Page<Dispute>> =>
    ports.refunds.listDisputes(organisationId, page),

  /** Takes in what a processor reports of a dispute. Repeating it is safe. */
  disputeReported: (by: ActorContext, payment: Payment, report: ReportedDispute): Promise<void> =>
    ports.refunds.recordDispute(by, payment, report, ports.clock.now()),
});

export type RefundUseCases = ReturnType<typeof refundUseCases>;
