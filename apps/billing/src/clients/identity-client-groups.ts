import type { ClientGroupServiceClient } from '@platform/contract/identity';
import type { CallOptions, Closable } from '@platform/grpc';
import type { ClientGroupDirectory } from '../app/usage/usage-parts.ts';
import { creditsToMicros, microsPerCredit } from '../domain/credits/credits.ts';
import { dayOf, startOfDay } from '../domain/days.ts';

export type ClientGroupsClient = ClientGroupServiceClient<CallOptions> & Closable;

/** Short: a gateway waits for the lease that needs it. */
const timeoutMs = 2_000;

/** Identity over gRPC, called on billing's own authority. */
export const identityClientGroups = (
  client: Pick<ClientGroupServiceClient<CallOptions>, 'resolveClientPolicy' | 'recordClientGroupUsage'>,
): ClientGroupDirectory => ({
  async policyOf(organisationId, clientGroupId, requestId) {
    const request = { organisationId, groupId: clientGroupId };
    const { groupId, policy, groupCreatedAt } = await client.resolveClientPolicy(request, { requestId, timeoutMs });
    return {
      clientGroupId: groupId,
      countedFrom: dayOf(groupCreatedAt ?? new Date(0)),
      policy: policy && {
        periodDays: policy.periodDays,
        aiCreditLimit: microsOf(policy.aiCreditLimit),
        infrastructureCreditLimit: microsOf(policy.infrastructureCreditLimit),
        requestLimit: policy.requestLimit === null ? null : BigInt(policy.requestLimit),
        hardStop: policy.hardStop,
      },
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
          period_started_at: startOfDay(period.startsOn).toISOString(),
          period_ends_at: startOfDay(period.endsOn).toISOString(),
        },
      },
      { requestId, timeoutMs },
    );
  },
});

/** A limit is in whole credits. */
const microsOf = (limit: string | null): bigint | null => (limit === null ? null : BigInt(limit) * creditsToMicros(1));

/** Usage is shown in whole credits; a credit that was begun counts. */
const wholeCredits = (micros: bigint): number => Number((micros + microsPerCredit - 1n) / microsPerCredit);
