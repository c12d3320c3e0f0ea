import type { Acting } from '../../domain/acting.ts';
import { removeClientMember as decide } from '../../domain/client-groups/change-client-members.ts';
import type { ClientMember } from '../../domain/client-groups/client-group.ts';
import type { IdentityParts } from '../identity-parts.ts';

/** Takes a client out of a client group. */
export const removeClientMember =
  ({ clientGroups, clock }: IdentityParts) =>
  (by: Acting, groupId: string, memberId: string): Promise<ClientMember> => {
    const at = clock.now();
    return clientGroups.members.remove(by, groupId, memberId, (member) => decide(groupId, member, at));
  };
