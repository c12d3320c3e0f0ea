import { declareError } from '@platform-backend/core';

export const invalidToken = declareError('unauthenticated', 'invalid_token', 'Invalid or expired token');

/** A call without a usable assertion of who calls: a defect between services, nothing a user could mend. */
export const missingCallerAssertion = declareError('unauthenticated', 'missing_caller_assertion', 'Not authenticated');
export const invalidCallerAssertion = declareError('unauthenticated', 'invalid_caller_assertion', 'Not authenticated');

/** Nobody can say how old an assertion is; whoever runs the platform has to set a clock. */
export const clocksDiffer = declareError(
  'unavailable',
  'clocks_differ',
  'The clock of {service} and that of the service that it calls are more than {seconds} seconds apart',
  10,
);
