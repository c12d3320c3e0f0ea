import type { ClientGroupServiceClient, MemberServiceClient } from '@platform-backend/contract-identity';
import type { CallOptions } from '@platform-backend/grpc';
import type { Area } from '@platform-backend/service';
import type { ContentContext, service } from '../service.ts';
import { handlersForReaders } from './api/handlers-for-readers.ts';
import { admitAccess } from './app/admit-access.ts';
import { openingOf } from './app/opening-of.ts';
import { assertedAccess, identityAccess } from './clients/identity-access.ts';
import { presentReader } from './store/present-reader.ts';
import { restrictedCollectionsStore } from './store/restricted-collections-store.ts';

export type AccessExports = ReturnType<typeof accessArea>['exports'];

/** Access: who may open what, for all that can be restricted. */
export const accessArea = ({ storage, clock, client, clientIfThere }: ContentContext) => {
  const collections = restrictedCollectionsStore(storage.database);
  const members = client<MemberServiceClient<CallOptions>>('platform.identity.v1.MemberService');
  const clientGroups = client<ClientGroupServiceClient<CallOptions>>('platform.identity.v1.ClientGroupService');
  const isThere = clientIfThere('platform.identity.v1.ClientGroupService') !== undefined;
  const asked = identityAccess({ clientGroups, members }, clock);
  const groups = isThere ? asked : { ...asked, accessOf: assertedAccess };
  const reader = presentReader(openingOf({ collections, groups }));
  return {
    exports: {
      collections,
      admitAccess: admitAccess({ collections, groups }),
      reader,
      forReaders: <Handlers extends object>(handlers: Handlers): Handlers => handlersForReaders(handlers, reader),
      removeAll: (organisationId: string) => collections.removeAll(organisationId),
    },
  } satisfies Area<typeof service.declaration>;
};
