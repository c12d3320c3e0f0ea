import { bigintColumn, columns, type Database } from '@platform-backend/postgres';
import type { SandboxRefund, SandboxRefundBooks } from '../domain/sandbox-books.ts';

const refundColumns = columns<SandboxRefund>({
  id: 'id',
  idempotencyKey: 'idempotency_key',
  paymentId: 'payment_id',
  amount: bigintColumn('amount'),
});

/** What the sandbox has given back, in PostgreSQL. */
export const sandboxRefundsStore = (database: Database): SandboxRefundBooks => ({
  addRefund: (organisationId, refund, at) =>
    database.tenant(organisationId, async (trx) => {
      const ours = { organisation_id: organisationId };
      const payment = await trx('sandbox_payments')
        .where({ ...ours, id: refund.paymentId, status: 'succeeded' })
        .forUpdate()
        .first<{ amount: string } | undefined>('amount');
      const known = await trx('sandbox_refunds')
        .where({ ...ours, idempotency_key: refund.idempotencyKey })
        .first<object | undefined>();
      if (known) return refundColumns.read(known);
      const [given] = await trx('sandbox_refunds')
        .where({ ...ours, payment_id: refund.paymentId })
        .sum<{ amount: string | null }[]>({ amount: 'amount' });
      if (!payment || BigInt(given?.amount ?? 0) + refund.amount > BigInt(payment.amount)) return null;
      await trx('sandbox_refunds').insert({ ...refundColumns.write(refund), ...ours, created_at: at });
      return refund;
    }),

  refund: (organisationId, idempotencyKey) =>
    database.tenant(organisationId, async (trx) => {
      const named = { organisation_id: organisationId, idempotency_key: idempotencyKey };
      const row = await trx('sandbox_refunds').where(named).first<object | undefined>();
      return row ? refundColumns.read(row) : null;
    }),
});
