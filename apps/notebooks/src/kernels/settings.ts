import { hostAndPort, integer, optional } from '@platform-backend/core';
import { providerSettings } from './providers/provider-settings.ts';

/** How many kernels there may be, of what make, how long they last, and what they cost. */
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
  NOTEBOOKS_KERNELS_PER_REPLICA: integer({
    default: 50,
    min: 1,
    max: 10_000,
    description:
      'kernels of all organisations that a replica has at once; each may hold what `NOTEBOOKS_KERNEL_MEMORY_MB` says',
  }),
  NOTEBOOKS_KERNEL_STARTS_PER_MINUTE: integer({
    default: 10,
    min: 1,
    max: 10_000,
    description: 'kernels that an organisation may start within a minute, those of pipelines’ steps not among them',
  }),
  ...providerSettings,
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
  NOTEBOOKS_KERNEL_MINUTE_MICROS: integer({
    default: 10_000,
    min: 0,
    max: 1_000_000_000,
    description: 'price of a minute of a kernel, in millionths of a credit; 0 asks billing for nothing',
  }),
  NOTEBOOKS_KERNEL_UNRESERVED_MINUTES: integer({
    default: 10,
    min: 0,
    max: 1_440,
    description: 'when a kernel ends for whose minutes, which are owed, billing could not be asked',
  }),
};
