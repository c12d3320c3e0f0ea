import type { Acting } from '../../domain/acting.ts';
import { removeClientPolicy as decide } from '../../domain/client-groups/change-client-group.ts';
import type { ClientGroup } from '../../domain/client-groups/client-group.ts';
import type { IdentityParts } from '../identity-parts.ts';

/** Takes the usage policy of a client group away. */
export const removeClientPolicy =
  ({ clientGroups, clock }: IdentityParts) =>
  (by: Acting, groupId: string): Promise<ClientGroup> => {
    const at = clock.now();
    return clientGroups.update(by, groupId, (group) => decide(group, at));
  };
