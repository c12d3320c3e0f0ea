import { integer } from '@platform-backend/core';

export const generationSettings = {
  CONTENT_GENERATIONS: integer({
    default: 32,
    min: 1,
    max: 10_000,
    description:
      'how many rows of pipelines a replica has language models answer at once, beside the answers of assistants',
  }),
  CONTENT_GENERATIONS_PER_ORGANISATION: integer({
    default: 8,
    min: 1,
    max: 10_000,
    description: 'the same of one organisation; what is more waits',
  }),
};
