import type { Closable, CallOptions } from '@platform/grpc';
import type { OrganisationServiceClient } from '@platform/contract/identity';
import type { NameDirectory } from '../app/invoices/invoice-parts.ts';
import type { OrganisationDirectory } from '../app/subscriptions/organisation-directory.ts';

/** Identity over gRPC, called on billing's own authority. */
export const identityOrganisations = (
  client: Pick<OrganisationServiceClient<CallOptions>, 'applySubscription' | 'getCurrentOrganisation'>,
): OrganisationDirectory => ({
  async applyPlan({ organisationId, plan, version, mostActiveMembers, requestId }) {
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
        mostActiveMembers,
      },
      { requestId, timeoutMs },
    );
    return name;
  },

  get: (organisationId, requestId) => {
    const caller = { kind: 'service', service: 'billing', organisationId, scopes: [] } as const;
    return client.getCurrentOrganisation({}, { caller, requestId, timeoutMs });
  },
});

/** What identity calls an organisation, asked on billing's own authority. */
export const identityNames = (
  client: Pick<OrganisationServiceClient<CallOptions>, 'resolveOrganisation'>,
): NameDirectory => ({
  async nameOf(organisationId, requestId) {
    const { name } = await client.resolveOrganisation({ organisationId }, { requestId, timeoutMs: nameTimeoutMs });
    return name;
  },
});

/** Short: whoever pays or looks at an invoice waits, and there are other ways to a name. */
const nameTimeoutMs = 2_000;

/** Shorter than a request's own deadline, so that its caller hears of it in time. */
const timeoutMs = 5_000;

export type IdentityClient = OrganisationServiceClient<CallOptions> & Closable;
