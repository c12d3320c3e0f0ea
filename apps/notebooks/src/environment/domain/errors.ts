import { declareError } from '@platform-backend/core';

export const variableNotFound = declareError('not_found', 'variable_not_found', 'Environment variable not found');
export const tooManyVariables = declareError(
  'conflict',
  'too_many_variables',
  'The organisation has {count} environment variables, as many as it may have',
);
export const secretsNotSetUp = declareError(
  'not_provided',
  'secrets_not_set_up',
  'Secrets cannot be kept: this platform has no key to seal them with. Whoever operates it has to set SECRETS_KEY.',
);
