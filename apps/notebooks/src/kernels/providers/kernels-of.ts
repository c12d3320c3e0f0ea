import type { KernelHandle, KernelLimits } from '../domain/kernel-provider.ts';
import type { KernelMetrics } from './kernel-metrics.ts';
import type { Preparation } from './kernel-preparation.ts';
import type { StartRun } from './kernel-run.ts';
import { liveKernel } from './live-kernel.ts';

/** The kernels that a provider has begun and that have not ended. */
export interface Kernels {
  readonly begin: (limits: KernelLimits, start: StartRun, preparation?: Preparation) => Promise<KernelHandle>;
  readonly shutdown: () => Promise<void>;
}

export function kernelsOf(graceMs: number | undefined, { died }: Pick<KernelMetrics, 'died'>): Kernels {
  const kernels = new Set<KernelHandle>();
  return {
    async begin(limits, start, preparation = {}) {
      const kernel = await liveKernel({ start, limits, preparation, died, ...(graceMs !== undefined && { graceMs }) });
      kernels.add(kernel);
      void kernel.died.then(() => kernels.delete(kernel));
      return {
        ...kernel,
        async shutdown() {
          kernels.delete(kernel);
          await kernel.shutdown();
        },
      };
    },
    async shutdown() {
      await Promise.all([...kernels].map(async (kernel) => await kernel.shutdown()));
    },
  };
}
