import { declareError } from '@platform-backend/core';

export const tooManyUntitled = declareError(
  'conflict',
  'too_many_untitled',
  'There are too many notebooks without a title: rename or delete some',
);
