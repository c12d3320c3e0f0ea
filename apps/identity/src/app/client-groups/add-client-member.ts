import type { Acting } from '../../domain/acting.ts';
import { addClientMember as decide } from '../../domain/client-groups/change-client-members.ts';
import type { ClientMember } from '../../domain/client-groups/client-group.ts';
import type { IdentityParts } from '../identity-parts.ts';

/** Adds a client to a client group. */
export const addClientMember =
  ({ clientGroups, clock, newId }: IdentityParts) =>
  (by: Acting, groupId: string, wanted: Omit<ClientMember, 'id' | 'createdAt'>): Promise<ClientMember> => {
    const at = clock.now();
    const member: ClientMember = { ...wanted, id: newId(), createdAt: at };
    return clientGroups.members.add(by, groupId, decide(groupId, member, at));
  };
