import { integer, optional, secret, text, url, type Configuration } from '@platform-backend/core';

export const languageModelSettings = {
  LLM_BASE_URL: optional(url({ protocols: ['https', 'http'], example: 'https://api.openai.com/v1' })),
  LLM_API_KEY: optional(secret(text())),
  LLM_MODEL: text({ default: 'gpt-4.1-mini' }),
  /** What assistants may be given instead, with commas between; at the same price. */
  LLM_OTHER_MODELS: text({ default: '' }),
  /** Of what an assistant reads and writes; 1 credit = 1,000,000 micros. */
  LLM_MICROS_PER_1000_TOKENS: integer({ default: 2_000, min: 0, max: 10_000_000 }),
  /** How long an answer of a replica that says nothing any more is waited for. */
  CONTENT_TURN_LEASE_SECONDS: integer({ default: 60, min: 1, max: 600 }),
};

export type LanguageModelSettings = Configuration<typeof languageModelSettings>;

/** The models that assistants may be given. */
export const modelsOf = ({ LLM_MODEL: usual, LLM_OTHER_MODELS: others }: LanguageModelSettings): readonly string[] => [
  usual,
  ...others.split(',').flatMap((name) => (name.trim() === '' ? [] : [name.trim()])),
];
