import { text } from '@platform-backend/core';

export const assistantSettings = {
  LLM_MODEL: text({
    default: 'gpt-4.1-mini',
    description:
      'the model that assistants have unless they are given another; without `LLM_BASE_URL` one of `LLM_MODELS`, of which it is the first unless it is among them',
  }),
  LLM_OTHER_MODELS: text({
    default: '',
    defaultDescription: 'none',
    description:
      'models of `LLM_BASE_URL` that assistants may be given in its place, with commas between, at the same price',
  }),
};
