import type { Acting } from '../../domain/acting.ts';
import { deleteOrganisation as decide } from '../../domain/organisations/change-organisation.ts';
import type { IdentityParts } from '../identity-parts.ts';

/** Deletes the acting caller's organisation for all its members; answers its id. */
export const deleteOrganisation =
  ({ organisations, clock }: IdentityParts) =>
  async (by: Acting): Promise<string> => {
    const at = clock.now();
    const deleted = await organisations.remove(by, (organisation) => decide(organisation, at));
    return deleted.id;
  };
