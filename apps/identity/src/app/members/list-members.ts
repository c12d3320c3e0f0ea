import type { Member, MemberStatus } from '../../domain/members/member.ts';
import type { Page, PageRequest } from '@platform/core';
import type { IdentityParts } from '../identity-parts.ts';

/** What "members" means when nobody says otherwise: everybody who belongs or is about to. */
const presentStatuses: readonly MemberStatus[] = ['invited', 'active', 'suspended'];

/** Members and open invitations of an organisation; removed members only when asked for. */
export const listMembers =
  ({ members }: IdentityParts) =>
  (organisationId: string, statuses: readonly MemberStatus[], page: PageRequest): Promise<Page<Member>> =>
    members.list(organisationId, statuses.length === 0 ? presentStatuses : statuses, page);
