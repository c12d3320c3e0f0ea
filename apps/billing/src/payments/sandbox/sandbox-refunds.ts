import { newId, type Clock } from '@platform-backend/core';
import type { RefundProvider } from '../domain/refund-provider.ts';
import type { SandboxRefundBooks } from '../domain/sandbox-books.ts';

/** Refunds of the sandbox, which gives back what it has taken and no more. */
export const sandboxRefunds = (books: SandboxRefundBooks, clock: Clock): RefundProvider => ({
  async refund({ organisationId }, { id: idempotencyKey, paymentReference, amountMinor: amount }) {
    const id = `re_${newId().replaceAll('-', '')}`;
    const refund = { id, idempotencyKey, paymentId: paymentReference, amount };
    const made = await books.addRefund(organisationId, refund, clock.now());
    return made
      ? { status: 'succeeded', reference: made.id }
      : { status: 'failed', reference: '', reason: 'amount_too_large' };
  },

  async findRefund({ organisationId }, { id }) {
    const made = await books.refund(organisationId, id);
    return made && { status: 'succeeded', reference: made.id };
  },
});
