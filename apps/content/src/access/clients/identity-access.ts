import type { ClientGroupServiceClient, MemberServiceClient } from '@platform-backend/contract-identity';
import { expiringCache, type Clock } from '@platform-backend/core';
import type { CallOptions } from '@platform-backend/grpc';
import type { ClientGroups, GroupAccess } from '../domain/groups.ts';
import type { Reader } from '../domain/opening.ts';

/** As long as somebody's groups are believed, in milliseconds: less than callers themselves are. */
const BELIEVED_MS = 1_000;
const MAX_READERS = 10_000;
const TIMEOUT_MS = 3_000;

interface Identity {
  readonly clientGroups: ClientGroupServiceClient<CallOptions>;
  readonly members: MemberServiceClient<CallOptions>;
}

/** Identity over gRPC, called on this service's own authority. Who asks at the same time about the same shares one call. */
export function identityAccess({ clientGroups, members }: Identity, clock: Clock): ClientGroups {
  const known = expiringCache<Promise<GroupAccess>>({ maxEntries: MAX_READERS, clock });
  return {
    accessOf(reader) {
      if (reader.kind === 'nobody') return Promise.resolve(NOTHING);
      const [subject, name] =
        reader.kind === 'member'
          ? [{ userId: reader.userId }, `user/${reader.userId}`]
          : [{ apiKeyId: reader.apiKeyId }, `key/${reader.apiKeyId}`];
      const key = `${reader.organisationId}/${name}`;
      const before = known.get(key);
      if (before) return before;
      const options = { caller: { organisationId: reader.organisationId }, timeoutMs: TIMEOUT_MS };
      const asked = clientGroups.resolveClientAccess(subject, options);
      // What failed is asked again at once.
      asked.catch(() => known.delete(key));
      known.set(key, asked, clock.now().getTime() + BELIEVED_MS);
      return asked;
    },
    async presentGroups({ organisationId, requestId }, ids) {
      const options = { caller: { organisationId }, requestId, timeoutMs: TIMEOUT_MS };
      return new Set((await clientGroups.resolveClientGroups({ groupIds: [...ids] }, options)).groupIds);
    },
    async presentMembers({ organisationId, requestId }, ids) {
      const options = { caller: { organisationId }, requestId, timeoutMs: TIMEOUT_MS };
      const { members: present } = await members.resolveMembers({ userIds: [...ids] }, options);
      return new Set(present.map(({ userId }) => userId));
    },
  };
}

const NOTHING: GroupAccess = { groupIds: [], files: [], folders: [], assets: [] };

/** Where nobody has said where identity is: the group that the caller's assertion names. */
export const assertedAccess = (reader: Reader): Promise<GroupAccess> =>
  Promise.resolve({
    ...NOTHING,
    ...(reader.kind !== 'nobody' && reader.groupId !== undefined && { groupIds: [reader.groupId] }),
  });
