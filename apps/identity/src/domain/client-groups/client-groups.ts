import type { Acting } from '../acting.ts';
import type { Decision } from '../identity-event.ts';
import type { Page, PageRequest } from '@platform/core';
import type { DefaultChange } from './change-client-group.ts';
import type {
  ClientGroup,
  ClientGroupAccess,
  ClientMember,
  ClientWorkspace,
  WholeClientGroup,
} from './client-group.ts';

export interface ClientGroupFilter {
  readonly archived: boolean;
  /** Part of the name, in any case. */
  readonly search?: string;
}

/**
 * Where client groups are kept. Every change commits together with its events and audit entries, or not at all. What
 * `decide` sees is locked, and it is synchronous: nothing can wait on a network meanwhile.
 */
export interface ClientGroups {
  add<Result>(by: Acting, created: Decision<ClientGroup, Result>): Promise<Result>;
  /** NOT_FOUND: none. */
  update(by: Acting, groupId: string, decide: (group: ClientGroup) => Decision<ClientGroup>): Promise<ClientGroup>;
  /** Like `update`, with the present default group besides; changes of the default happen one after the other. */
  updateDefault(by: Acting, groupId: string, decide: (groups: DefaultChange) => Decision<DefaultChange>): Promise<void>;
  /** NOT_FOUND: none. CONFLICT: the group would become too large. */
  updateAccess(
    by: Acting,
    groupId: string,
    decide: (access: ClientGroupAccess) => Decision<ClientGroupAccess>,
  ): Promise<void>;
  /** NOT_FOUND: none. */
  get(organisationId: string, groupId: string): Promise<ClientGroup>;
  /** NOT_FOUND: none. */
  getWhole(organisationId: string, groupId: string): Promise<WholeClientGroup>;
  /** The group that stands for an organisation's clients without a group of their own. NOT_FOUND: no organisation. */
  getDefault(organisationId: string): Promise<ClientGroup>;
  /** Newest first. */
  list(organisationId: string, filter: ClientGroupFilter, page: PageRequest): Promise<Page<ClientGroup>>;
  readonly members: ClientGroupParts<ClientMember>;
  readonly workspaces: ClientGroupParts<ClientWorkspace>;
}

/** The members or the workspaces of client groups. A change of one neither reads nor holds the others. */
export interface ClientGroupParts<Part> {
  /** NOT_FOUND: no such group. CONFLICT: no room in the group, or the e-mail is in it already. */
  add(by: Acting, groupId: string, added: Decision<Part>): Promise<Part>;
  /** NOT_FOUND: no such part in this group, or no such group. CONFLICT: no room for what has grown. */
  update(by: Acting, groupId: string, partId: string, decide: (part: Part) => Decision<Part>): Promise<Part>;
  /** As `update`; answers what was removed. */
  remove(by: Acting, groupId: string, partId: string, decide: (part: Part) => Decision<Part>): Promise<Part>;
  /** Oldest first. NOT_FOUND: no such group. */
  list(organisationId: string, groupId: string, page: PageRequest): Promise<Page<Part>>;
}
