import type { Area } from '@platform-backend/service';
import type { IdentityContext, service } from '../service.ts';
import { clientGroupHandlers } from './api/client-group-handlers.ts';
import { clientGroupUseCases } from './app/client-groups.ts';
import { clientAccessStore } from './store/client-access-store.ts';
import { clientGroupsStore } from './store/client-groups-store.ts';

/** Client groups: an organisation's clients with their workspaces, what they may reach and how much they may use. */
export const clientGroupsArea = ({ storage, clock }: IdentityContext) => {
  const { database } = storage;
  const [clientGroups, accessGroups] = [clientGroupsStore(database), clientAccessStore(database)];
  const app = clientGroupUseCases({ clientGroups, accessGroups, clock });
  return {
    handlers: { ClientGroupService: clientGroupHandlers(app, clock) },
    exports: {},
  } satisfies Area<typeof service.declaration>;
};
