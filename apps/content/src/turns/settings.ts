import { integer, optional, secret, text } from '@platform-backend/core';
import { apiUrl } from '../model-runtime/settings.ts';

export const turnSettings = {
  LLM_BASE_URL: apiUrl(
    'a language model by an API that speaks OpenAI’s protocol; without one assistants answer with quotes only',
  ),
  LLM_API_KEY: optional(secret(text({ description: 'the key of that API' }))),
  LLM_TITLE_MODEL: optional(
    text({
      example: 'gpt-4.1-nano',
      defaultDescription: 'none: their first words',
      description:
        'the model that names conversations after their first answer, which costs as much as what it reads and writes',
    }),
  ),
  LLM_REWRITE_MODEL: optional(
    text({
      example: 'gpt-4.1-nano',
      defaultDescription: 'none: the model that answers looks for what it thinks of',
      description:
        'the model that says a follow-up question whole before documents are searched for it, which costs as much as what it reads and writes',
    }),
  ),
  LLM_IMAGE_MODELS: text({
    default: '',
    defaultDescription: 'none',
    description:
      'those of the models that see images, with commas between; messages with images are refused for all others',
  }),
  LLM_MICROS_PER_1000_TOKENS: integer({
    default: 2_000,
    min: 0,
    max: 10_000_000,
    description: 'what assistants read and write costs, in millionths of a credit; 0: nothing',
  }),
  CONTENT_TURNS: integer({
    default: 64,
    min: 1,
    max: 10_000,
    description: 'how many answers a replica writes at once',
  }),
  CONTENT_TURNS_PER_ORGANISATION: integer({
    default: 16,
    min: 1,
    max: 10_000,
    description: 'the same of one organisation; as many more of it wait for a few seconds, and then hear 503',
  }),
  CONTENT_TURN_DRAIN_SECONDS: integer({
    default: 15,
    min: 0,
    max: 17,
    description:
      'how long a replica that is stopped goes on with the answers that it writes; what is not whole by then is kept and says why it ends',
  }),
  CONTENT_APPROVAL_MINUTES: integer({
    default: 60,
    min: 1,
    max: 10_080,
    description: 'how long a person may approve what an assistant wants to do',
  }),
  CONTENT_TURN_LEASE_SECONDS: integer({
    default: 60,
    min: 1,
    max: 600,
    description: 'what a killed replica costs a conversation in which it was answering',
  }),
};
