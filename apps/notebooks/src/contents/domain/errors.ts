import { declareError } from '@platform-backend/core';

export const tooManyUntitled = declareError(
  'conflict',
  'too_many_untitled',
  'There are too many notebooks without a title: rename or delete some',
);
export const onlyNotebooks = declareError('malformed', 'only_notebooks', 'Only notebooks are kept: <name>.ipynb');
export const notebookTooLarge = declareError(
  'too_large',
  'too_large',
  'The notebook is too large to be shown: export it',
);
