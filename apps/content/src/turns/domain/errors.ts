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
export const attachmentNotReady = declareError(
  'conflict',
  'attachment_not_ready',
  'The file “{name}” is still being uploaded or read: send the message again when it is ready',
);
export const attachmentUnreadable = declareError(
  'conflict',
  'attachment_unreadable',
  'The file “{name}” cannot be read: leave it out, or bring another one. {reason}',
);
export const imagesNotSupported = declareError(
  'conflict',
  'images_not_supported',
  'The language model of this assistant does not see images: leave “{name}” out, or ask an assistant whose model does',
);
/** Of one that is held in threads; whoever sends it is told that it is no schema that answers are held against. */
export const schemaTooComplex = declareError(
  'conflict',
  'schema_too_complex',
  'The JSON schema takes too long: make it simpler, above all its patterns',
);
export const turnOver = declareError('conflict', 'turn_over', 'The assistant does not answer any more');

/** What a language model refuses, as far as whoever asks or operates can do something about it. */
export const modelKeyRefused = declareError(
  'upstream_failed',
  'model_key_refused',
  'The language model does not accept the key of this platform. Asking again does not help: whoever operates the platform has to set another one.',
);
export const modelNotFound = declareError(
  'upstream_failed',
  'model_not_found',
  'The language model {model} does not exist where answers come from. Asking again does not help: give the assistant another model.',
);
export const modelUnpaid = declareError(
  'upstream_failed',
  'model_unpaid',
  'The account of this platform with the provider of the language model is used up. Asking again does not help: whoever operates the platform has to pay, or give the assistant another model.',
);
export const modelTooSlow = declareError(
  'upstream_failed',
  'model_too_slow',
  'The language model took longer than it may. Ask again, or about less at once.',
);
export const contextTooLong = declareError(
  'upstream_failed',
  'context_too_long',
  'The conversation is longer than the language model can read. Begin another one, or ask about less at once.',
);
export const answerWithheld = declareError(
  'upstream_failed',
  'answer_withheld',
  'The provider of the language model withholds the answer to this. Ask in other words.',
);
export const answerEmpty = declareError(
  'upstream_failed',
  'answer_empty',
  'The language model has answered nothing. Please ask again.',
);

/** Their texts are for whoever asked. */
export const CODES_SHOWN_TO_CALLERS: ReadonlySet<string> = new Set(
  [modelKeyRefused, modelNotFound, modelUnpaid, modelTooSlow, contextTooLong, answerWithheld, answerEmpty].map(
    ({ code }) => code,
  ),
);
