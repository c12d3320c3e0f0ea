import type { Area } from '@platform-backend/service';
import type { KernelsExports } from '../kernels/area.ts';
import type { NotebooksExports } from '../notebooks/area.ts';
import type { NotebooksContext, service } from '../service.ts';
import { kernelJobHandlers } from './api/kernel-job-handlers.ts';
import { notebookRunHandlers } from './api/notebook-run-handlers.ts';
import { checkPrograms } from './app/check-programs.ts';
import { compilingKernel } from './app/compiling-kernel.ts';
import { notebookRunExecutor, type NotebookRunLimits } from './app/execute-notebook-runs.ts';
import { notebookRunUseCases } from './app/notebook-runs.ts';
import { removeEndedRuns } from './app/remove-ended-runs.ts';
import { kernelJobs } from './app/run-kernel-job.ts';
import { pythonDatasets, pythonSyntax } from './job-program/job-program.ts';
import { notebookRunsStore } from './store/notebook-runs-store.ts';
import { notebookProgramsThread } from './threads/notebook-programs-thread.ts';

const RUNS_EVERY_MS = 1_000;
const HOUR_MS = 3_600_000;
const MIB = 1024 * 1024;

/** Notebook runs: notebooks and programs that run to their end without a person, also for other services. */
export const notebookRunsArea = (
  { settings, storage, clock, logger, defer }: NotebooksContext,
  {
    kernels: { useCases: kernels, provider, limits },
    notebooks: { useCases: notebookApp, notebooks, pages },
  }: { readonly kernels: KernelsExports; readonly notebooks: NotebooksExports },
) => {
  const programs = notebookProgramsThread();
  defer(() => programs.close());
  const runs = notebookRunsStore(storage.database);
  const maxOpen = settings.NOTEBOOKS_RUNS_PER_ORGANISATION;
  const allowed: NotebookRunLimits = {
    atOnce: settings.NOTEBOOKS_RUN_CONCURRENCY,
    seconds: settings.NOTEBOOKS_RUN_SECONDS,
    shownBytes: settings.NOTEBOOKS_RUN_OUTPUT_MB * MIB,
    attempts: { leaseMs: settings.NOTEBOOKS_RUN_LEASE_SECONDS * 1_000, maxAttempts: settings.NOTEBOOKS_RUN_ATTEMPTS },
  };
  const carrying = notebookRunExecutor({ runs, programs, kernels, limits, allowed, clock, logger });
  defer(() => carrying.close());
  const compiling = compilingKernel({ provider, syntax: pythonSyntax, limits, logger });
  return {
    handlers: {
      NotebookRunService: notebookRunHandlers(
        notebookRunUseCases({ runs, notebooks, programs, kernels, pages, clock, maxOpen }),
      ),
      KernelJobService: kernelJobHandlers({
        runKernelJob: kernelJobs({ kernels, notebooks, programs, datasets: pythonDatasets, limits }),
        checkPrograms: checkPrograms({ notebooks, programs, compiling }),
        findNotebook: (...asked) => notebookApp.findNotebook(...asked),
        checkAccess: kernels.checkAccess,
      }),
    },
    jobs: [
      {
        name: 'the runs of notebooks',
        everyMs: RUNS_EVERY_MS,
        run: () => carrying.begin(),
        untilDueMs: async () => (carrying.owesStops() ? 0 : runs.untilDue(clock.now())),
      },
      {
        name: 'the removal of old runs',
        everyMs: HOUR_MS,
        run: (stopping) =>
          removeEndedRuns({ runs, clock, retentionDays: settings.NOTEBOOKS_RUN_RETENTION_DAYS }, stopping),
      },
    ],
    exports: {},
  } satisfies Area<typeof service.declaration>;
};
