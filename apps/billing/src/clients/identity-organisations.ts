import type { Closable, CallOptions } from '@platform/grpc';
import type { OrganisationServiceClient } from '@platform/contract/identity';
import type { OrganisationDirectory } from '../app/subscriptions/organisation-directory.ts';

/** Identity over gRPC, called on billing's own authority. */
export const identityOrganisations = (
  client: Pick<OrganisationServiceClient<CallOptions>, 'applySubscription'>,
): OrganisationDirectory => ({
  applyPlan: ({ organisationId, plan, version, mostActiveMembers, requestId }) =>
    client.applySubscription(
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
        mostActiveMembers,
      },
      { requestId, timeoutMs },
    ),
});

/** Shorter than a request's own deadline, so that its caller hears of it in time. */
const timeoutMs = 5_000;

export type IdentityClient = OrganisationServiceClient<CallOptions> & Closable;
