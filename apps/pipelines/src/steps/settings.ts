import { integer } from '@platform-backend/core';

export const stepSettings = {
  PIPELINES_LLM_ROWS: integer({
    default: 10_000,
    min: 1,
    max: 1_000_000,
    description: 'rows for each of which an LLM step may ask a language model; with more it fails',
  }),
  PIPELINES_LLM_CALLS: integer({
    default: 4,
    min: 1,
    max: 64,
    description: 'how many of them an LLM step has answered at once',
  }),
};
