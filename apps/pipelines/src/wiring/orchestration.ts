import { newId, type Clock, type Logger } from '@platform-backend/core';
import type { WorkQueue } from '@platform-backend/events';
import type { Database } from '@platform-backend/postgres';
import type { PipelineVersion } from '../pipelines/domain/pipeline.ts';
import { enginesByRun } from '../runs/app/engines-by-run.ts';
import { runReconciler } from '../runs/app/run-reconciler.ts';
import { runReports } from '../runs/app/run-reports.ts';
import { runUseCases, type RunPorts } from '../runs/app/runs.ts';
import { argoEngine, type ArgoEngineOptions } from '../runs/argo/argo-engine.ts';
import { embeddedEngine, type EmbeddedEngineOptions } from '../runs/embedded/embedded-engine.ts';
import { runSweepsStore, runWorkersStore } from '../runs/store/run-sweeps-store.ts';
import { runsStore, type RunsStoreOptions } from '../runs/store/runs-store.ts';

export interface OrchestrationOptions
  extends
    Pick<EmbeddedEngineOptions, 'executeStep' | 'places'>,
    Pick<RunPorts, 'pipelines' | 'findVersion' | 'kernels' | 'credits' | 'microsPerStepSecond'>,
    Pick<RunsStoreOptions, 'recordOutputs' | 'countScheduledRuns'> {
  readonly database: Database;
  readonly queue: WorkQueue;
  /** Undefined: there is none. */
  readonly argo?: ArgoParts | undefined;
  /** Runs of an organisation that go on at the same time. */
  readonly mostOfOrganisation: number;
  readonly clock: Clock;
  readonly logger: Logger;
}

export interface ArgoParts extends Pick<ArgoEngineOptions, 'cluster' | 'jobs' | 'workflow' | 'findVersion'> {
  /** Whether it gets a run; the others are the embedded engine's. */
  readonly takes: (organisationId: string, version: PipelineVersion) => boolean;
}

/** Everything about runs but what their steps do, which may be nothing where only the rest is measured. */
export function openOrchestration(options: OrchestrationOptions) {
  const { database, clock, logger, mostOfOrganisation } = options;
  // The engines need the runs, and what follows from a change needs the engines.
  const runs = runsStore({ ...options, onChanged: (changed) => app.followUp(changed) });
  const sweeps = runSweepsStore(database, clock, mostOfOrganisation);
  const embedded = embeddedEngine({ ...options, workers: runWorkersStore(database), worker: newId() });
  const { argo: parts } = options;
  const argo = parts && argoEngine({ ...parts, runs, sweeps, clock, logger });
  const engine = enginesByRun(argo ? [embedded, argo] : [embedded], logger);
  const engineFor = (organisationId: string, version: PipelineVersion): string =>
    (argo && parts.takes(organisationId, version) ? argo : embedded).name;
  const app = runUseCases({ ...options, runs, engine, engineFor });
  const reports = runReports({ runs, clock, newId });
  const { credits } = options;
  return {
    app,
    runs,
    keeping: runReconciler({ runs, sweeps, engine, credits, app, clock, newId, logger }),
    /** Takes steps from the queue, and follows workflows, until it is stopped. */
    work: () => {
      const working = embedded.work(reports);
      const following = argo?.work(reports);
      return {
        following,
        stop: async () => {
          await Promise.all([working.stop(), following?.stop()]);
        },
      };
    },
  };
}
