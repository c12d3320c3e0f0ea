import type { ActorContext } from '@platform-backend/core';

/** A signed-in person acting as themselves, member of an organisation or not. */
export interface Person {
  readonly id: string;
  readonly name: string;
  readonly email: string;
  /** Whether the identity provider vouches for the address. */
  readonly emailVerified: boolean;
  readonly requestId: string;
}

/** The person acting in an organisation they have no level in yet. */
export const personIn = (organisationId: string, { id, name, email, requestId }: Person): ActorContext => ({
  organisationId,
  actor: { type: 'user', id, name: name === '' ? email : name, userId: id, level: null },
  requestId,
});
