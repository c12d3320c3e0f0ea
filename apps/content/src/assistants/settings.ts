import { text } from '@platform-backend/core';

export const assistantSettings = {
  LLM_MODEL: text({
    default: 'gpt-4.1-mini',
    description: 'the model that assistants have unless they are given another',
  }),
  LLM_OTHER_MODELS: text({
    default: '',
    defaultDescription: 'none',
    description: 'models that assistants may be given in its place, with commas between, at the same price',
  }),
};
