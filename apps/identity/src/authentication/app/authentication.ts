import { newId, type Clock } from '@platform-backend/core';
import type { KeyUses } from '../../api-keys/app/key-uses.ts';
import type { Credentials, EndedSessions, TokenSession } from '../domain/credentials.ts';
import {
  asksWhereSuspended,
  callerOfApiKey,
  callerOfUser,
  type ResolvedCaller,
  type OrganisationChoice,
} from '../domain/resolved-caller.ts';
import { userFromToken, type TokenPerson } from '../domain/user.ts';

/** No issuer makes access tokens that last for longer. */
const ENDED_SESSIONS_KEPT_MS = 30 * 24 * 60 * 60 * 1000;

export interface AuthenticationPorts {
  readonly credentials: Credentials;
  readonly keyUses: Pick<KeyUses, 'note'>;
  readonly clock: Clock;
}

export type AuthenticationUseCases = ReturnType<typeof authenticationUseCases>;

export const authenticationUseCases = ({ credentials, keyUses, clock }: AuthenticationPorts) => ({
  /** The user of a verified token, made on first sight, with the membership the request acts under. */
  async resolveUser(person: TokenPerson, session: TokenSession, wanted: OrganisationChoice): Promise<ResolvedCaller> {
    const { user, memberships } = await credentials.userWithMemberships(person, session, (known) =>
      userFromToken(known, person, newId),
    );
    const suspendedIn = asksWhereSuspended(memberships, wanted) ? await credentials.suspendedIn(user.id) : [];
    return callerOfUser(user, memberships, wanted, suspendedIn);
  },

  /** Ends a session at the issuer, or all of a subject: each look-up from now on refuses their tokens. */
  endSessions: (ended: EndedSessions): Promise<void> => credentials.endSessions(ended),

  /** By then no token of these sessions is good any more by itself. */
  forgetEndedSessions: (): Promise<number> =>
    credentials.forgetEndedSessions(new Date(clock.now().getTime() - ENDED_SESSIONS_KEPT_MS)),

  /** The caller a key stands for, by the key's SHA-256. */
  async resolveApiKey(hash: Uint8Array): Promise<ResolvedCaller> {
    const [found, at] = [await credentials.apiKeyByHash(hash), clock.now()];
    const caller = callerOfApiKey(found, at);
    if (found) keyUses.note({ organisationId: found.organisationId, apiKeyId: found.apiKeyId, at });
    return caller;
  },
});
