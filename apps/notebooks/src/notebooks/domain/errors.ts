import { declareError } from '@platform-backend/core';

export const notebookNotFound = declareError('not_found', 'notebook_not_found', 'Notebook not found');
export const notebookTooComplex = declareError(
  'conflict',
  'notebook_too_complex',
  'The notebook is too complex for this; make it simpler, or export it as a file',
);
export const notANotebook = declareError(
  'malformed',
  'not_a_notebook',
  'This is no notebook of the format nbformat 4: {message}{location}',
);
export const notebookChanged = declareError(
  'conflict',
  'notebook_changed',
  'The notebook was changed meanwhile: it is at version {version}',
);
export const checkpointNotFound = declareError('not_found', 'checkpoint_not_found', 'Checkpoint not found');
export const notebookNameTaken = declareError(
  'conflict',
  'notebook_name_taken',
  'There is a notebook of this name already',
);
export const onlyNotebooks = declareError(
  'malformed',
  'only_notebooks',
  'Beside notebooks (<name>.ipynb) nothing else lies: files and folders are in the folder of a notebook (<name>/...)',
);
export const notContents = declareError(
  'malformed',
  'not_contents',
  'The body is no JSON object with the type and the content of a notebook, a file or a folder',
);
