import { declareError } from '@platform-backend/core';

export const apiKeyNotFound = declareError('not_found', 'api_key_not_found', 'API key not found');
export const tooManySecrets = declareError(
  'conflict',
  'too_many_secrets',
  '{max} former secrets of this key work still: rotate it without an overlap, which ends them all, or once the first of them has ended',
);
export const notYourApiKey = declareError(
  'forbidden',
  'not_your_api_key',
  'Only its creator may rename, widen, prolong or rotate an API key; others may narrow its scopes, end it earlier or revoke it',
);
