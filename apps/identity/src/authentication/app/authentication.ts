import type { Clock } from '@platform-backend/core';
import type { KeyUses } from '../../api-keys/app/key-uses.ts';
import type { Credentials } from '../domain/credentials.ts';
import {
  callerOfApiKey,
  callerOfUser,
  type ResolvedCaller,
  type OrganisationChoice,
} from '../domain/resolved-caller.ts';
import { userFromToken, type TokenPerson } from '../domain/user.ts';

export interface AuthenticationPorts {
  readonly credentials: Credentials;
  readonly keyUses: Pick<KeyUses, 'note'>;
  readonly clock: Clock;
  readonly newId: () => string;
}

export type AuthenticationUseCases = ReturnType<typeof authenticationUseCases>;

export const authenticationUseCases = ({ credentials, keyUses, clock, newId }: AuthenticationPorts) => ({
  /** The user of a verified token, made on first sight, with the membership the request acts under. */
  async resolveUser(person: TokenPerson, wanted: OrganisationChoice): Promise<ResolvedCaller> {
    const { user, memberships } = await credentials.userWithMemberships(person, (known) =>
      userFromToken(known, person, newId),
    );
    return callerOfUser(user, memberships, wanted);
  },

  /** The caller a key stands for, by the key's SHA-256. */
  async resolveApiKey(hash: Uint8Array): Promise<ResolvedCaller> {
    const [found, at] = [await credentials.apiKeyByHash(hash), clock.now()];
    const caller = callerOfApiKey(found, at);
    if (found) keyUses.note({ organisationId: found.organisationId, apiKeyId: found.apiKeyId, at });
    return caller;
  },
});
