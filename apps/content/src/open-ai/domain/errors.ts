import { declareError } from '@platform-backend/core';

export const modelUnknown = declareError(
  'not_found',
  'model_unknown',
  'The model does not exist: name one of those that GET /v1/models lists, by its id or its name',
);
export const contextLengthExceeded = declareError(
  'malformed',
  'context_length_exceeded',
  'The messages are longer than the language model can read. Send fewer of them, or shorter ones.',
);
export const completionOver = declareError('conflict', 'completion_over', 'The answer is over');
