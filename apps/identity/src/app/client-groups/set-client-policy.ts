import type { Acting } from '../../domain/acting.ts';
import { setClientPolicy as decide } from '../../domain/client-groups/change-client-group.ts';
import type { ClientGroup, ClientPolicy } from '../../domain/client-groups/client-group.ts';
import type { IdentityParts } from '../identity-parts.ts';

/** Sets the whole usage policy of a client group. */
export const setClientPolicy =
  ({ clientGroups, clock }: IdentityParts) =>
  (by: Acting, groupId: string, policy: ClientPolicy): Promise<ClientGroup> => {
    const at = clock.now();
    return clientGroups.update(by, groupId, (group) => decide(group, policy, at));
  };
