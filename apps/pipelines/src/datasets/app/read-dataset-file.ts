import { deadlineExceeded, isNotFound, unavailable, type ActorContext } from '@platform-backend/core';
import type { FileFormat, RunStepFor, StepLimits, StepReport } from '../../step-engine/domain/step-job.ts';
import type { DatasetFiles } from '../domain/dataset-files.ts';
import type { Dataset, DatasetVersion } from '../domain/dataset.ts';
import { datasetTooLarge, datasetVersionNotFound } from '../domain/errors.ts';
import type { AskedSteps } from './asked-steps.ts';
import type { DatasetUseCases } from './datasets.ts';

export interface ReadDatasetFilePorts {
  readonly datasets: Pick<DatasetUseCases, 'getDataset' | 'versionOf'>;
  readonly files: DatasetFiles;
  readonly runStepFor: RunStepFor;
  readonly asked: AskedSteps;
  readonly limits: Pick<StepLimits, 'memoryBytes' | 'threads'>;
}

export interface DatasetFileSelection {
  readonly datasetId: string;
  /** 0: the current one. */
  readonly version: number;
  readonly format: FileFormat;
  /** A larger file is refused. */
  readonly maxBytes: number;
}

/** A version as a file, until it is disposed of. */
export interface DatasetFileToRead extends AsyncDisposable {
  readonly name: Dataset['name'];
  readonly version: Pick<DatasetVersion, 'id' | 'number'>;
  readonly bytes: number;
  /** To be called once. */
  readonly read: () => Promise<AsyncIterable<Uint8Array>>;
}

export type OpenDatasetFile = ReturnType<typeof openDatasetFile>;

/**
 * Opens a version as a file of some format: Parquet as it is kept, anything else made of that on this machine, which costs
 * nobody anything.
 */
export function openDatasetFile({ datasets, files, runStepFor, asked, limits }: ReadDatasetFilePorts) {
  return async (by: ActorContext, wanted: DatasetFileSelection, signal: AbortSignal): Promise<DatasetFileToRead> => {
    const { name } = await datasets.getDataset(by, wanted.datasetId);
    const version = await datasets.versionOf(by, wanted.datasetId, wanted.version);
    if (wanted.format !== 'parquet') {
      const written = await present(write(by, version, { ...wanted, name }, signal));
      return { name, version, ...written };
    }
    const { objectKey, bytes } = version;
    if (bytes > wanted.maxBytes) throw larger(wanted);
    return {
      ...{ name, version, bytes },
      read: () => present(files.read(objectKey, signal)),
      [Symbol.asyncDispose]: () => Promise.resolve(),
    };
  };

  async function write(
    { organisationId }: ActorContext,
    { objectKey }: DatasetVersion,
    { name, format, maxBytes }: DatasetFileSelection & { readonly name: string },
    signal: AbortSignal,
  ): Promise<Pick<DatasetFileToRead, 'bytes' | 'read'> & AsyncDisposable> {
    const folder = await files.openFolder();
    try {
      const file = folder.newPath('written');
      const report = await asked(organisationId, async (seconds) => {
        const input = { name: 'version', file: await folder.bring(objectKey, signal) };
        const output = { name, file, format };
        const step = { kind: 'EXPORT', inputs: [input], query: '', output } as const;
        const within = { ...limits, seconds, outputBytes: maxBytes, rows: 0 };
        return runStepFor(organisationId)({ ...step, limits: within }, { signal, onLog: () => undefined });
      });
      if (!report.output) throw failureOf(report, { format, maxBytes });
      return {
        bytes: report.output.bytes,
        read: () => Promise.resolve(folder.read(file)),
        [Symbol.asyncDispose]: () => folder[Symbol.asyncDispose](),
      };
    } catch (error) {
      await folder[Symbol.asyncDispose]();
      throw error;
    }
  }
}

type Asked = Pick<DatasetFileSelection, 'format' | 'maxBytes'>;

const NAMES: Readonly<Record<FileFormat, string>> = { parquet: 'Parquet', csv: 'CSV', jsonl: 'JSON lines' };

const larger = ({ format, maxBytes }: Asked): Error =>
  datasetTooLarge({ format: NAMES[format], limit: String(maxBytes / 2 ** 20) });

function failureOf({ code, message }: StepReport, wanted: Asked): Error {
  if (code === 'too_large') return larger(wanted);
  return code === 'timed_out' ? deadlineExceeded(new Error(message)) : unavailable(new Error(message));
}

/** Its bytes may be removed at any time, with the version. */
async function present<T>(reading: Promise<T>): Promise<T> {
  try {
    return await reading;
  } catch (error) {
    throw isNotFound(error) ? datasetVersionNotFound() : error;
  }
}
