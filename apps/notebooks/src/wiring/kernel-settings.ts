import { hostAndPort, integer, optional, secret, text, url } from '@platform-backend/core';

/** How many kernels there may be, how long they last, and what they cost. */
export const kernelSettings = {
  /** Where other replicas reach this one; by where it listens unless given. */
  NOTEBOOKS_NODE_ADDRESS: optional(hostAndPort()),
  NOTEBOOKS_KERNELS_PER_ORGANISATION: integer({ default: 5, min: 1, max: 1_000 }),
  NOTEBOOKS_KERNEL_STARTS_PER_MINUTE: integer({ default: 10, min: 1, max: 10_000 }),
  NOTEBOOKS_KERNEL_MEMORY_MB: integer({ default: 512, min: 128, max: 65_536 }),
  /** Of one execute request. */
  NOTEBOOKS_KERNEL_EXECUTE_SECONDS: integer({ default: 600, min: 1, max: 86_400 }),
  /** Of one execute request. */
  NOTEBOOKS_KERNEL_OUTPUT_MB: integer({ default: 10, min: 1, max: 1_024 }),
  /** Without a client and without work. */
  NOTEBOOKS_KERNEL_IDLE_MINUTES: integer({ default: 30, min: 1, max: 10_080 }),
  /** With a client and without work. */
  NOTEBOOKS_KERNEL_CONNECTED_IDLE_MINUTES: integer({ default: 60, min: 1, max: 10_080 }),
  NOTEBOOKS_KERNEL_LIFETIME_HOURS: integer({ default: 24, min: 1, max: 720 }),
  /** Runs of notebooks that a replica carries out at once; 0: it leaves them to others. */
  NOTEBOOKS_RUNS_AT_ONCE: integer({ default: 10, min: 0, max: 1_000 }),
  /** Runs that are not over. */
  NOTEBOOKS_RUNS_PER_ORGANISATION: integer({ default: 100, min: 1, max: 100_000 }),
  /** Of one run, all cells together. */
  NOTEBOOKS_RUN_SECONDS: integer({ default: 3_600, min: 1, max: 86_400 }),
  /** Of what the cells of one run show, in its result. */
  NOTEBOOKS_RUN_OUTPUT_MB: integer({ default: 12, min: 1, max: 64 }),
  /** What a killed replica costs a run that it carried out. */
  NOTEBOOKS_RUN_LEASE_SECONDS: integer({ default: 30, min: 3, max: 3_600 }),
  /** How often a run is begun when what carries it out is lost. */
  NOTEBOOKS_RUN_ATTEMPTS: integer({ default: 3, min: 1, max: 100 }),
  /** Kept ready, so that a start is quick; each holds some 170 MB. */
  NOTEBOOKS_WARM_KERNELS: integer({ default: 1, min: 0, max: 100 }),
  /** The bubblewrap to use; else the one on PATH, else that of Debian's package. */
  BWRAP_BINARY: optional(text()),
  /** A folder with a distribution of Pyodide: its wheels and their lock file. */
  PYODIDE_PACKAGES: optional(text()),
  /** A Python that has ipykernel, whose kernels are used instead of Pyodide's. */
  NOTEBOOKS_PYTHON: optional(text()),
  /** A Jupyter Server or Enterprise Gateway, whose kernels are used instead of any here. */
  JUPYTER_URL: optional(url({ protocols: ['https', 'http'], example: 'http://jupyter:8888/' })),
  JUPYTER_TOKEN: optional(secret(text())),
  /** Programs that are unpacked are kept in it. */
  PLATFORM_HOME: optional(text()),
  /** 1 credit = 1,000,000 micros. */
  NOTEBOOKS_KERNEL_MINUTE_MICROS: integer({ default: 10_000, min: 0, max: 1_000_000_000 }),
};
