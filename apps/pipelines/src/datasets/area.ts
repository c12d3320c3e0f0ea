import { fileTransfers, openObjects } from '@platform-backend/objects';
import type { Area, RunningJob } from '@platform-backend/service';
import { availableParallelism } from 'node:os';
import type { ConnectionsExports } from '../connections/area.ts';
import type { CreditsExports } from '../credits/area.ts';
import type { PipelinesContext, service } from '../service.ts';
import type { StepEngineExports } from '../step-engine/area.ts';
import { datasetFileHandlers } from './api/dataset-file-handlers.ts';
import { datasetHandlers } from './api/dataset-handlers.ts';
import { askedSteps } from './app/asked-steps.ts';
import { datasetSteps } from './app/dataset-steps.ts';
import { datasetUseCases } from './app/datasets.ts';
import { datasetQueries } from './app/query-datasets.ts';
import { openDatasetFile } from './app/read-dataset-file.ts';
import { readFromSource } from './app/read-from-source.ts';
import { newRoundRobin, readUploads, type RoundRobin } from './app/read-uploads.ts';
import { removeObjects } from './app/remove-objects.ts';
import { uploadOwner } from './app/upload-owner.ts';
import { datasetFiles } from './store/dataset-files.ts';
import { datasetsReadFrom, datasetsStore, removeDatasets } from './store/datasets-store.ts';
import { objectRemovalsStore } from './store/object-removals-store.ts';
import { recordRunOutputs } from './store/run-outputs.ts';

export type DatasetsExports = Awaited<ReturnType<typeof datasetsArea>>['exports'];

/** How often work is looked for of which nobody has told this process, in milliseconds. */
const POLL_EVERY_MS = 5_000;
/** Where clients bring bytes to the platform itself, they are lost sight of only when a process dies. */
const POLL_FOR_LOST_EVERY_MS = 60_000;

/** Of rows that are answered: what a message between services and the page of a client hold. */
const ANSWER_BYTES = 512 * 1024;
/** What is read may be larger as Parquet than it came, and is kept once. */
const OUTPUT_FACTOR = 4;

/** Most of them in this process, and of one organisation: what they wait for is slow, and takes nothing here meanwhile but a file. */
const [CONNECTIONS_AT_ONCE, SHARE] = [8, 2];

interface DatasetsNeeds {
  readonly credits: CreditsExports;
  readonly stepEngine: StepEngineExports;
  readonly connections: ConnectionsExports;
}

/** Datasets: uploaded, read, kept by their versions, asked, with their dictionary and where they came from. */
export const datasetsArea = async (
  { settings, storage: { database }, clock, logger, repeat, defer }: PipelinesContext,
  { credits, stepEngine, connections }: DatasetsNeeds,
) => {
  const objects = await openObjects(settings, clock, 'pipelines', {
    uploads: '/dataset-uploads/',
    downloads: '/dataset-downloads/',
  });
  defer(() => objects.store.close());
  const files = await datasetFiles(objects, stepEngine.workDirectory);
  const [datasets, removals] = [datasetsStore(database), objectRemovalsStore(database)];
  const keeping = { files, removals, clock };
  const runDatasetStep = datasetSteps({ ...keeping, runStepFor: stepEngine.runStepFor });
  const limits = { memoryBytes: stepEngine.memoryBytes, threads: availableParallelism(), rows: 0 };
  const maxBytes = settings.PIPELINES_DATASET_MAX_BYTES;

  const readers: RunningJob[] = [];
  const readingLimits = { ...limits, seconds: settings.PIPELINES_READ_SECONDS, outputBytes: maxBytes * OUTPUT_FACTOR };
  const ports = {
    datasets,
    files,
    removals,
    clock,
    maxBytes,
    pollEveryMs: objects.localEndpoint ? POLL_FOR_LOST_EVERY_MS : POLL_EVERY_MS,
    wake: () => readers.forEach((reader) => reader.wake()),
    runDatasetStep,
    readFromSource: readFromSource({
      ...{ ...keeping, maxBytes, limits: readingLimits },
      readSource: connections.readSource,
      runStepFor: stepEngine.runStepFor,
    }),
    requireSource: connections.requireSource,
    limits: readingLimits,
    leaseMs: settings.PIPELINES_READ_LEASE_SECONDS * 1000,
    logger,
  };
  const readersOf = (name: string, many: number, roundRobin: RoundRobin): void => {
    const run = (stopping: AbortSignal) => readUploads(ports, roundRobin, stopping);
    const untilDueMs = () => datasets.untilDue(roundRobin.queue, clock.now());
    for (let count = 0; count < many; count += 1)
      readers.push(repeat({ name, everyMs: POLL_EVERY_MS, run, untilDueMs }));
  };
  // Queries find slots beside them.
  readersOf('the reading of uploads', stepEngine.share, newRoundRobin({ queue: 'FILES' }));
  readersOf('the reading of connections', CONNECTIONS_AT_ONCE, newRoundRobin({ queue: 'CONNECTIONS', share: SHARE }));
  const asked = askedSteps(settings.PIPELINES_QUERY_SECONDS);
  const queries = datasetQueries({
    datasets,
    runDatasetStep,
    withCredits: credits.withCreditsFor('dataset_query'),
    asked,
    limits: { ...limits, outputBytes: ANSWER_BYTES },
  });
  const useCases = datasetUseCases(ports);
  const openFile = openDatasetFile({
    ...{ files, asked, limits },
    datasets: useCases,
    runStepFor: stepEngine.runStepFor,
  });
  return {
    handlers: {
      DatasetService: datasetHandlers({ ...useCases, ...queries, openFile }, datasets),
      DatasetFileService: datasetFileHandlers(fileTransfers(objects, uploadOwner(ports))),
    },
    jobs: [
      {
        name: 'the removal of objects',
        everyMs: POLL_EVERY_MS,
        run: (stopping) => removeObjects(keeping, stopping),
        untilDueMs: () => removals.untilDue(clock.now()),
      },
    ],
    removeOrganisation: removeDatasets,
    exports: {
      datasets,
      files,
      removals,
      keeping,
      recordRunOutputs,
      datasetsReadFrom,
      /** For steps of runs. */
      runDatasetStep: datasetSteps({ ...keeping, runStepFor: stepEngine.runStepOfRunFor }),
    },
  } satisfies Area<typeof service.declaration>;
};
