import type { Member } from '../../domain/members/member.ts';
import type { IdentityParts } from '../identity-parts.ts';

/** A member or an open invitation. */
export const getMember =
  ({ members }: IdentityParts) =>
  (organisationId: string, memberId: string): Promise<Member> =>
    members.get(organisationId, memberId);
