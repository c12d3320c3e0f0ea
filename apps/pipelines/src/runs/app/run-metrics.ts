import { cachedForMetrics, type Clock } from '@platform-backend/core';
import type { RunStatus } from '../domain/run.ts';
import type { ReadySteps, RunSweeps } from '../domain/runs.ts';

interface ObservingMetrics {
  observe(name: string, help: string, read: () => Promise<number>, labels?: Readonly<Record<string, string>>): void;
  observeEach(name: string, help: string, label: string, read: () => Promise<ReadonlyMap<string, number>>): void;
}

const NOT_OVER: readonly RunStatus[] = ['Pending', 'Running', 'Cancelling'];

/** Of an organisation whose steps are begun within that time nothing is told, in seconds. */
const TOLD_FROM_SECONDS = 30;
/** Each is a series for every one of the metrics, on each replica. */
const TOLD_ORGANISATIONS = 10;

/**
 * Shows how many runs wait and go on, how long the oldest has waited, and whose steps wait longest to be begun; the same on every
 * replica.
 */
export function observeRuns(
  metrics: ObservingMetrics,
  sweeps: Pick<RunSweeps, 'queue' | 'readySteps'>,
  clock: Clock,
): void {
  const queue = cachedForMetrics(() => sweeps.queue());
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

  const readySteps = cachedForMetrics(() => sweeps.readySteps(TOLD_FROM_SECONDS, TOLD_ORGANISATIONS));
  const byOrganisation = (name: string, help: string, numberOf: (ready: ReadySteps) => number): void =>
    metrics.observeEach(
      name,
      help,
      'organisation',
      async () => new Map((await readySteps()).map((ready) => [ready.organisationId, numberOf(ready)])),
    );
  byOrganisation(
    'pipelines_ready_steps',
    'Steps that could be begun, of the ten organisations of which one has waited longest, for 30 seconds or more.',
    ({ steps }) => steps,
  );
  byOrganisation(
    'pipelines_oldest_ready_step_age_seconds',
    'How long the step of such an organisation has waited that has waited longest to be begun.',
    ({ oldestSeconds }) => oldestSeconds,
  );
}
