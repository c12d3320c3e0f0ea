import type { Organisation, OrganisationServiceClient } from '@platform-backend/contract-identity';
import type { Closable, CallOptions } from '@platform-backend/grpc';
import type { NameDirectory } from '../../invoices/app/organisation-names.ts';
import type { OrganisationDirectory } from '../app/run-subscription-change.ts';

/** Identity over gRPC, called on billing's own authority. */
export const identityOrganisations = (
  client: Pick<OrganisationServiceClient<CallOptions>, 'applySubscription' | 'resolveOrganisation'>,
): OrganisationDirectory & NameDirectory => ({
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

  async nameOf(organisationId, requestId) {
    const { name } = await client.resolveOrganisation({ organisationId }, { requestId, timeoutMs: nameTimeoutMs });
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

/** Short: whoever pays or looks at an invoice waits, and there are other ways to a name. */
const nameTimeoutMs = 2_000;

/** Shorter than a request's own deadline, so that its caller hears of it in time. */
const timeoutMs = 5_000;

export type IdentityClient = OrganisationServiceClient<CallOptions> & Closable;
