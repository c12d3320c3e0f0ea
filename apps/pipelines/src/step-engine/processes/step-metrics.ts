import type { Metrics } from '@platform-backend/core/metrics';
import type { StepReport } from '../domain/step-job.ts';

type Observing = Pick<Metrics, 'counter' | 'histogram' | 'observe'>;

/** What has jobs: steps of runs, or whatever somebody waits for. */
export type JobKind = 'step' | 'query';

export interface StepMetrics {
  /** A process was started. */
  readonly started: () => void;
  /** A job had waited so long for its place and its process. */
  readonly began: (waitedSeconds: number) => void;
  /** Undefined: it was cancelled, or could not be carried out. */
  readonly ended: (report: Pick<StepReport, 'outcome' | 'code'> | undefined) => void;
  /** Read whenever metrics are collected. */
  readonly observe: (read: {
    readonly processes: Record<ProcessState, () => number>;
    readonly waiting: () => number;
  }) => void;
}

type ProcessState = 'working' | 'idle' | 'warm';

/** From a job that begins at once to one that waits for others which take as long as they may. */
const WAIT_SECONDS = [0.01, 0.1, 1, 10, 60, 600, 3600];

/** Those ends that somebody who runs the platform can do something about. */
const TOLD = new Set(['timed_out', 'out_of_memory', 'too_large', 'lost']);

/** One for each kind of job of a process of the service. */
export function stepMetrics(metrics: Observing): (kind: JobKind) => StepMetrics {
  const started = metrics.counter(
    'pipelines_step_processes_started_total',
    'Processes started for steps and queries.',
    ['kind'],
  );
  const ended = metrics.counter('pipelines_jobs_total', 'Steps and queries that are over, by what became of them.', [
    'kind',
    'outcome',
  ]);
  const waited = metrics.histogram({
    name: 'pipelines_job_wait_seconds',
    help: 'How long steps and queries waited on this replica for a place and a process.',
    labels: ['kind'],
    buckets: WAIT_SECONDS,
  });
  return (kind) => ({
    started: () => started(kind),
    began: (seconds) => waited(seconds, kind),
    ended: (report) => ended(kind, report ? outcomeOf(report) : 'cancelled'),
    observe({ processes, waiting }) {
      for (const [state, read] of Object.entries(processes))
        metrics.observe('pipelines_step_processes', 'Processes for steps and queries.', read, { kind, state });
      metrics.observe('pipelines_jobs_waiting', 'Steps and queries that wait on this replica.', waiting, { kind });
    },
  });
}

const outcomeOf = ({ outcome, code }: Pick<StepReport, 'outcome' | 'code'>): string =>
  TOLD.has(code) ? code : outcome === 'SUCCEEDED' ? 'succeeded' : 'failed';
