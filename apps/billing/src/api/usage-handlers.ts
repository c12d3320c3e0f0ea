import type { QuotaLeaseInput, UsageRowInput, UsageServiceHandlers } from '@platform/contract/billing';
import type { CallContext } from '@platform/grpc';
import type { BillingApp } from '../app/billing-app.ts';
import type { QuotaLease, UsageRow } from '../domain/usage/usage.ts';
import { actingOf } from './acting.ts';
import { integerBetween, optionalUuid, pageRequest, required, uuidOf } from './request-fields.ts';

export const usageHandlers = (app: BillingApp): UsageServiceHandlers<CallContext> => ({
  async getUsage(request, context) {
    const wanted = {
      groupBy: request.groupBy ?? ('day' as const),
      after: request.createdAfter,
      before: request.createdBefore,
      clientGroupId: optionalUuid(request.clientGroupId, 'client_group_id'),
      apiKeyId: optionalUuid(request.apiKeyId, 'api_key_id'),
    };
    const page = await app.getUsage(context.organisationId(), wanted, pageRequest(request));
    return { usage: page.items.map(rowMessage), nextCursor: page.nextCursor, totalCount: page.total };
  },

  async leaseQuota(request, context) {
    const lastId = optionalUuid(request.lastLeaseId, 'last_lease_id');
    const lease = await app.leaseQuota(actingOf(context), {
      leaseId: uuidOf(request.leaseId, 'lease_id'),
      clientGroupId: optionalUuid(request.clientGroupId, 'client_group_id'),
      apiKeyId: optionalUuid(request.apiKeyId, 'api_key_id'),
      requested: integerBetween(request.requested, 'requested', 0, largestLease),
      last: lastId === null ? null : { id: lastId, used: usedOf(request.usedOfLastLease) },
    });
    return leaseMessage(lease);
  },

  async recordUsage({ records }, context) {
    integerBetween(records.length, 'records', 1, 1000);
    await app.recordUsage(
      actingOf(context),
      records.map((record) => ({
        id: uuidOf(record.id, 'records'),
        clientGroupId: optionalUuid(record.clientGroupId, 'client_group_id'),
        apiKeyId: optionalUuid(record.apiKeyId, 'api_key_id'),
        requests: BigInt(integerBetween(Number(record.requests), 'requests', 0, 1_000_000_000)),
        occurredAt: required(record.occurredAt, 'occurred_at'),
      })),
    );
    return {};
  },
});

const largestLease = 10_000;
const usedOf = (used: number): number => integerBetween(used, 'used_of_last_lease', 0, largestLease);

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
