import type { MemberServiceClient, OrganisationServiceClient } from '@platform-backend/contract-identity';
import type { CallOptions } from '@platform-backend/grpc';
import type { FindAdministrators } from '../domain/billing-mails.ts';

const timeoutMs = 5_000;

/** Identity over gRPC, called on billing's own authority. */
export const identityAdministrators =
  (
    organisations: Pick<OrganisationServiceClient<CallOptions>, 'getCurrentOrganisation'>,
    members: Pick<MemberServiceClient<CallOptions>, 'resolveMembers'>,
  ): FindAdministrators =>
  async (organisationId, requestId) => {
    const options = { caller: { organisationId }, requestId, timeoutMs };
    const organisation = await organisations.getCurrentOrganisation({}, options);
    const userIds = organisation.members
      .filter(({ permissionLevel: level }) => level === 'ADMIN' || level === 'OWNER')
      .flatMap(({ user }) => (user ? [user.id] : []))
      .slice(0, maxRecipients);
    // Of those that the organisation shows some may be suspended.
    const { members: active } = await members.resolveMembers({ userIds }, options);
    return active.map(({ name, email }) => ({ name, email }));
  };

/** As many as a mail server takes at once, and more than administer any organisation. */
const maxRecipients = 50;
