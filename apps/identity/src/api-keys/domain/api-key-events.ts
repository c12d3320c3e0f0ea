import { changedFields } from '@platform-backend/core';
import type { IdentityEvent } from '../../events.ts';
import { apiKeyFields, type ApiKey } from './api-key.ts';

export const apiKeyCreated = (key: ApiKey, at: Date): IdentityEvent => ({
  name: 'api_key.created',
  subject: key.id,
  at,
  data: {
    api_key_id: key.id,
    user_id: key.userId,
    key_prefix: key.prefix,
    scopes: key.scopes,
    expires_at: key.expiresAt?.toISOString() ?? null,
    client_group_id: key.clientGroupId,
  },
  change: { before: null, after: apiKeyFields(key) },
});

/** No event when nothing that can be seen has changed. */
export function apiKeyUpdated(before: ApiKey, after: ApiKey, at: Date): readonly IdentityEvent[] {
  const change = changedFields(apiKeyFields(before), apiKeyFields(after));
  const changed = Object.keys(change.after);
  if (changed.length === 0) return [];
  const data = { api_key_id: after.id, changed_fields: changed };
  return [{ name: 'api_key.updated', subject: after.id, at, data, change }];
}

/** `formerValidUntil`: until when the secret before this one keeps working. */
export const apiKeyRotated = (before: ApiKey, after: ApiKey, formerValidUntil: Date, at: Date): IdentityEvent => ({
  name: 'api_key.rotated',
  subject: after.id,
  at,
  data: { api_key_id: after.id, key_prefix: after.prefix, former_valid_until: formerValidUntil.toISOString() },
  change: changedFields(apiKeyFields(before), apiKeyFields(after)),
});

export const apiKeyRevoked = (key: ApiKey, at: Date): IdentityEvent => ({
  name: 'api_key.revoked',
  subject: key.id,
  at,
  data: { api_key_id: key.id, user_id: key.userId },
  change: { before: apiKeyFields(key), after: null },
});
