import { includesLevel } from '@platform-backend/core';
import type { CallContext } from '@platform-backend/grpc';
import type { Reader } from '../domain/opening.ts';

/**
 * For whom a call reads; undefined: for somebody who may open everything. Those are administrators, who say who may open what, and
 * whoever has the signed URL of a file. A key is never one: it acts for its client group, whatever its scopes.
 */
export function readerOfCaller(caller: CallContext['caller']): Reader | undefined {
  const { kind, organisationId, userId, apiKeyId, clientGroupId, level } = caller;
  if (kind === 'anonymous' || organisationId === undefined) return undefined;
  const group = clientGroupId === undefined ? {} : { groupId: clientGroupId };
  if (kind === 'api_key') return { kind: 'key', organisationId, apiKeyId: apiKeyId ?? '', ...group };
  if (kind === 'service') return { kind: 'nobody', organisationId };
  return includesLevel(level, 'ADMIN') ? undefined : { kind: 'member', organisationId, userId: userId ?? '', ...group };
}
