import { serviceActorContext, unavailable, unchanged, type Logger } from '@platform-backend/core';
import type { RejectedRows } from '../../step-engine/domain/csv.ts';
import type { StepLimits } from '../../step-engine/domain/step-job.ts';
import type { RunDatasetStep } from '../domain/dataset-steps.ts';
import type { Dataset } from '../domain/dataset.ts';
import type { DueUpload } from '../domain/datasets.ts';
import {
  beginReading,
  failReading,
  finishReading,
  renewReading,
  recordMissingUpload,
  recordUpload,
} from '../domain/upload-dataset.ts';
import type { DatasetPorts } from './datasets.ts';

export interface ReadingPorts extends DatasetPorts {
  readonly runDatasetStep: RunDatasetStep;
  readonly limits: StepLimits;
  /** What a killed reader costs its upload at most. */
  readonly leaseMs: number;
  readonly logger: Pick<Logger, 'warn'>;
}

/** Whose turn it was last, of all readers of this process. */
export interface RoundRobin {
  last: string;
}

/** Sees to uploads until there is none that is due: of each organisation one, round and round. */
export async function readUploads(ports: ReadingPorts, roundRobin: RoundRobin, stopping: AbortSignal): Promise<void> {
  let missed = 0;
  // What cannot be had twice in a row is in the hands of somebody else.
  while (!stopping.aborted && missed < 2) {
    const due = await ports.datasets.nextDue(roundRobin.last, ports.clock.now());
    if (!due) return;
    roundRobin.last = due.organisationId;
    const isSeenTo = await seeTo(ports, due, stopping).catch((error: unknown) => {
      ports.logger.warn(
        { event: 'dataset_upload.failed', err: error, ...due },
        'an upload could not be seen to, trying again',
      );
      return false;
    });
    missed = isSeenTo ? 0 : missed + 1;
  }
}

/** False where somebody else is at it. */
async function seeTo(ports: ReadingPorts, due: DueUpload, stopping: AbortSignal): Promise<boolean> {
  const { datasets, clock, newId, leaseMs } = ports;
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
  { datasets, files, clock, newId, maxBytes, pollEveryMs }: ReadingPorts,
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
  const { datasets, clock, newId, runDatasetStep, limits, leaseMs, logger } = ports;
  const { organisationId, datasetId } = due;
  const { upload, name } = dataset;
  if (!upload) return;
  const { objectKey, format, csv } = upload;
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
    const { output, outcome, code, message, rejected } = await runDatasetStep(
      organisationId,
      {
        kind: 'INGEST',
        inputs: [{ name, objectKey, format, ...(csv && { csv }) }],
        query: '',
        output: { name },
        limits,
      },
      { signal: AbortSignal.any([stopping, gone.signal]), onLog: () => undefined },
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

const noneRejected: RejectedRows = { count: 0, rows: [] };
