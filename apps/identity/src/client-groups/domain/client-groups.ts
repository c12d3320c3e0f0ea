import type { ActorContext, Decision, Page, PageRequest } from '@platform-backend/core';
import type { Decide, IdentityEvent } from '../../events.ts';
import type { DefaultChange } from './change-client-group.ts';
import type { AccessSubject, OwnClientGroup } from './client-access.ts';
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
 * `decide` sees is locked, and it is synchronous: nothing can wait on a network meanwhile. NOT_FOUND: no such group.
 */
export interface ClientGroups {
  readonly add: <Result>(by: ActorContext, created: Decision<ClientGroup, IdentityEvent, Result>) => Promise<Result>;
  readonly update: (by: ActorContext, groupId: string, decide: Decide<ClientGroup>) => Promise<ClientGroup>;
  /** With the present default group besides; changes of the default happen one after the other. */
  readonly updateDefault: (by: ActorContext, groupId: string, decide: Decide<DefaultChange>) => Promise<DefaultChange>;
  /** CONFLICT: the group would become too large. */
  readonly updateAccess: (
    by: ActorContext,
    groupId: string,
    decide: Decide<ClientGroupAccess>,
  ) => Promise<ClientGroupAccess>;
  readonly get: (organisationId: string, groupId: string) => Promise<ClientGroup>;
  readonly getWhole: (organisationId: string, groupId: string) => Promise<WholeClientGroup>;
  /** The group that stands for an organisation's clients without a group of their own. */
  readonly getDefault: (organisationId: string) => Promise<ClientGroup>;
  /** Newest first. */
  readonly list: (organisationId: string, filter: ClientGroupFilter, page: PageRequest) => Promise<Page<ClientGroup>>;
  readonly members: ClientGroupParts<ClientMember>;
  readonly workspaces: ClientGroupParts<ClientWorkspace>;
}

/**
 * The members or the workspaces of client groups. A change of one neither reads nor holds the others. NOT_FOUND: no such
 * part in this group, or no such group. CONFLICT: no room for what is added or grows, or the e-mail is in the group already.
 */
export interface ClientGroupParts<Part> {
  readonly add: (by: ActorContext, groupId: string, added: Decision<Part, IdentityEvent>) => Promise<Part>;
  /** Null removes the part. */
  readonly update: (
    by: ActorContext,
    groupId: string,
    partId: string,
    decide: Decide<Part, Part | null, Part>,
  ) => Promise<Part>;
  /** Oldest first. */
  readonly list: (organisationId: string, groupId: string, page: PageRequest) => Promise<Page<Part>>;
}

/** Who is in which group, for services that hold access against it. */
export interface ClientAccessGroups {
  /** Those that a member or a key is in, oldest membership first; the default group where there is no other. Of strangers none. */
  readonly groupsOf: (organisationId: string, subject: AccessSubject) => Promise<readonly OwnClientGroup[]>;
  /** Those of these that are there and not archived. */
  readonly present: (organisationId: string, groupIds: readonly string[]) => Promise<readonly string[]>;
}
