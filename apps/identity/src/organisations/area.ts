import { newUlid } from '@platform-backend/core';
import type { Area } from '@platform-backend/service';
import type { MembersExports } from '../members/area.ts';
import type { IdentityContext, service } from '../service.ts';
import { organisationHandlers } from './api/organisation-handlers.ts';
import { organisationUseCases } from './app/organisations.ts';
import { organisationsStore } from './store/organisations-store.ts';

/** Organisations: founded with an owner and a client group, changed, handed on, left and deleted. */
export const organisationsArea = (
  { storage, clock }: IdentityContext,
  { members }: { readonly members: MembersExports },
) => {
  const organisations = organisationsStore(storage.database);
  const newOrganisationId = () => newUlid('org_', clock.now());
  return {
    handlers: {
      OrganisationService: organisationHandlers(
        organisationUseCases({ organisations, members, clock, newOrganisationId }),
      ),
    },
    exports: {},
  } satisfies Area<typeof service.declaration>;
};
