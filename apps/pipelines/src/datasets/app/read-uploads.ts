import { newId, serviceActorContext, unavailable, unchanged, workInTurns, type Logger } from '@platform-backend/core';
import type { RejectedRows } from '../../step-engine/domain/csv.ts';
import type { StepLimits } from '../../step-engine/domain/step-job.ts';
import type { DatasetStepReport, RunDatasetStep } from '../domain/dataset-steps.ts';
import type { Dataset, DatasetUpload } from '../domain/dataset.ts';
import type { DueUpload, UploadQueue } from '../domain/datasets.ts';
import {
  beginReading,
  failReading,
  finishReading,
  renewReading,
  recordMissingUpload,
  recordUpload,
} from '../domain/upload-dataset.ts';
import type { DatasetPorts } from './datasets.ts';
import type { ReadFromSource } from './read-from-source.ts';

export interface ReadingPorts extends DatasetPorts {
  readonly runDatasetStep: RunDatasetStep;
  readonly readFromSource: ReadFromSource;
  readonly limits: StepLimits;
  /** What a killed reader costs its upload at most. */
  readonly leaseMs: number;
  readonly logger: Pick<Logger, 'warn'>;
}

/** Whose turn it was last, and whose are being read, of all readers of a queue in this process. */
export interface RoundRobin {
  readonly queue: UploadQueue;
  /** Most of one organisation at once; any number unless given. */
  readonly share?: number;
  last: string;
  readonly underWay: Map<string, number>;
}

export const newRoundRobin = (of: Pick<RoundRobin, 'queue' | 'share'>): RoundRobin => ({
  ...of,
  last: '',
  underWay: new Map(),
});

/** Sees to uploads until there is none that is due: of each organisation one, round and round. */
export async function readUploads(ports: ReadingPorts, roundRobin: RoundRobin, stopping: AbortSignal): Promise<void> {
  const { queue, share = Infinity, underWay } = roundRobin;
  const next = (last: string) => {
    const busy = [...underWay].flatMap(([id, count]) => (count < share ? [] : id));
    return ports.datasets.nextDue(queue, last, ports.clock.now(), busy);
  };
  await workInTurns(roundRobin, stopping, next, (due) => {
    const count = (change: number) => countOf(underWay, due.organisationId, change);
    count(1);
    return seeTo(ports, due, stopping)
      .catch((error: unknown) => {
        ports.logger.warn(
          { event: 'dataset_upload.failed', err: error, ...due },
          'an upload could not be seen to, trying again',
        );
        return false;
      })
      .finally(() => count(-1));
  });
}

function countOf(underWay: Map<string, number>, organisationId: string, change: number): void {
  const count = (underWay.get(organisationId) ?? 0) + change;
  if (count > 0) underWay.set(organisationId, count);
  else underWay.delete(organisationId);
}

/** False where somebody else is at it. */
async function seeTo(ports: ReadingPorts, due: DueUpload, stopping: AbortSignal): Promise<boolean> {
  const { datasets, clock, leaseMs } = ports;
  const { organisationId, datasetId } = due;
  const by = serviceActorContext('pipelines', organisationId, newId());
  const found = await datasets.find(organisationId, datasetId);
  if (found?.upload?.status === 'PENDING' && !(await pollUpload(ports, due, found))) return true;
  const at = clock.now();
  const leaseUntil = new Date(at.getTime() + leaseMs);
  const { reading, mine } = await datasets.change(by, datasetId, (dataset) => {
    const decision = beginReading(dataset, leaseUntil, at);
    return { ...decision, result: { reading: decision.state, mine: decision.state !== dataset } };
  });
  if (mine && reading?.upload?.status === 'READING') await read(ports, due, reading, stopping);
  return mine;
}

/** Whether the bytes are there, as they are in S3, and where a process has died at the end of an upload. */
async function pollUpload(
  { datasets, files, clock, maxBytes, pollEveryMs }: ReadingPorts,
  due: DueUpload,
  { upload }: Dataset,
) {
  if (!upload) return false;
  const { objectKey } = upload;
  const bytes = await files.sizeOf(objectKey);
  const by = serviceActorContext('pipelines', due.organisationId, newId());
  const at = clock.now();
  await datasets.change(by, due.datasetId, (dataset) => {
    if (dataset?.upload?.objectKey !== objectKey) return unchanged(dataset);
    if (bytes !== undefined) return recordUpload(dataset, { objectKey, bytes, maxBytes }, at);
    return recordMissingUpload(dataset, new Date(at.getTime() + pollEveryMs), at);
  });
  return bytes !== undefined;
}

async function read(ports: ReadingPorts, due: DueUpload, dataset: Dataset, stopping: AbortSignal): Promise<void> {
  const { datasets, clock, leaseMs, logger } = ports;
  const { organisationId, datasetId } = due;
  const { upload } = dataset;
  if (!upload) return;
  const by = serviceActorContext('pipelines', organisationId, newId());
  const gone = new AbortController();
  const renew = async (): Promise<void> => {
    const until = new Date(clock.now().getTime() + leaseMs);
    const kept = await datasets.change(by, datasetId, (now) => renewReading(now, upload, until));
    if (kept?.upload?.id !== upload.id || kept.upload.attempts !== upload.attempts)
      gone.abort(new Error('somebody else reads it now'));
  };
  const timer = setInterval(() => {
    renew().catch((error: unknown) =>
      logger.warn({ event: 'dataset_upload.lease_renewal_failed', err: error, ...due }, 'a lease could not be renewed'),
    );
  }, leaseMs / 3);
  try {
    const { output, outcome, code, message, rejected } = await carriedOut(
      ports,
      organisationId,
      { name: dataset.name, upload },
      AbortSignal.any([stopping, gone.signal]),
    );
    if (outcome === 'ERROR') throw unavailable(new Error(message));
    const { count: rejectedRowCount, rows } = rejected ?? noneRejected;
    if (rows.length > 0) await datasets.recordRejectedRows(organisationId, datasetId, upload.id, rows);
    const at = clock.now();
    await datasets.change(by, datasetId, (now) => {
      return output
        ? finishReading(now, upload, { ...output, rejectedRowCount }, at)
        : failReading(now, upload, { code, message }, rejectedRowCount);
    });
  } finally {
    clearInterval(timer);
  }
}

function carriedOut(
  { runDatasetStep, readFromSource, limits }: ReadingPorts,
  organisationId: string,
  { name, upload: { source, objectKey, format, csv } }: { readonly name: string; readonly upload: DatasetUpload },
  signal: AbortSignal,
): Promise<DatasetStepReport> {
  if (source) return readFromSource(organisationId, { name, source }, signal);
  if (format === 'json') throw new Error('no upload is of this format');
  return runDatasetStep(
    organisationId,
    {
      kind: 'INGEST',
      inputs: [{ name, objectKey, format, ...(csv && { csv }) }],
      query: '',
      output: { name },
      limits,
    },
    { signal, onLog: () => undefined },
  );
}

const noneRejected: RejectedRows = { count: 0, rows: [] };
