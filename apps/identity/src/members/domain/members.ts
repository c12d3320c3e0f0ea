import type { ActorContext, Page, PageRequest } from '@platform-backend/core';
import type { Decide } from '../../events.ts';
import type { Member, MemberStatus } from './member.ts';
import type { Roster } from './roster.ts';

/** Which members a decision is about. */
export interface RosterSelection {
  readonly memberIds?: readonly string[];
  readonly userId?: string | null;
  /** Everybody who was invited under this address or signs in with it. */
  readonly email?: string;
  /** When it is asked for: invitations that have expired by then are not open. */
  readonly at: Date;
}

/** An open invitation as the invited person sees it. */
export interface Invitation {
  readonly id: string;
  readonly organisationId: string;
  readonly organisationName: string;
  readonly member: Member;
}

/** Where members are kept. Every change commits together with its events and audit entries, or not at all. */
export interface Members {
  /**
   * Decides while the organisation's row is locked, so changes of one organisation's members happen one after the
   * other. `decide` is synchronous: nothing can wait on a network meanwhile. NOT_FOUND: no such organisation.
   */
  readonly update: (
    by: ActorContext,
    selection: RosterSelection,
    decide: Decide<Roster, Roster, Member>,
  ) => Promise<Member>;
  /** NOT_FOUND: none, or removed. */
  readonly get: (organisationId: string, memberId: string) => Promise<Member>;
  /** Oldest first. */
  readonly list: (
    organisationId: string,
    statuses: readonly MemberStatus[],
    page: PageRequest,
  ) => Promise<Page<Member>>;
  /** The active ones among these users. */
  readonly activeOf: (organisationId: string, userIds: readonly string[]) => Promise<readonly Member[]>;
  /** The organisation an open invitation to this address belongs to. NOT_FOUND: none. */
  readonly organisationOfInvitation: (invitationId: string, email: string) => Promise<string>;
  /** Invitations to this address that can still be accepted at `at`, newest first. */
  readonly listInvitations: (email: string, at: Date, page: PageRequest) => Promise<Page<Invitation>>;
}
