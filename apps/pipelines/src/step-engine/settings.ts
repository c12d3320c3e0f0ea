import { integer, optional, text } from '@platform-backend/core';

/** For this and for notifications. */
export const HOME =
  'the folder of `npm start`: programs that were unpacked are kept there, and letters that go out no other way in `notifications`';

const MIB = 1024 * 1024;

export const stepEngineSettings = {
  PIPELINES_STEP_PROCESSES: integer({
    default: 2,
    min: 1,
    max: 64,
    description:
      'steps of runs that a replica carries out at once, and one more of an organisation that would wait for all others',
  }),
  PIPELINES_QUERY_PROCESSES: integer({
    default: 4,
    min: 2,
    max: 64,
    description:
      'queries, checks of pipelines and readings of uploads that a replica carries out at once; an organisation gets half of them',
  }),
  PIPELINES_JOBS_PER_PROCESS: integer({
    default: 50,
    min: 1,
    max: 1000,
    description:
      'steps and queries of one organisation that a process carries out, one after the other, before it ends; 1 has each of them start one',
  }),
  PIPELINES_STEP_MEMORY_BYTES: integer({
    default: 512 * MIB,
    min: 64 * MIB,
    max: 64 * 1024 * MIB,
    description: 'memory of the engine of one of all these; its process holds some 200 MiB more',
  }),
  PIPELINES_WORK_DIRECTORY: optional(
    text({
      defaultDescription: 'a folder of this user where temporary files are kept',
      example: '/var/lib/platform/work',
      description:
        'where copies of datasets, what steps spill and their outputs lie while they are worked with, some 20 GB of them; in a container that is best a disk, as temporary files may be memory',
    }),
  ),
  BWRAP_BINARY: optional(
    text({
      defaultDescription: 'on `PATH`, else Debian’s package',
      description: 'bubblewrap, in which steps run; without one they run without a sandbox, and the log says so',
    }),
  ),
  PLATFORM_HOME: optional(text({ description: HOME })),
};
