import { declareError } from '@platform-backend/core';

export const secretsNotSetUp = declareError(
  'not_provided',
  'secrets_not_set_up',
  'Secrets cannot be kept: this platform has no key to seal them with. Whoever operates it has to set SECRETS_KEY.',
);
