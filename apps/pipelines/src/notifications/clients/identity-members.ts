import type { MemberServiceClient } from '@platform-backend/contract-identity';
import type { CallOptions } from '@platform-backend/grpc';
import type { FindMembers } from '../domain/notifications.ts';

const timeoutMs = 5_000;

/** Identity over gRPC, called on this service's own authority. */
export const identityMembers =
  (client: Pick<MemberServiceClient<CallOptions>, 'resolveMembers'>): FindMembers =>
  async ({ organisationId, requestId }, userIds) => {
    const options = { caller: { organisationId }, requestId, timeoutMs };
    const { members } = await client.resolveMembers({ userIds: [...userIds] }, options);
    return members.flatMap(({ permissionLevel: level, ...member }) => (level ? [{ ...member, level }] : []));
  };
