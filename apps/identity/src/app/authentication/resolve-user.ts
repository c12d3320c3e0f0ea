import {
  callerOfUser,
  type ResolvedCaller,
  type WantedOrganisation,
} from '../../domain/authentication/resolved-caller.ts';
import { userFromToken, type TokenPerson } from '../../domain/users/user.ts';
import type { IdentityParts } from '../identity-parts.ts';

/** The user of a verified token, made on first sight, with the membership the request acts under. */
export const resolveUser =
  ({ credentials, newId }: IdentityParts) =>
  async (person: TokenPerson, wanted: WantedOrganisation): Promise<ResolvedCaller> => {
    const { user, memberships } = await credentials.userWithMemberships(person, (known) =>
      userFromToken(known, person, newId),
    );
    return callerOfUser(user, memberships, wanted);
  };
