import { openSandbox } from '@platform-backend/sandbox';
import type { Area } from '@platform-backend/service';
import { join } from 'node:path';
import type { PipelinesContext, service } from '../service.ts';
import { bundledProgram } from './processes/bundled-program.ts';
import { stepMetrics } from './processes/step-metrics.ts';
import { stepProcesses } from './processes/step-processes.ts';
import { openWorkDirectory } from './processes/work-directory.ts';

export type StepEngineExports = Awaited<ReturnType<typeof stepEngineArea>>['exports'];

/** The step engine: jobs in processes that reach nothing but their tables, and none of which is of two organisations. */
export const stepEngineArea = async ({ settings, logger, metrics, defer }: PipelinesContext) => {
  const memoryBytes = settings.PIPELINES_STEP_MEMORY_BYTES;
  const workDirectory = await openWorkDirectory({
    directory: settings.PIPELINES_WORK_DIRECTORY,
    home: settings.PLATFORM_HOME,
  });
  defer(workDirectory.remove);
  const directory = join(workDirectory.own, 'steps');
  const sandbox = await openSandbox({
    binary: settings.BWRAP_BINARY,
    ...(settings.PLATFORM_HOME !== undefined && { cacheDirectory: join(settings.PLATFORM_HOME, 'programs') }),
  });
  if (sandbox.kind === 'none')
    logger.warn(
      { event: 'steps.no_sandbox', reason: sandbox.reason },
      'steps have no sandbox here but that of their engine',
    );
  const { program, remove } = bundledProgram({
    sandbox,
    directory,
    engines: join(workDirectory.shared, 'steps'),
    logger,
  });
  defer(remove);
  const jobsPerProcess = settings.PIPELINES_JOBS_PER_PROCESS;
  const common = { sandbox, program, directory, memoryBytes, jobsPerProcess, logger };
  const metricsOf = stepMetrics(metrics);
  metrics.observe('pipelines_step_sandbox', 'The sandbox of steps and queries.', () => 1, { kind: sandbox.kind });
  // What people wait for never waits for steps of runs, which may take hours.
  const [steps, queries] = [settings.PIPELINES_STEP_PROCESSES, settings.PIPELINES_QUERY_PROCESSES];
  const share = Math.floor(queries / 2);
  // One more is for whoever would wait for steps of others that take hours.
  const ofRuns = stepProcesses({ ...common, processes: steps + 1, warm: steps, metrics: metricsOf('step') });
  const ofQueries = stepProcesses({ ...common, processes: queries, share, warm: 1, metrics: metricsOf('query') });
  defer(ofRuns.close);
  defer(ofQueries.close);
  return {
    exports: {
      /** For steps of runs. */
      runStepOfRunFor: ofRuns.runStepFor,
      /** For whatever somebody waits for. */
      runStepFor: ofQueries.runStepFor,
      /** So many of the latter an organisation has at once. */
      share,
      memoryBytes,
      workDirectory: workDirectory.own,
    },
  } satisfies Area<typeof service.declaration>;
};
