import { integer, optional, secret, text, url, type Configuration } from '@platform-backend/core';

export const languageModelSettings = {
  LLM_BASE_URL: optional(
    url({
      protocols: ['https', 'http'],
      example: 'https://api.openai.com/v1',
      description:
        'a language model by an API that speaks OpenAI’s protocol; without one assistants answer with quotes only',
    }),
  ),
  LLM_API_KEY: optional(secret(text({ description: 'the key of that API' }))),
  LLM_MODEL: text({
    default: 'gpt-4.1-mini',
    description: 'the model that assistants have unless they are given another',
  }),
  LLM_OTHER_MODELS: text({
    default: '',
    defaultDescription: 'none',
    description: 'models that assistants may be given in its place, with commas between, at the same price',
  }),
  LLM_MICROS_PER_1000_TOKENS: integer({
    default: 2_000,
    min: 0,
    max: 10_000_000,
    description: 'what assistants read and write costs, in millionths of a credit; 0: nothing',
  }),
  CONTENT_TURN_LEASE_SECONDS: integer({
    default: 60,
    min: 1,
    max: 600,
    description: 'what a killed replica costs a conversation in which it was answering',
  }),
};

export type LanguageModelSettings = Configuration<typeof languageModelSettings>;

/** The models that assistants may be given. */
export const modelsOf = ({ LLM_MODEL: usual, LLM_OTHER_MODELS: others }: LanguageModelSettings): readonly string[] => [
  usual,
  ...others.split(',').flatMap((name) => (name.trim() === '' ? [] : [name.trim()])),
];
