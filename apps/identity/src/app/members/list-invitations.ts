import type { Invitation } from '../../domain/members/members.ts';
import type { Page, PageRequest } from '@platform/core';
import type { IdentityParts } from '../identity-parts.ts';
import type { Person } from '../person.ts';

/** The open invitations for a person's own address; none while nobody vouches that it is theirs. */
export const listInvitations =
  ({ members, clock }: IdentityParts) =>
  (person: Person, page: PageRequest): Promise<Page<Invitation>> =>
    members.listInvitations(person.emailVerified ? person.email : '', clock.now(), page);
