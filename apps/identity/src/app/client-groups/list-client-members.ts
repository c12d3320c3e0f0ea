import type { ClientMember } from '../../domain/client-groups/client-group.ts';
import type { Page, PageRequest } from '@platform/core';
import type { IdentityParts } from '../identity-parts.ts';

/** The members of a client group. */
export const listClientMembers =
  ({ clientGroups }: IdentityParts) =>
  (organisationId: string, groupId: string, page: PageRequest): Promise<Page<ClientMember>> =>
    clientGroups.members.list(organisationId, groupId, page);
