import { declareError } from '@platform-backend/core';

export const testClockNotFound = declareError('not_found', 'test_clock_not_found', 'Test clock not found');
/** The path belongs to the sandbox, and payments go through a live processor. */
export const noSuchPath = declareError('not_found', 'not_found', 'Not Found');
export const testClockExists = declareError(
  'conflict',
  'test_clock_exists',
  'The organisation has a test clock already',
);
export const testClockAdvancing = declareError(
  'conflict',
  'test_clock_advancing',
  'The test clock is being advanced: wait until it is ready',
  5,
);
