import type { Acting } from '../acting.ts';
import type { Decision } from '../identity-event.ts';
import type { MemberUser } from '../members/member.ts';
import type { PermissionLevel } from '../members/permission-level.ts';
import type { Page, PageRequest } from '@platform/core';
import type { FoundedOrganisation } from './found-organisation.ts';
import type { Organisation } from './organisation.ts';

/** A member as everybody in the organisation sees one. */
export interface OrganisationMember {
  readonly id: string;
  readonly user: MemberUser;
  readonly level: PermissionLevel;
}

/** An organisation as it is read: with its active and suspended members, oldest first. */
export interface OrganisationWithMembers extends Organisation {
  readonly members: readonly OrganisationMember[];
}

/** An organisation as a list shows it to one of its members. */
export interface OrganisationOfUser extends Organisation {
  /** The active and suspended ones. */
  readonly memberCount: number;
  /** The user's own. */
  readonly level: PermissionLevel;
}

/** Where organisations are kept. Every change commits together with its events and audit entries, or not at all. */
export interface Organisations {
  add(by: Acting, founded: Decision<FoundedOrganisation>): Promise<void>;
  /** `decide` sees the locked row and is synchronous: nothing can wait on a network meanwhile. NOT_FOUND: none. */
  update<Result>(by: Acting, decide: (organisation: Organisation) => Decision<Organisation, Result>): Promise<Result>;
  /** As `update`, knowing how many members are active; nobody can join or leave before it is decided and written. */
  updateKnowingMembers<Result>(
    by: Acting,
    decide: (organisation: Organisation, activeMembers: number) => Decision<Organisation, Result>,
  ): Promise<Result>;
  /** Deletes the organisation and everything in it except the audit log. NOT_FOUND: none, or deleted already. */
  remove<Result>(by: Acting, decide: (organisation: Organisation) => Decision<Organisation, Result>): Promise<Result>;
  /** NOT_FOUND: none. */
  get(organisationId: string): Promise<Organisation>;
  /** NOT_FOUND: none. */
  getWithMembers(organisationId: string): Promise<OrganisationWithMembers>;
  /** The organisations a user is an active member of, newest first. */
  listOfUser(userId: string, page: PageRequest): Promise<Page<OrganisationOfUser>>;
}
