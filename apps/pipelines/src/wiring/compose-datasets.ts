import type { KernelJobServiceClient } from '@platform-backend/contract-notebooks';
import { newId } from '@platform-backend/core';
import type { CallOptions } from '@platform-backend/grpc';
import { openObjects } from '@platform-backend/objects';
import { openSandbox } from '@platform-backend/sandbox';
import { repeat, type ServiceContext, type PeriodicJob, type RunningJob } from '@platform-backend/service';
import { availableParallelism, tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';
import { datasetFileHandlers } from '../datasets/api/dataset-file-handlers.ts';
import { datasetHandlers } from '../datasets/api/dataset-handlers.ts';
import { datasetSteps } from '../datasets/app/dataset-steps.ts';
import { datasetUseCases } from '../datasets/app/datasets.ts';
import { datasetQueries } from '../datasets/app/query-datasets.ts';
import { readUploads } from '../datasets/app/read-uploads.ts';
import { removeObjects } from '../datasets/app/remove-objects.ts';
import { datasetFileUseCases } from '../datasets/app/transfer-dataset-files.ts';
import { datasetFiles } from '../datasets/store/dataset-files.ts';
import { datasetsStore } from '../datasets/store/datasets-store.ts';
import { objectRemovalsStore } from '../datasets/store/object-removals-store.ts';
import type { service } from '../service.ts';
import { bundledProgram } from '../step-engine/processes/bundled-program.ts';
import { stepProcesses, type StepProcesses } from '../step-engine/processes/step-processes.ts';
import { kernelPrograms } from '../steps/app/kernel-programs.ts';
import { kernelSteps } from '../steps/app/kernel-steps.ts';
import { notebooksKernels } from '../steps/clients/notebooks-kernels.ts';

/** How often work is looked for of which nobody has told this process, in milliseconds. */
const LOOK_EVERY_MS = 5_000;
/** Where clients bring bytes to the platform itself, they are lost sight of only when a process dies. */
const LOOK_FOR_LOST_EVERY_MS = 60_000;

/** Of rows that are answered: what a message between services and the page of a client hold. */
const ANSWER_BYTES = 512 * 1024;
/** What is read may be larger as Parquet than it came, and is kept once. */
const OUTPUT_FACTOR = 4;

/** Datasets: their handlers, what goes on beside the calls, and the steps that pipelines run over them. */
export async function composeDatasets(frame: ServiceContext<typeof service.declaration>) {
  const { settings, storage, clock, logger, defer, clientIfThere } = frame;
  const { database } = storage;
  const objects = await openObjects(settings, clock, {
    uploads: '/dataset-uploads/',
    downloads: '/dataset-downloads/',
  });
  defer(() => objects.store.close());
  const directory = join(tmpdir(), `platform-pipelines-${String(userInfo().uid)}`);
  const files = await datasetFiles(objects, directory);
  const [datasets, removals] = [datasetsStore(database), objectRemovalsStore(database)];

  const memoryBytes = settings.PIPELINES_STEP_MEMORY_BYTES;
  const sandbox = await openSandbox({
    binary: settings.BWRAP_BINARY,
    ...(settings.PLATFORM_HOME !== undefined && { cacheDirectory: join(settings.PLATFORM_HOME, 'programs') }),
  });
  if (sandbox.kind === 'none')
    logger.warn(
      { event: 'steps.no_sandbox', reason: sandbox.reason },
      'steps have no sandbox here but that of their engine',
    );
  const bundled = bundledProgram({ sandbox, directory: join(directory, 'steps'), logger });
  defer(bundled.remove);
  const { program } = bundled;
  const common = { sandbox, program, directory: join(directory, 'steps'), memoryBytes, logger };
  // What people wait for never waits for steps of runs, which may take hours.
  const [steps, queryProcesses] = [settings.PIPELINES_STEP_PROCESSES, settings.PIPELINES_QUERY_PROCESSES];
  const share = Math.floor(queryProcesses / 2);
  const ofRuns = stepProcesses({ ...common, processes: steps, warm: steps });
  const ofQueries = stepProcesses({ ...common, processes: queryProcesses, share, warm: 1 });
  defer(ofRuns.close);
  defer(ofQueries.close);
  const stepPorts = { files, removals, runStepFor: ofRuns.runStepFor, clock, newId };
  const runDatasetStep = datasetSteps(stepPorts);
  const askDatasets = datasetSteps({ ...stepPorts, runStepFor: ofQueries.runStepFor });
  const jobs = clientIfThere<KernelJobServiceClient<CallOptions>>('platform.notebooks.v1.KernelJobService');
  const kernels = jobs && notebooksKernels(jobs);
  const programsOver = ({ runStepFor }: StepProcesses) => kernels && kernelPrograms({ runStepFor, kernels, clock });
  const [programOfRun, runProgram] = [programsOver(ofRuns), programsOver(ofQueries)];
  const runKernelStep = programOfRun && kernelSteps({ ...stepPorts, runProgram: programOfRun });
  const limits = { memoryBytes, threads: availableParallelism(), rows: 0 };
  const maxBytes = settings.PIPELINES_DATASET_MAX_BYTES;

  const begun: RunningJob[] = [];
  const ports = {
    datasets,
    files,
    clock,
    newId,
    maxBytes,
    lookEveryMs: files.door ? LOOK_FOR_LOST_EVERY_MS : LOOK_EVERY_MS,
    wake: () => begun.forEach((reading) => reading.wake()),
    runDatasetStep: askDatasets,
    limits: { ...limits, seconds: settings.PIPELINES_READ_SECONDS, outputBytes: maxBytes * OUTPUT_FACTOR },
    leaseMs: settings.PIPELINES_READ_LEASE_SECONDS * 1000,
    logger,
  };
  const turns = { last: '' };
  const what = 'the reading of uploads';
  // Queries find places beside them.
  for (let reader = 1; reader <= share; reader += 1) {
    const work = (stopping: AbortSignal) => readUploads(ports, turns, stopping);
    const reading = repeat({ name: what, everyMs: LOOK_EVERY_MS, run: work }, logger);
    begun.push(reading);
    defer(() => reading.stop());
  }
  const queries = datasetQueries({
    datasets,
    runDatasetStep: askDatasets,
    limits: { ...limits, seconds: settings.PIPELINES_QUERY_SECONDS, outputBytes: ANSWER_BYTES },
  });

  const handlers = {
    DatasetService: datasetHandlers({ ...datasetUseCases(ports), ...queries }, datasets),
    DatasetFileService: datasetFileHandlers(datasetFileUseCases(ports)),
  };
  const repeated: readonly PeriodicJob[] = [
    {
      name: 'the removal of objects',
      everyMs: LOOK_EVERY_MS,
      run: (stopping) => removeObjects({ files, removals, clock }, stopping),
    },
  ];
  const ofPipelines = { datasets, files, removals, kernels, runDatasetStep, runKernelStep, runProgram };
  return { handlers, repeated, ...ofPipelines, runStepFor: ofQueries.runStepFor };
}
