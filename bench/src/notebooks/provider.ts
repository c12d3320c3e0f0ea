/** The direct variant to a kernel of Pyodide, which has no port of its own: the provider, in the process that measures. */
import { readConfiguration } from '@platform-backend/core';
import { createLogger } from '@platform-backend/core/logger';
import { kernelSettings } from '@platform-backend/notebooks/kernel-settings';
import { openKernels } from '@platform-backend/notebooks/kernels';
import type { Connect } from './wire.ts';

export interface OwnKernel {
  readonly connect: Connect;
  readonly stop: () => Promise<void>;
}

/** A kernel as the service would start it. */
export async function startOwnKernel(environment: Readonly<Record<string, string>>): Promise<OwnKernel> {
  const settings = readConfiguration({ ...environment }, kernelSettings);
  const provider = await openKernels(settings, createLogger({ service: 'bench', level: 'warn' }), {
    find: () => Promise.resolve(undefined),
    claim: (_shared, organisationId) => Promise.resolve(organisationId),
  });
  const kernel = await provider.start({
    kernelId: '0199a000-0000-7000-8000-000000000001',
    organisationId: 'bench',
    spec: 'python3',
    limits: {
      memoryBytes: settings.NOTEBOOKS_KERNEL_MEMORY_MB * 2 ** 20,
      executeSeconds: settings.NOTEBOOKS_KERNEL_EXECUTE_SECONDS,
      outputBytes: settings.NOTEBOOKS_KERNEL_OUTPUT_MB * 2 ** 20,
    },
  });
  return {
    connect(hear) {
      const leave = kernel.listen(hear);
      return Promise.resolve({
        say: async (message) => await kernel.send({ ...message, channel: 'shell', buffers: [] }),
        interrupt: async () => await kernel.interrupt(),
        close() {
          leave();
          return Promise.resolve();
        },
      });
    },
    stop: () => provider.close(),
  };
}
