import { declareError } from '@platform-backend/core';

export const meterNotFound = declareError('not_found', 'meter_not_found', 'Meter not found');
export const meterSlugTaken = declareError('conflict', 'meter_slug_taken', 'There is a meter with this slug');
export const tooManyMeters = declareError(
  'conflict',
  'too_many_meters',
  'An organisation can have {max} meters: archive one first',
);
