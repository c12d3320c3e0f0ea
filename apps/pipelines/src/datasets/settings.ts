import { integer } from '@platform-backend/core';
import { objectSettings } from '@platform-backend/objects/settings';

const MIB = 1024 * 1024;

export const datasetSettings = {
  ...objectSettings,
  PIPELINES_DATASET_MAX_BYTES: integer({
    default: 256 * MIB,
    min: 1,
    max: 1024 * MIB,
    description: 'the largest upload of a dataset; the contract takes no more than 1 GiB',
  }),
  PIPELINES_READ_SECONDS: integer({ default: 300, min: 1, max: 3600, description: 'longest reading of one upload' }),
  PIPELINES_READ_LEASE_SECONDS: integer({
    default: 30,
    min: 1,
    max: 600,
    description: 'what a killed replica costs an upload that it was reading',
  }),
  PIPELINES_QUERY_SECONDS: integer({
    default: 20,
    min: 1,
    max: 60,
    description: 'longest query that somebody waits for',
  }),
};
