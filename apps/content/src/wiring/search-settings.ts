import { integer, oneOf } from '@platform-backend/core';

export const searchSettings = {
  /** `own`: an index in the process; `mongodb`: the search that MongoDB Atlas has, and MongoDB from 8.2 on with mongot. */
  CONTENT_SEARCH: oneOf(['own', 'mongodb'], { default: 'own' }),
  /** Of one organisation; of what is beyond, the oldest is not searched. */
  CONTENT_SEARCH_PASSAGES: integer({ default: 100_000, min: 100, max: 1_000_000 }),
  /** Of all indexes of the process. */
  CONTENT_SEARCH_MEMORY_MB: integer({ default: 512, min: 16, max: 65_536 }),
};
