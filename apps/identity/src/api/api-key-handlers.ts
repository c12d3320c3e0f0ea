import type { ApiKeyInput, ApiKeyServiceHandlers, CreatedApiKeyInput } from '@platform/contract/identity';
import { fieldsGiven, type CallContext } from '@platform/grpc';
import type { ApiKeyWithSecret } from '../app/api-keys/create-api-key.ts';
import type { IdentityApp } from '../app/identity-app.ts';
import type { ApiKey } from '../domain/api-keys/api-key.ts';
import type { ChangeApiKey } from '../domain/api-keys/change-api-key.ts';
import { actingOf } from './acting.ts';

export const apiKeyHandlers = (app: IdentityApp): ApiKeyServiceHandlers<CallContext> => ({
  async createApiKey({ name, scopes, expiresAt, clientGroupId }, context) {
    const wanted = { name, scopes, expiresAt, clientGroupId };
    return createdApiKeyMessage(await app.createApiKey(acting(context), wanted));
  },

  async listApiKeys(request, context) {
    const { items, nextCursor, total } = await app.listApiKeys(acting(context), request);
    return { apiKeys: items.map(apiKeyMessage), nextCursor, totalCount: total };
  },

  async getApiKey({ keyId }, context) {
    return apiKeyMessage(await app.getApiKey(acting(context), keyId));
  },

  async updateApiKey({ keyId, name, scopes, expiresAt, clientGroupId, updateMask }, context) {
    const wanted = fieldsGiven<ChangeApiKey>(updateMask, {
      name: { name },
      scopes: { scopes },
      expires_at: { expiresAt },
      client_group_id: { clientGroupId },
    });
    return apiKeyMessage(await app.updateApiKey(acting(context), keyId, wanted));
  },

  async rotateApiKey({ keyId, overlapSeconds }, context) {
    return createdApiKeyMessage(await app.rotateApiKey(acting(context), keyId, overlapSeconds));
  },

  async revokeApiKey({ keyId }, context) {
    const { id } = await app.revokeApiKey(acting(context), keyId);
    return { id, deleted: true };
  },
});

const acting = (context: CallContext) => actingOf(context, 'api_keys');

const apiKeyMessage = (key: ApiKey): ApiKeyInput => ({
  name: key.name,
  id: key.id,
  keyPrefix: key.prefix,
  createdAt: key.createdAt,
  scopes: key.scopes,
  expiresAt: key.expiresAt,
  lastUsedAt: key.lastUsedAt,
  createdBy: key.userId,
  clientGroupId: key.clientGroupId,
});

const createdApiKeyMessage = (key: ApiKeyWithSecret): CreatedApiKeyInput => ({
  name: key.name,
  id: key.id,
  keyPrefix: key.prefix,
  createdAt: key.createdAt,
  apiKey: key.secret,
  scopes: key.scopes,
  expiresAt: key.expiresAt,
  clientGroupId: key.clientGroupId,
});
