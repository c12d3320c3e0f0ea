import type { QuotaLeaseInput, UsageRowInput, UsageServiceHandlers } from '@platform-backend/contract-billing';
import { listAnswer, type CallContext } from '@platform-backend/grpc';
import type { UsageUseCases } from '../app/usage.ts';
import type { QuotaLease, UsageRow } from '../domain/usage.ts';

export const usageHandlers = (app: UsageUseCases): UsageServiceHandlers<CallContext> => ({
  async getUsage(request, context) {
    const wanted = {
      groupBy: request.groupBy,
      after: request.createdAfter,
      before: request.createdBefore,
      clientGroupId: request.clientGroupId,
      apiKeyId: request.apiKeyId,
      memberId: request.memberId,
    };
    const page = await app.getUsage(context.organisationId(), wanted, request);
    return listAnswer('usage', page, rowMessage);
  },

  async leaseQuota(request, context) {
    const lease = await app.leaseQuota(context.actorContext(), {
      leaseId: request.leaseId,
      clientGroupId: request.clientGroupId,
      apiKeyId: request.apiKeyId,
      requested: request.requested,
      last: request.lastLeaseId === null ? null : { id: request.lastLeaseId, used: request.usedOfLastLease },
    });
    return leaseMessage(lease);
  },

  async recordUsage({ records }, context) {
    await app.recordUsage(
      context.actorContext(),
      records.map((record) => ({ ...record, requests: BigInt(record.requests) })),
    );
    return {};
  },
});

const rowMessage = (row: UsageRow): UsageRowInput => ({
  key: row.key,
  requests: String(row.requests),
  aiCreditsMicros: String(row.aiCredits),
  infrastructureCreditsMicros: String(row.infrastructureCredits),
});

const leaseMessage = (lease: QuotaLease): QuotaLeaseInput => ({
  leaseId: lease.id,
  granted: lease.granted,
  expiresAt: lease.expiresAt,
  state: lease.state,
  message: lease.message,
  requestLimit: lease.requestLimit?.toString() ?? null,
  requestsRemaining: lease.requestsRemaining?.toString() ?? null,
  resetsAt: lease.resetsAt,
  clientGroupId: lease.clientGroupId,
  exhausted: lease.exhausted,
});
