import type {
  CreditNoteInput,
  DisputeInput,
  RefundInput,
  RefundServiceHandlers,
} from '@platform-backend/contract-billing';
import { listAnswer, type CallContext } from '@platform-backend/grpc';
import type { RefundUseCases } from '../app/refunds.ts';
import type { Dispute } from '../domain/dispute.ts';
import type { Refund } from '../domain/refund.ts';
import type { ShownCreditNote } from '../domain/refunds.ts';

export const refundHandlers = (
  app: RefundUseCases,
  creditNotePdf: (organisationId: string, requestId: string, note: ShownCreditNote) => Promise<Buffer>,
): RefundServiceHandlers<CallContext> => ({
  async createRefund({ invoiceId, amountMinor, reason, memo }, context) {
    const refund = await app.createRefund(context.actorContext(), {
      invoiceId,
      amountMinor: amountMinor === null ? null : BigInt(amountMinor),
      reason: reason ?? 'REQUESTED_BY_CUSTOMER',
      memo,
    });
    return refundMessage(refund);
  },

  async listRefunds(request, context) {
    const page = await app.listRefunds(context.organisationId(), request.invoiceId, request);
    return listAnswer('refunds', page, refundMessage);
  },

  async getRefund({ refundId }, context) {
    return refundMessage(await app.getRefund(context.organisationId(), refundId));
  },

  async listCreditNotes(request, context) {
    return listAnswer('creditNotes', await app.listCreditNotes(context.organisationId(), request), creditNoteMessage);
  },

  async getCreditNote({ creditNoteId }, context) {
    return creditNoteMessage(await app.getCreditNote(context.organisationId(), creditNoteId));
  },

  async getCreditNotePdf({ creditNoteId }, context) {
    const organisationId = context.organisationId();
    const note = await app.getCreditNote(organisationId, creditNoteId);
    return { content: await creditNotePdf(organisationId, context.requestId, note) };
  },

  async listDisputes(request, context) {
    return listAnswer('disputes', await app.listDisputes(context.organisationId(), request), disputeMessage);
  },
});

const refundMessage = (refund: Refund): RefundInput => ({
  id: refund.id,
  createdAt: refund.createdAt,
  invoiceId: refund.invoiceId,
  status: refund.state,
  amountMinor: refund.amountMinor.toString(),
  taxMinor: refund.taxMinor.toString(),
  currency: refund.currency,
  reason: refund.reason,
  memo: refund.memo,
  creditsMicros: refund.creditsMicros.toString(),
  balanceMinor: refund.balanceMinor.toString(),
  code: refund.failure,
  creditNoteId: refund.creditNoteId,
});

const creditNoteMessage = (note: ShownCreditNote): CreditNoteInput => ({
  id: note.id,
  number: note.number,
  createdAt: note.createdAt,
  invoiceId: note.invoiceId,
  invoiceNumber: note.invoiceNumber,
  refundId: note.refundId,
  currency: note.currency,
  lines: note.lines.map(({ description, quantity, amountMinor }) => ({
    description,
    quantity: String(quantity),
    amountMinor: amountMinor.toString(),
  })),
  subtotalMinor: note.subtotalMinor.toString(),
  taxMinor: note.taxMinor.toString(),
  totalMinor: note.totalMinor.toString(),
  voidedAt: note.voidedAt,
});

const disputeMessage = (dispute: Dispute): DisputeInput => ({
  id: dispute.id,
  createdAt: dispute.createdAt,
  status: dispute.state,
  amountMinor: dispute.amountMinor.toString(),
  currency: dispute.currency,
  reason: dispute.reason,
  invoiceId: dispute.invoiceId,
  creditsMicros: dispute.creditsMicros.toString(),
});
