import { integer, oneOf } from '@platform-backend/core';

export const searchSettings = {
  CONTENT_SEARCH: oneOf(['own', 'mongodb'], {
    default: 'own',
    description:
      '`own`: an index in each replica; `mongodb`: the search of MongoDB Atlas, or of MongoDB from 8.2 on with mongot, by a user that may list and create search indexes',
  }),
  CONTENT_SEARCH_PASSAGES: integer({
    default: 100_000,
    min: 100,
    max: 1_000_000,
    description: 'most passages of one organisation that are searched; the newest sources are',
  }),
  CONTENT_SEARCH_MEMORY_MB: integer({
    default: 512,
    min: 16,
    max: 65_536,
    description: 'most memory of all indexes of a replica; the longest unused one makes room',
  }),
};
