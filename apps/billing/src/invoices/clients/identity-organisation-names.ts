import type { OrganisationServiceClient } from '@platform-backend/contract-identity';
import type { CallOptions } from '@platform-backend/grpc';
import type { NameDirectory } from '../app/organisation-names.ts';

/** Shorter than reading may take: whoever pays or looks at an invoice waits, and there are other ways to a name. */
const timeoutMs = 1_000;

/** Identity over gRPC, called on billing's own authority. */
export const identityOrganisationNames = (
  client: Pick<OrganisationServiceClient<CallOptions>, 'resolveOrganisation'>,
): NameDirectory => ({
  async nameOf(organisationId, requestId) {
    const { name } = await client.resolveOrganisation({ organisationId }, { requestId, timeoutMs });
    return name;
  },
});
