import type { Acting } from '../acting.ts';
import type { Decision } from '../identity-event.ts';
import type { Page, PageRequest } from '@platform/core';
import type { Member, MemberStatus } from './member.ts';
import type { Roster } from './roster.ts';

/** Which members a decision is about. */
export interface RosterSelection {
  readonly memberIds?: readonly string[];
  readonly userId?: string | null;
  /** Everybody who was invited under this address or signs in with it. */
  readonly email?: string;
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
  update<Result>(
    by: Acting,
    selection: RosterSelection,
    decide: (roster: Roster) => Decision<Roster, Result>,
  ): Promise<Result>;
  /** NOT_FOUND: none, or removed. */
  get(organisationId: string, memberId: string): Promise<Member>;
  /** Oldest first. */
  list(organisationId: string, statuses: readonly MemberStatus[], page: PageRequest): Promise<Page<Member>>;
  /** The organisation an open invitation to this address belongs to. NOT_FOUND: none. */
  organisationOfInvitation(invitationId: string, email: string): Promise<string>;
  /** Invitations to this address that can still be accepted at `at`, newest first. */
  listInvitations(email: string, at: Date, page: PageRequest): Promise<Page<Invitation>>;
}
