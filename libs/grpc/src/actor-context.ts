import { authorise, type Caller } from '@platform-backend/auth';
import { PERMISSION_LEVELS, unauthenticated, type Actor, type PermissionLevel } from '@platform-backend/core';

/** Who acts in a call of an operation in this area. A key has no name here: whoever knows the key fills it in. */
export function actorOf(caller: Caller, area: string | undefined): Actor {
  const { kind, service, userId, userEmail = '', apiKeyId = '', level = null } = caller;
  if (kind === 'service') return { type: 'service', id: service, name: service, userId: null, level: null };
  if (userId === undefined) throw unauthenticated();
  const name = caller.userName || userEmail;
  if (kind !== 'api_key') return { type: 'user', id: userId, name, userId, level };
  const onBehalfOf = { id: userId, name };
  return { type: 'api_key', id: apiKeyId, name: '', userId, onBehalfOf, level: keyLevel(caller, area) };
}

/** The highest level at which a key may act here: its creator's, as far as its scopes reach, and never OWNER (D14). */
function keyLevel(caller: Caller, area: string | undefined): PermissionLevel | null {
  const may = (level: PermissionLevel) =>
    authorise(caller, { credentials: ['API_KEY'], level, area, services: [] }) === 'allowed';
  return PERMISSION_LEVELS.findLast(may) ?? null;
}
