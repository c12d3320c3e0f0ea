import { declareError } from '@platform-backend/core';

export const variableNotFound = declareError('not_found', 'variable_not_found', 'Environment variable not found');
export const tooManyVariables = declareError(
  'conflict',
  'too_many_variables',
  'The organisation has {count} environment variables, as many as it may have',
);
