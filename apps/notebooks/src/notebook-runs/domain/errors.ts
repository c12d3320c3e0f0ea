import { declareError } from '@platform-backend/core';

export const noJob = declareError('malformed', 'no_job', 'The first request says what is to be run');
export const noResult = declareError('conflict', 'no_result', 'The run has no result');
export const notebookRunsLimitReached = declareError(
  'conflict',
  'notebook_runs_limit_reached',
  '{open} runs are not over yet',
);
export const unexpectedDataset = declareError(
  'malformed',
  'unexpected_dataset',
  'Nobody has asked for the rows of {name}',
);
export const rowsMissing = declareError('malformed', 'rows_missing', 'The rows of an input are missing');
export const rowsIncomplete = declareError('malformed', 'rows_incomplete', 'The rows of {dataset} are not whole');
export const notebookRunNotFound = declareError('not_found', 'notebook_run_not_found', 'Notebook run not found');
export const noKernelForLanguage = declareError(
  'conflict',
  'no_kernel_for_language',
  'The notebook is written in {language}, of which there is no kernel here',
);
