import { declareError } from '@platform-backend/core';

export const tooManyExports = declareError(
  'rate_limited',
  'too_many_exports',
  'Of an organisation {max} exports can be read at a time: wait for one of them to end',
  10,
);
