import { integer, optional, text } from '@platform-backend/core';
import { objectSettings } from '@platform-backend/objects/settings';

/** For this and for notifications. */
export const HOME =
  'the folder of `npm start`: programs that were unpacked are kept there, and letters that go out no other way in `notifications`';

const MIB = 1024 * 1024;

export const datasetSettings = {
  ...objectSettings,
  PIPELINES_DATASET_MAX_BYTES: integer({
    default: 256 * MIB,
    min: 1,
    max: 1024 * MIB,
    description: 'the largest upload of a dataset; the contract takes no more than 1 GiB',
  }),
  PIPELINES_STEP_PROCESSES: integer({
    default: 2,
    min: 1,
    max: 64,
    description: 'steps of runs that a replica carries out at once',
  }),
  PIPELINES_QUERY_PROCESSES: integer({
    default: 4,
    min: 2,
    max: 64,
    description:
      'queries, checks of pipelines and readings of uploads that a replica carries out at once; an organisation gets half of them',
  }),
  PIPELINES_STEP_MEMORY_BYTES: integer({
    default: 512 * MIB,
    min: 64 * MIB,
    max: 64 * 1024 * MIB,
    description: 'memory of the engine of one of all these; its process holds some 200 MiB more',
  }),
  PIPELINES_READ_SECONDS: integer({ default: 300, min: 1, max: 3600, description: 'longest reading of one upload' }),
  PIPELINES_READ_LEASE_SECONDS: integer({
    default: 30,
    min: 1,
    max: 600,
    description: 'what a killed replica costs an upload that it was reading',
  }),
  BWRAP_BINARY: optional(
    text({
      defaultDescription: 'on `PATH`, else Debian’s package',
      description: 'bubblewrap, in which steps run; without one they run without a sandbox, and the log says so',
    }),
  ),
  PLATFORM_HOME: optional(text({ description: HOME })),
  PIPELINES_QUERY_SECONDS: integer({
    default: 20,
    min: 1,
    max: 60,
    description: 'longest query that somebody waits for',
  }),
};
