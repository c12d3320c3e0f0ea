import { declareError } from '@platform-backend/core';

export const invalidToken = declareError('unauthenticated', 'invalid_token', 'Invalid or expired token');

/** A program's own token, such as one by client credentials, names nobody: programs have API keys. */
export const addressRequired = declareError(
  'forbidden',
  'address_required',
  'The token names no e-mail address, so that it stands for no person: a program uses a client API key',
);

export const logoutTokenUsed = declareError('conflict', 'logout_token_used', 'The logout token was used before');
