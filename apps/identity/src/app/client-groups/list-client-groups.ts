import type { ClientGroup } from '../../domain/client-groups/client-group.ts';
import type { ClientGroupFilter } from '../../domain/client-groups/client-groups.ts';
import type { Page, PageRequest } from '@platform/core';
import type { IdentityParts } from '../identity-parts.ts';

/** Client groups with all that belongs to them. */
export const listClientGroups =
  ({ clientGroups }: IdentityParts) =>
  (organisationId: string, filter: ClientGroupFilter, page: PageRequest): Promise<Page<ClientGroup>> =>
    clientGroups.list(organisationId, filter, page);
