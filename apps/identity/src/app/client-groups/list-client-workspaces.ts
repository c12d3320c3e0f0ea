import type { ClientWorkspace } from '../../domain/client-groups/client-group.ts';
import type { Page, PageRequest } from '@platform/core';
import type { IdentityParts } from '../identity-parts.ts';

/** The workspaces of a client group. */
export const listClientWorkspaces =
  ({ clientGroups }: IdentityParts) =>
  (organisationId: string, groupId: string, page: PageRequest): Promise<Page<ClientWorkspace>> =>
    clientGroups.workspaces.list(organisationId, groupId, page);
