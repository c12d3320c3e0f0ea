import type { ApiKeyInput, ApiKeyServiceHandlers, CreatedApiKeyInput } from '@platform-backend/contract-identity';
import { fieldsGiven, listAnswer, type CallContext } from '@platform-backend/grpc';
import type { ApiKeyUseCases, ApiKeyWithSecret } from '../app/api-keys.ts';
import type { ApiKey } from '../domain/api-key.ts';

export const apiKeyHandlers = (app: ApiKeyUseCases): ApiKeyServiceHandlers<CallContext> => ({
  createApiKey: async ({ name, scopes, expiresAt, clientGroupId }, context) =>
    createdApiKeyMessage(await app.createApiKey(context.actorContext(), { name, scopes, expiresAt, clientGroupId })),

  listApiKeys: async (request, context) =>
    listAnswer('apiKeys', await app.listApiKeys(context.actorContext(), request), apiKeyMessage),

  getApiKey: async ({ keyId }, context) => apiKeyMessage(await app.getApiKey(context.actorContext(), keyId)),

  async updateApiKey({ keyId, name, scopes, expiresAt, clientGroupId, updateMask }, context) {
    const wanted = fieldsGiven(updateMask, { name, scopes, expiresAt, clientGroupId });
    return apiKeyMessage(await app.updateApiKey(context.actorContext(), keyId, wanted));
  },

  rotateApiKey: async ({ keyId, overlapSeconds }, context) =>
    createdApiKeyMessage(await app.rotateApiKey(context.actorContext(), keyId, overlapSeconds)),

  async revokeApiKey({ keyId }, context) {
    const { id } = await app.revokeApiKey(context.actorContext(), keyId);
    return { id, deleted: true };
  },
});

const apiKeyMessage = (key: ApiKey): ApiKeyInput => ({ ...key, keyPrefix: key.prefix, createdBy: key.userId });

const createdApiKeyMessage = (key: ApiKeyWithSecret): CreatedApiKeyInput => ({
  ...key,
  keyPrefix: key.prefix,
  apiKey: key.secret,
});
