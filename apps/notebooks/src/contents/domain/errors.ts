import { declareError } from '@platform-backend/core';

export const tooManyUntitled = declareError(
  'conflict',
  'too_many_untitled',
  'There are too many notebooks without a title: rename or delete some',
);
export const notThisContent = declareError('malformed', 'not_this_content', 'This cannot be had so: {reason}');
export const folderOfNotebook = declareError(
  'conflict',
  'folder_of_notebook',
  'This is the folder of the notebook {name}.ipynb: it is called as the notebook, and goes with it',
);
