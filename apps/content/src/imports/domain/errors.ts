import { declareError } from '@platform-backend/core';

export const importNotFound = declareError('not_found', 'import_not_found', 'Import not found');
export const tooManyImports = declareError(
  'conflict',
  'too_many_imports',
  'An organisation may have {limit} addresses that are still to be fetched: wait for some of them, or cancel an import',
);
