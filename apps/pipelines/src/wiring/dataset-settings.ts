import { integer, optional, text } from '@platform-backend/core';
import { objectSettings } from '@platform-backend/objects/settings';

const MIB = 1024 * 1024;

export const datasetSettings = {
  ...objectSettings,
  /** The contract takes no more than 1 GiB. */
  PIPELINES_DATASET_MAX_BYTES: integer({ default: 256 * MIB, min: 1, max: 1024 * MIB }),
  /** Steps of runs at once, of this replica. */
  PIPELINES_STEP_PROCESSES: integer({ default: 2, min: 1, max: 64 }),
  /** Queries, checks of pipelines and readings of uploads at once, of this replica; an organisation gets half of them. */
  PIPELINES_QUERY_PROCESSES: integer({ default: 4, min: 2, max: 64 }),
  /** Of each of all these; its process holds about 200 MiB more. */
  PIPELINES_STEP_MEMORY_BYTES: integer({ default: 512 * MIB, min: 64 * MIB, max: 64 * 1024 * MIB }),
  /** That the reading of an upload may take, and what a killed reader costs it at most. */
  PIPELINES_READ_SECONDS: integer({ default: 300, min: 1, max: 3600 }),
  PIPELINES_READ_LEASE_SECONDS: integer({ default: 30, min: 1, max: 600 }),
  /** The bubblewrap to use; else the one on PATH, else that of Debian's package. */
  BWRAP_BINARY: optional(text()),
  /** Programs that are unpacked are kept in it. */
  PLATFORM_HOME: optional(text()),
  PIPELINES_QUERY_SECONDS: integer({ default: 20, min: 1, max: 60 }),
};
