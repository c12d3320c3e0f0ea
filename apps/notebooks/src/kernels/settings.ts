import { formerly, hostAndPort, integer, optional, secret, text, url } from '@platform-backend/core';

/** How many kernels there may be, how long they last, and what they cost. */
export const kernelSettings = {
  NOTEBOOKS_NODE_ADDRESS: optional(
    hostAndPort({
      defaultDescription: 'by `NOTEBOOKS_LISTEN`',
      description: 'where other replicas reach this one',
    }),
  ),
  NOTEBOOKS_KERNELS_PER_ORGANISATION: integer({
    default: 5,
    min: 1,
    max: 1_000,
    description: 'kernels of an organisation alive at once, those of jobs and runs among them',
  }),
  NOTEBOOKS_KERNEL_STARTS_PER_MINUTE: integer({
    default: 10,
    min: 1,
    max: 10_000,
    description: 'kernels that an organisation may start within a minute',
  }),
  NOTEBOOKS_KERNEL_MEMORY_MB: integer({
    default: 512,
    min: 128,
    max: 65_536,
    description: 'memory of one kernel, above which it dies',
  }),
  NOTEBOOKS_KERNEL_EXECUTE_SECONDS: integer({
    default: 600,
    min: 1,
    max: 86_400,
    description: 'longest execution of one cell',
  }),
  NOTEBOOKS_KERNEL_OUTPUT_MB: integer({ default: 10, min: 1, max: 1_024, description: 'most output of one cell' }),
  NOTEBOOKS_KERNEL_IDLE_MINUTES: integer({
    default: 30,
    min: 1,
    max: 10_080,
    description: 'when a kernel ends that has neither client nor work',
  }),
  NOTEBOOKS_KERNEL_CONNECTED_IDLE_MINUTES: integer({
    default: 60,
    min: 1,
    max: 10_080,
    description: 'when a kernel ends that has a client and no work',
  }),
  NOTEBOOKS_KERNEL_LIFETIME_HOURS: integer({ default: 24, min: 1, max: 720, description: 'when any kernel ends' }),
  NOTEBOOKS_RUN_CONCURRENCY: formerly(
    'NOTEBOOKS_RUNS_AT_ONCE',
    integer({
      default: 10,
      min: 0,
      max: 1_000,
      description: 'runs of notebooks that a replica carries out at once; 0: it leaves them to others',
    }),
  ),
  NOTEBOOKS_RUNS_PER_ORGANISATION: integer({
    default: 100,
    min: 1,
    max: 100_000,
    description: 'runs of an organisation that are not over; further ones are refused',
  }),
  NOTEBOOKS_RUN_SECONDS: integer({
    default: 3_600,
    min: 1,
    max: 86_400,
    description: 'longest run, all its cells together',
  }),
  NOTEBOOKS_RUN_OUTPUT_MB: integer({
    default: 12,
    min: 1,
    max: 64,
    description: 'what all cells of a run may show, in its result',
  }),
  NOTEBOOKS_RUN_LEASE_SECONDS: integer({
    default: 30,
    min: 3,
    max: 3_600,
    description: 'what a killed replica costs a run that it carried out',
  }),
  NOTEBOOKS_RUN_ATTEMPTS: integer({
    default: 3,
    min: 1,
    max: 100,
    description: 'how often a run is begun when what carries it out is lost',
  }),
  NOTEBOOKS_WARM_KERNELS: integer({
    default: 1,
    min: 0,
    max: 100,
    description: 'kernels that each replica keeps ready, so that a start is quick; each holds some 170 MB',
  }),
  BWRAP_BINARY: optional(
    text({
      defaultDescription: 'on `PATH`, else Debian’s package',
      description: 'bubblewrap, the sandbox of kernels; without one they are for one organisation alone',
    }),
  ),
  PYODIDE_PACKAGES: optional(
    text({
      description:
        'a folder with a distribution of Pyodide, its wheels and their lock file, for packages such as pandas',
    }),
  ),
  NOTEBOOKS_PYTHON: optional(
    text({
      example: 'python3',
      description: 'a Python that has ipykernel, such as `python3`; its kernels take the place of Pyodide’s',
    }),
  ),
  JUPYTER_URL: optional(
    url({
      protocols: ['https', 'http'],
      example: 'http://jupyter:8888/',
      description: 'a Jupyter Server or Enterprise Gateway, whose kernels are used instead of any here',
    }),
  ),
  JUPYTER_TOKEN: optional(secret(text({ description: 'its token' }))),
  PLATFORM_HOME: optional(
    text({ description: 'the folder of `npm start`, in which programs that were unpacked are kept' }),
  ),
  NOTEBOOKS_KERNEL_MINUTE_MICROS: integer({
    default: 10_000,
    min: 0,
    max: 1_000_000_000,
    description: 'price of a minute of a kernel, in millionths of a credit; 0 asks billing for nothing',
  }),
};
