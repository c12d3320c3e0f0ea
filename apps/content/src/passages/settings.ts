import { integer, oneOf, optional, secret, text } from '@platform-backend/core';
import { apiUrl } from '../model-runtime/settings.ts';

const prefix = (what: string, example: string) =>
  optional(
    text({
      example,
      description: `what that model wants in front of ${what}, if it does: \`${example}\` of the family E5; a space comes behind it`,
    }),
  );

export const embeddingsSettings = {
  EMBEDDINGS_BASE_URL: apiUrl(
    'an API for meanings of texts that speaks OpenAI’s protocol, with its version: `https://host/v1`; without one it is what `npm run models` installed, else a small encoder from npm',
  ),
  EMBEDDINGS_API_KEY: optional(secret(text({ description: 'the key of that API' }))),
  EMBEDDINGS_MODEL: text({ default: 'text-embedding-3-small', description: 'the model that it is asked for' }),
  EMBEDDINGS_DIMENSIONS: optional(
    integer({
      min: 1,
      max: 65_536,
      defaultDescription: 'as many as that model has',
      description: 'how many dimensions it is asked for, where that model can shorten its vectors',
    }),
  ),
  EMBEDDINGS_QUESTION_PREFIX: prefix('a question', 'query:'),
  EMBEDDINGS_PASSAGE_PREFIX: prefix('a passage', 'passage:'),
};

export const rerankerSettings = {
  RERANK_URL: apiUrl(
    'an API that ranks texts by `POST /rerank` as those of Cohere and Jina or Text Embeddings Inference do, up to that path: `https://api.jina.ai/v1`; without one it is what `npm run models` installed, else nothing is reranked',
  ),
  RERANK_API_KEY: optional(secret(text({ description: 'the key of that API' }))),
  RERANK_MODEL: optional(
    text({
      example: 'jina-reranker-v2-base-multilingual',
      defaultDescription: 'none, as Text Embeddings Inference is asked',
      description: 'the model that it is asked for',
    }),
  ),
  RERANK_RELEVANT_PERCENT: integer({
    default: 30,
    min: 0,
    max: 100,
    description:
      'from which score of the reranker on, in hundredths, a passage is about what a question asks; models differ in it',
  }),
};

export const passagesSettings = {
  ...embeddingsSettings,
  ...rerankerSettings,
  CONTENT_SEARCH: oneOf(['own', 'mongodb'], {
    default: 'own',
    description:
      '`own`: an index in each replica; `mongodb`: the search of MongoDB Atlas, or of MongoDB from 8.2 on with mongot, by a user that may list and create search indexes',
  }),
  CONTENT_SEARCH_PASSAGES: integer({
    default: 250_000,
    min: 100,
    max: 1_000_000,
    description: 'most passages of documents of one organisation that are searched; the newest documents are',
  }),
  CONTENT_SEARCH_CONVENTION_PASSAGES: integer({
    default: 50_000,
    min: 100,
    max: 1_000_000,
    description: 'the same for its conventions',
  }),
  CONTENT_SEARCH_MESSAGE_PASSAGES: integer({
    default: 100_000,
    min: 100,
    max: 1_000_000,
    description: 'the same for the messages of its conversations, which have an index of their own',
  }),
  CONTENT_SEARCH_MEMORY_MB: integer({
    default: 512,
    min: 16,
    max: 65_536,
    description: 'most memory of all indexes of a replica; the longest unused one makes room',
  }),
  CONTENT_SEARCH_DIRECTORY: optional(
    text({
      example: '/var/lib/platform/search',
      defaultDescription: '`search` in `PLATFORM_HOME`; without that, no snapshots',
      description:
        'where snapshots of indexes lie, with words of what is searched, so that a start does not build them from the database; on a disk of this machine, which its replicas may have in common',
    }),
  ),
  CONTENT_SEARCH_SNAPSHOTS_MB: integer({
    default: 2_048,
    min: 16,
    max: 1_048_576,
    description: 'most room of all snapshots in that folder; the one that was written longest ago makes room',
  }),
};
