import { declareError } from '@platform-backend/core';

export const reportNotFound = declareError('not_found', 'report_not_found', 'Report not found');
export const runNotFinished = declareError(
  'conflict',
  'run_not_finished',
  'The run is not finished yet; wait until it is',
);
export const messageEmpty = declareError('conflict', 'message_empty', 'The message says nothing that a report could');
export const reportChanged = declareError(
  'conflict',
  'report_changed',
  'Somebody else has changed the report; read it again and repeat the change',
);
export const reportTooComplex = declareError(
  'conflict',
  'report_too_complex',
  'The report is too complex to be shown as a page; make it simpler',
);
