import { declareError } from '@platform-backend/core';

export const messageNotFound = declareError('not_found', 'message_not_found', 'Message not found');
export const conversationNotFound = declareError('not_found', 'conversation_not_found', 'Conversation not found');
export const messageNotOfAssistant = declareError(
  'conflict',
  'message_not_of_assistant',
  'Only what an assistant says can be rated',
);
export const messageNotFinished = declareError(
  'conflict',
  'message_not_finished',
  'The message is not finished yet; wait until it is',
);
export const feedbackNotFound = declareError('not_found', 'feedback_not_found', 'Feedback not found');
