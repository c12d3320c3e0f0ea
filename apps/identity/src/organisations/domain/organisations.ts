import type { ActorContext, Decision, Page, PageRequest, PermissionLevel } from '@platform-backend/core';
import type { IdentityEvent } from '../../events.ts';
import type { MemberStatus, MemberUser } from '../../members/domain/member.ts';
import type { FoundedOrganisation } from './found-organisation.ts';
import type { Organisation } from './organisation.ts';

/** A member as everybody in the organisation sees one. */
export interface OrganisationMember {
  readonly id: string;
  readonly user: MemberUser;
  readonly level: PermissionLevel;
  readonly status: MemberStatus;
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
  readonly add: (
    by: ActorContext,
    founded: Decision<FoundedOrganisation, IdentityEvent>,
  ) => Promise<FoundedOrganisation>;
  /**
   * `decide` sees the locked organisation and how many members are active; nobody can join or leave before it is written,
   * and it is synchronous: nothing can wait on a network meanwhile. Null deletes the organisation and everything in it
   * except the audit log. NOT_FOUND: none.
   */
  readonly update: (
    by: ActorContext,
    decide: (
      organisation: Organisation,
      activeMembers: number,
    ) => Decision<Organisation | null, IdentityEvent, Organisation>,
  ) => Promise<Organisation>;
  /** NOT_FOUND: none. */
  readonly get: (organisationId: string) => Promise<Organisation>;
  /** NOT_FOUND: none. */
  readonly getWithMembers: (organisationId: string) => Promise<OrganisationWithMembers>;
  /** The organisations a user is an active member of, newest first. */
  readonly listOfUser: (userId: string, page: PageRequest) => Promise<Page<OrganisationOfUser>>;
}
