import { declareError } from '@platform-backend/core';

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
  [modelKeyRefused, modelNotFound, contextTooLong, answerWithheld, answerEmpty].map(({ code }) => code),
);
