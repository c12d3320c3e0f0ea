import type { Organisation, OrganisationServiceClient } from '@platform-backend/contract-identity';
import type { CallOptions } from '@platform-backend/grpc';
import type { OrganisationDirectory } from '../app/run-subscription-change.ts';

/** Identity over gRPC, called on billing's own authority. */
export const identityOrganisations = (
  client: Pick<OrganisationServiceClient<CallOptions>, 'applySubscription'>,
): OrganisationDirectory => ({
  async applyPlan({ organisationId, plan, version, maxActiveMembers, requestId }) {
    const { name } = await client.applySubscription(
      {
        organisationId,
        version: version.toString(),
        subscriptionTier: plan.tier,
        maxMemberLimit: plan.maxMemberLimit,
        seatsRenewalEnabled: plan.seatsRenewalEnabled,
        seatsRenewalCycle: plan.seatsRenewalCycle,
        seatsExpiredAt: plan.seatsExpiredAt,
        creditChecksEnabled: true,
        hasPlan: plan.hasPlan,
        mostActiveMembers: maxActiveMembers,
      },
      { requestId, timeoutMs },
    );
    return name;
  },
});

/**
 * The organisation as identity has it now, with its members, for answers that show it. NOT_FOUND: there is no such
 * organisation any more.
 */
export const currentOrganisation =
  (client: Pick<OrganisationServiceClient<CallOptions>, 'getCurrentOrganisation'>) =>
  (organisationId: string, requestId: string): Promise<Organisation> =>
    client.getCurrentOrganisation({}, { caller: { organisationId }, requestId, timeoutMs });

/** Shorter than a request's own deadline, so that its caller hears of it in time. */
const timeoutMs = 5_000;
