import { declareError } from '@platform-backend/core';

export const variableNotFound = declareError('not_found', 'variable_not_found', 'Environment variable not found');
export const tooManyVariables = declareError(
  'conflict',
  'too_many_variables',
  'The organisation has {count} environment variables, as many as it may have',
);
export const noSecretsKey = declareError(
  'not_provided',
  'no_secrets_key',
  'This platform has no key to encrypt values with: NOTEBOOKS_SECRETS_KEY',
);
