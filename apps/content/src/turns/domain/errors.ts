import { declareError } from '@platform-backend/core';

export const turnStarted = declareError('conflict', 'turn_started', 'This turn has started already');
export const turnNotFound = declareError('not_found', 'turn_not_found', 'Turn not found');
export const turnInProgress = declareError(
  'conflict',
  'turn_in_progress',
  'An assistant is still answering in this conversation',
);
export const conversationFull = declareError(
  'conflict',
  'conversation_full',
  'The conversation is full: begin another one',
);
/** It goes on, and is paid for: whoever asked is told where it will be. */
export const answerPending = declareError(
  'accepted',
  'answer_pending',
  'The answer takes longer: it will be the message {turnId} of the conversation {conversationId}. Follow it at /agents/turns/{turnId}/events/, or ask again with the same Idempotency-Key',
);
export const approvalNotFound = declareError('not_found', 'approval_not_found', 'Nothing is to be approved there');
export const approvalDecided = declareError('conflict', 'approval_decided', 'It has been decided otherwise already');
export const approvalExpired = declareError(
  'conflict',
  'approval_expired',
  'It is too late to approve this: ask the assistant again',
);
export const turnOver = declareError('conflict', 'turn_over', 'The assistant does not answer any more');
