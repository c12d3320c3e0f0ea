import { authorise, type Caller } from '@platform/auth';
import { unauthenticated } from '@platform/core';
import type { CallContext } from '@platform/grpc';
import type { Acting, Actor } from '../domain/acting.ts';
import { permissionLevels, type PermissionLevel } from '../domain/members/permission-level.ts';
import type { Person } from '../app/person.ts';

/** Who acts, in the organisation of the verified caller and never in one that a message names. */
export const actingOf = (context: CallContext, area: string): Acting => ({
  organisationId: context.organisationId(),
  actor: actorOf(context.caller, area),
  requestId: context.requestId,
});

/** A service acting on its own authority, for which the organisation is part of what it reports. */
export const actingService = ({ caller, requestId }: CallContext, organisationId: string): Acting => ({
  organisationId,
  actor: { type: 'service', id: caller.service, name: caller.service, userId: null, level: null },
  requestId,
});

/** The signed-in person, member of an organisation or not. */
export function personOf({ caller, requestId }: CallContext): Person {
  return {
    id: userIdOf(caller),
    name: caller.userName ?? '',
    email: caller.userEmail ?? '',
    emailVerified: caller.emailVerified ?? false,
    requestId,
  };
}

function actorOf(caller: Caller, area: string): Actor {
  const userId = userIdOf(caller);
  const name = caller.userName === undefined || caller.userName === '' ? (caller.userEmail ?? '') : caller.userName;
  if (caller.kind !== 'api_key') return { type: 'user', id: userId, name, userId, level: caller.level ?? null };
  return {
    type: 'api_key',
    id: caller.apiKeyId ?? '',
    name,
    userId,
    onBehalfOf: { id: userId, name },
    level: keyLevel(caller, area),
  };
}

/** The highest level at which a key may act here: its creator's, as far as its scopes reach, and never OWNER (D14). */
function keyLevel(caller: Caller, area: string): PermissionLevel | null {
  const may = (level: PermissionLevel) =>
    authorise(caller, { credentials: ['API_KEY'], level, area, services: [] }) === 'allowed';
  return permissionLevels.findLast(may) ?? null;
}

function userIdOf({ userId }: Caller): string {
  if (userId === undefined) throw unauthenticated();
  return userId;
}
