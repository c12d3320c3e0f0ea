import type { Metrics } from '@platform-backend/core/metrics';
import { deathCause } from '../domain/death-cause.ts';

/** Told of what becomes of the kernels of this replica. */
export interface KernelMetrics {
  /** One has begun, or begun again; `isWarm`: in a process that was ready. */
  readonly started: (isWarm: boolean) => void;
  /** One has ended by itself, and says why; it may be begun again. */
  readonly died: (reason: string) => void;
}

export function kernelMetrics(metrics: Pick<Metrics, 'counter'>): KernelMetrics {
  const started = metrics.counter('notebooks_kernel_starts_total', 'Starts of kernels, begun again ones among them.', [
    'start',
  ]);
  const died = metrics.counter(
    'notebooks_kernel_deaths_total',
    'Kernels of this replica that ended by themselves, by the reason.',
    ['reason'],
  );
  return {
    started: (isWarm) => started(isWarm ? 'warm' : 'cold'),
    died: (reason) => died(deathCause(reason)),
  };
}

export const unmeasured: KernelMetrics = { started: () => undefined, died: () => undefined };
