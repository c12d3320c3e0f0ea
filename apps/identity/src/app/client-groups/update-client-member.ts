import type { Acting } from '../../domain/acting.ts';
import { changeClientMember, type ChangeClientMember } from '../../domain/client-groups/change-client-members.ts';
import type { ClientMember } from '../../domain/client-groups/client-group.ts';
import type { IdentityParts } from '../identity-parts.ts';

/** Changes the fields given of a client in a client group. */
export const updateClientMember =
  ({ clientGroups, clock }: IdentityParts) =>
  (by: Acting, groupId: string, memberId: string, wanted: ChangeClientMember): Promise<ClientMember> => {
    const at = clock.now();
    return clientGroups.members.update(by, groupId, memberId, (member) =>
      changeClientMember(groupId, member, wanted, at),
    );
  };
