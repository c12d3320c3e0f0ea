import { declareError } from '@platform-backend/core';

export const tooManyAssistants = declareError(
  'conflict',
  'too_many_assistants',
  'An organisation may have {max} assistants',
);
export const assistantNotFound = declareError('not_found', 'assistant_not_found', 'Assistant not found');
export const assistantNameTaken = declareError(
  'conflict',
  'assistant_name_taken',
  'There is an assistant of this name already',
);
