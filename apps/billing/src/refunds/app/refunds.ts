import { DomainError, keyedCallId, type ActorContext, type Page, type PageRequest } from '@platform-backend/core';
import { answerInTime } from '../../payments/app/answer-within.ts';
import { paymentsLimited } from '../../payments/domain/errors.ts';
import type { Payment } from '../../payments/domain/payment.ts';
import type { ReportedDispute } from '../../payments/domain/provider-event.ts';
import type { Dispute } from '../domain/dispute.ts';
import { refundNotFound } from '../domain/errors.ts';
import { afterOutcome, newRefund, type Refund, type RefundRequest } from '../domain/refund.ts';
import type { ShownCreditNote } from '../domain/refunds.ts';
import { executeRefund, type RefundPorts } from './execute-refund.ts';

export type RefundInput = Pick<RefundRequest, 'amountMinor' | 'memo' | 'reason'> & { readonly invoiceId: string };

/** What can be done with refunds. */
export const refundUseCases = (ports: RefundPorts) => ({
  /**
   * Gives back what was paid with an invoice and is not used. While it is not known what became of it, it is PENDING and goes on by
   * itself. NOT_FOUND: no such invoice. CONFLICT: nothing of it, or less than asked for, can be given back. RATE_LIMITED: there were too
   * many.
   */
  async createRefund(by: ActorContext, { invoiceId, ...input }: RefundInput): Promise<Refund> {
    const { refunds, clock, newId, leaseMs } = ports;
    const { organisationId, requestId } = by;
    const request = { ...input, id: keyedCallId(newId), organisationId, requestedBy: by.actor, requestId };
    await ports.requireRefundAllowed(by);
    const at = clock.now();
    // The refund is the first that a call with a key changes: what is noted of the call is then true of the refund.
    const begun = await refunds.begin(by, invoiceId, 'asked', at, (of) =>
      newRefund(of, request, at, new Date(at.getTime() + leaseMs)),
    );
    await ports.countRefund(by).catch(async (error: unknown) => {
      if (error instanceof DomainError && error.kind === 'rate_limited') await refuseRefund(ports, by, begun);
      throw error;
    });
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

/** Many have come at the same moment; the processor has not heard of this one. */
function refuseRefund({ refunds, clock, newId }: RefundPorts, by: ActorContext, begun: Refund): Promise<Refund> {
  const at = clock.now();
  const refused = { status: 'failed', reference: '', reason: paymentsLimited.code } as const;
  return refunds.update(begun, by, at, (known) => afterOutcome(known, refused, newId(), at));
}

export type RefundUseCases = ReturnType<typeof refundUseCases>;
