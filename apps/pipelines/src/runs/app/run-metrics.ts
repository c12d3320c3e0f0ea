import { askedSeldom, type Clock } from '@platform-backend/core';
import type { RunStatus } from '../domain/run.ts';
import type { RunSweeps } from '../domain/runs.ts';

interface ObservingMetrics {
  observe(name: string, help: string, read: () => Promise<number>, labels?: Readonly<Record<string, string>>): void;
}

const NOT_OVER: readonly RunStatus[] = ['Pending', 'Running', 'Cancelling'];

/** Shows how many runs wait and go on, and how long the oldest has waited; the same on every replica. */
export function observeRuns(metrics: ObservingMetrics, sweeps: Pick<RunSweeps, 'queue'>, clock: Clock): void {
  const queue = askedSeldom(() => sweeps.queue());
  const of = async (status: RunStatus) => (await queue()).find((one) => one.status === status);
  for (const status of NOT_OVER)
    metrics.observe('pipelines_runs', 'Runs that are not over.', async () => (await of(status))?.runs ?? 0, { status });
  metrics.observe(
    'pipelines_oldest_pending_run_age_seconds',
    'How long the run has waited that has waited longest to begin; 0: none waits.',
    async () => {
      const now = clock.now();
      return (now.getTime() - ((await of('Pending'))?.oldest ?? now).getTime()) / 1000;
    },
  );
}
