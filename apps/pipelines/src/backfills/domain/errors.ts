import { declareError } from '@platform-backend/core';

export const backfillNotFound = declareError('not_found', 'backfill_not_found', 'Backfill not found');
export const tooManyBackfills = declareError(
  'conflict',
  'too_many_backfills',
  '{max} backfills of the organisation go on already',
);
