import type { Acting } from '../../domain/acting.ts';
import type { ClientGroup, WholeClientGroup } from '../../domain/client-groups/client-group.ts';
import { createClientGroup as decide } from '../../domain/client-groups/create-client-group.ts';
import type { IdentityParts } from '../identity-parts.ts';

/** Makes a client group in the caller's organisation. */
export const createClientGroup =
  ({ clientGroups, clock, newId }: IdentityParts) =>
  (by: Acting, wanted: Pick<ClientGroup, 'name' | 'description'>): Promise<WholeClientGroup> =>
    clientGroups.add(by, decide({ ...wanted, id: newId() }, clock.now()));
