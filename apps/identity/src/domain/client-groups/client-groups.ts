import type { Acting } from '../acting.ts';
import type { Decision } from '../identity-event.ts';
import type { Page, PageRequest } from '@platform/core';
import type { DefaultChange } from './change-client-group.ts';
import type { ClientGroup, ClientMember, ClientWorkspace } from './client-group.ts';

export interface ClientGroupFilter {
  readonly archived: boolean;
  /** Part of the name, in any case. */
  readonly search?: string;
}

/** Where client groups are kept. Every change commits together with its events and audit entries, or not at all. */
export interface ClientGroups {
  add(by: Acting, created: Decision<ClientGroup>): Promise<ClientGroup>;
  /** `decide` sees the locked group and is synchronous: nothing can wait on a network meanwhile. NOT_FOUND: none. */
  update<Result>(
    by: Acting,
    groupId: string,
    decide: (group: ClientGroup) => Decision<ClientGroup, Result>,
  ): Promise<Result>;
  /** Like `update`, with the present default group besides; changes of the default happen one after the other. */
  updateDefault<Result>(
    by: Acting,
    groupId: string,
    decide: (groups: DefaultChange) => Decision<DefaultChange, Result>,
  ): Promise<Result>;
  /** NOT_FOUND: none. */
  get(organisationId: string, groupId: string): Promise<ClientGroup>;
  /** The group that stands for an organisation's clients without a group of their own. NOT_FOUND: no organisation. */
  getDefault(organisationId: string): Promise<ClientGroup>;
  /** Newest first. */
  list(organisationId: string, filter: ClientGroupFilter, page: PageRequest): Promise<Page<ClientGroup>>;
  /** Oldest first. NOT_FOUND: no such group. */
  listMembers(organisationId: string, groupId: string, page: PageRequest): Promise<Page<ClientMember>>;
  /** Oldest first. NOT_FOUND: no such group. */
  listWorkspaces(organisationId: string, groupId: string, page: PageRequest): Promise<Page<ClientWorkspace>>;
}
