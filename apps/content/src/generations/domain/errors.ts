import { declareError } from '@platform-backend/core';

export const noLanguageModel = declareError(
  'not_provided',
  'no_language_model',
  'No language model is set up here: whoever operates the platform names one by LLM_BASE_URL or LLM_MODELS',
);
