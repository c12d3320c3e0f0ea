import type { ClientGroupServiceClient } from '@platform-backend/contract-identity';
import type { CallOptions } from '@platform-backend/grpc';
import { microsPerCredit } from '../../credits/domain/credits.ts';
import type { PolicyDirectory } from '../app/client-policies.ts';
import type { UsageDirectory } from '../app/report-usage.ts';
import { clientPolicyOf } from '../domain/client-policy.ts';
import { dayOf, startOfDay } from '../domain/days.ts';

/** Short: a gateway waits for the lease that needs it. */
const timeoutMs = 2_000;

/** Identity over gRPC, called on billing's own authority. */
export const identityClientGroups = (
  client: Pick<ClientGroupServiceClient<CallOptions>, 'resolveClientPolicy' | 'recordClientGroupUsage'>,
): PolicyDirectory & UsageDirectory => ({
  async policyOf(organisationId, clientGroupId, requestId) {
    const request = { organisationId, groupId: clientGroupId };
    const { groupId, version, isDefault, policy, groupCreatedAt } = await client.resolveClientPolicy(request, {
      requestId,
      timeoutMs,
    });
    return {
      clientGroupId: groupId,
      version: BigInt(version),
      isDefault,
      countedFrom: dayOf(groupCreatedAt ?? new Date(0)),
      policy: policy && clientPolicyOf(policy),
    };
  },

  async recordUsage(organisationId, groupId, { usage, version, period }, requestId) {
    await client.recordClientGroupUsage(
      {
        organisationId,
        groupId,
        version: String(version),
        usage: {
          requests: Number(usage.requests),
          ai_credits: wholeCredits(usage.aiCredits),
          infrastructure_credits: wholeCredits(usage.infrastructureCredits),
          ai_credits_micros: Number(usage.aiCredits),
          infrastructure_credits_micros: Number(usage.infrastructureCredits),
          period_started_at: startOfDay(period.startsOn).toISOString(),
          period_ends_at: startOfDay(period.endsOn).toISOString(),
        },
      },
      { requestId, timeoutMs },
    );
  },
});

/** As the specification has it, a credit that was begun counts; in micros it stands beside. */
const wholeCredits = (micros: bigint): number => Number((micros + microsPerCredit - 1n) / microsPerCredit);
