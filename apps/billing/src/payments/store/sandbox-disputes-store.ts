import { bigintColumn, columns, type Database } from '@platform-backend/postgres';
import { firstDueAt, inScope } from '../../test-clocks/store/in-scope.ts';
import type { SandboxDispute, SandboxDisputeBooks } from '../domain/sandbox-books.ts';

const disputeColumns = columns<SandboxDispute>({
  id: 'id',
  organisationId: 'organisation_id',
  paymentId: 'payment_id',
  amount: bigintColumn('amount'),
  currency: 'currency',
  reason: 'reason',
  state: 'state',
  ends: 'ends',
  nextReportAt: 'next_report_at',
});

/** What is disputed in the sandbox, in PostgreSQL. */
export const sandboxDisputesStore = (database: Database): SandboxDisputeBooks => ({
  addDispute: (dispute) =>
    database.tenant(dispute.organisationId, async (trx) => {
      await trx('sandbox_disputes').insert(disputeColumns.write(dispute)).onConflict().ignore();
    }),

  dueDisputes: (at, scope, limit) =>
    database.system({ 'app.schedule': 'payments' }, async (trx) => {
      const due = trx('sandbox_disputes').where('next_report_at', '<=', at).orderBy('next_report_at').limit(limit);
      return (await inScope(due, scope).select<object[]>()).map(disputeColumns.read);
    }),

  firstDisputeAt: (scope) =>
    database.system({ 'app.schedule': 'payments' }, (trx) =>
      firstDueAt(trx('sandbox_disputes'), scope, 'next_report_at'),
    ),

  updateDispute: (dispute) =>
    database.tenant(dispute.organisationId, async (trx) => {
      const { organisationId, id } = dispute;
      await trx('sandbox_disputes')
        .where({ organisation_id: organisationId, id })
        .update(disputeColumns.write(dispute));
    }),

  nextDisputeAt: (organisationId) =>
    database.tenant(organisationId, async (trx) => {
      const of = trx('sandbox_disputes').where({ organisation_id: organisationId });
      const [next] = await of.min<{ at: Date | null }[]>({ at: 'next_report_at' });
      return next?.at ?? null;
    }),
});
