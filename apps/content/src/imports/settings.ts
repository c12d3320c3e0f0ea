import { integer } from '@platform-backend/core';

export const importSettings = {
  CONTENT_IMPORT_WORKERS: integer({
    default: 8,
    min: 0,
    max: 32,
    description:
      'addresses from which a replica fetches documents at once, for one organisation from half of them; 0: it leaves them to others',
  }),
  CONTENT_IMPORT_LEASE_SECONDS: integer({
    default: 60,
    min: 1,
    max: 600,
    description: 'what a killed replica costs an address that it was fetching from',
  }),
  CONTENT_IMPORT_TIMEOUT_SECONDS: integer({
    default: 600,
    min: 1,
    // What was fetched goes in an hour unless it is a document's by then.
    max: 1800,
    description: 'how long an address may take to answer in full',
  }),
};
