import { newId, type ActorContext, type Clock, type Page, type PageRequest } from '@platform-backend/core';
import type { ConnectionSource } from '../../connections/domain/source.ts';
import type { CsvOptions, RejectedRow } from '../../step-engine/domain/csv.ts';
import type { FileFormat } from '../../step-engine/domain/step-job.ts';
import {
  changeDataset,
  deleteDataset,
  describeColumns,
  existing,
  type ChangeDataset,
} from '../domain/change-dataset.ts';
import type { DatasetFiles, SignedUpload } from '../domain/dataset-files.ts';
import type { Dataset, DatasetVersion, DictionaryEntry } from '../domain/dataset.ts';
import type { DatasetList, Datasets } from '../domain/datasets.ts';
import { compareDictionaries, type DictionaryChanges } from '../domain/dictionary.ts';
import { datasetEmpty, datasetVersionNotFound, nothingUploaded } from '../domain/errors.ts';
import { URL_LIFETIME_MS } from '../domain/limits.ts';
import { uploadKey } from '../domain/object-keys.ts';
import { createFromSource, refreshDataset, requireSourceCsv, type ReadFromSource } from '../domain/read-from-source.ts';
import { contentTypes, recordUpload, requestUpload } from '../domain/upload-dataset.ts';

export interface DatasetPorts {
  readonly datasets: Datasets;
  readonly files: DatasetFiles;
  readonly clock: Clock;
  /** Of an upload. */
  readonly maxBytes: number;
  /** How often bytes are looked for that come without a word. */
  readonly pollEveryMs: number;
  /** Has uploads seen to soon. */
  readonly wake: () => void;
  /** NOT_FOUND: there is no such connection. INVALID: it is of another kind. */
  readonly requireSource: (by: ActorContext, source: ConnectionSource) => Promise<void>;
}

export type NewDataset = Omit<ReadFromSource, 'newUpload'>;

export interface DatasetUploadInput extends Pick<Dataset, 'id' | 'name' | 'description'> {
  readonly format: FileFormat;
  readonly csv: CsvOptions | null;
}

export interface RequestedUpload extends SignedUpload {
  readonly datasetId: string;
  readonly contentType: string;
  readonly maxBytes: number;
  readonly expiresAt: Date;
}

export type DatasetUseCases = ReturnType<typeof datasetUseCases>;

export function datasetUseCases(ports: DatasetPorts) {
  const { datasets, files, clock, maxBytes, pollEveryMs, wake, requireSource } = ports;

  const get = async ({ organisationId }: ActorContext, id: string): Promise<Dataset> =>
    existing(await datasets.find(organisationId, id));

  /** The current one unless a number is given. */
  async function versionOf(by: ActorContext, id: string, number: number): Promise<DatasetVersion> {
    const { currentVersion } = await get(by, id);
    if (number === 0 || number === currentVersion?.number) {
      if (!currentVersion) throw datasetEmpty();
      return currentVersion;
    }
    const version = await datasets.findVersion(by.organisationId, id, number);
    if (!version) throw datasetVersionNotFound();
    return version;
  }

  function newReading({ organisationId }: ActorContext, datasetId: string) {
    const id = newId();
    return { id, objectKey: uploadKey(organisationId, datasetId, id) };
  }

  return {
    async uploadDataset(by: ActorContext, { format, csv, ...wanted }: DatasetUploadInput): Promise<RequestedUpload> {
      const newUpload = newReading(by, wanted.id);
      const at = clock.now();
      const nextPollAt = new Date(at.getTime() + pollEveryMs);
      const { id, upload } = await datasets.change(by, wanted.id, (dataset) =>
        requestUpload(dataset, { ...wanted, format, csv, newUpload, nextPollAt }, at),
      );
      if (!upload) throw new Error('an upload was asked for and there is none');
      const { objectKey: key, expiresAt } = upload;
      const contentType = contentTypes[format];
      const signed = await files.presignUpload({ key, contentType, maxBytes, expiresAt });
      return { ...signed, datasetId: id, contentType, maxBytes, expiresAt };
    },

    /** Whose source is read at once. */
    async createDataset(by: ActorContext, wanted: NewDataset): Promise<Dataset> {
      await requireSource(by, wanted.source);
      const newUpload = newReading(by, wanted.id);
      const made = await datasets.change(by, wanted.id, (dataset) =>
        createFromSource(dataset, { ...wanted, newUpload }, clock.now()),
      );
      wake();
      return made;
    },

    async refreshDataset(by: ActorContext, id: string): Promise<Dataset> {
      const newUpload = newReading(by, id);
      const refreshed = await datasets.change(by, id, (dataset) => refreshDataset(dataset, newUpload, clock.now()));
      wake();
      return refreshed;
    },

    async completeDatasetUpload(by: ActorContext, id: string): Promise<Dataset> {
      const { upload } = await get(by, id);
      if (!upload || upload.status === 'EXPIRED') throw nothingUploaded();
      if (upload.status === 'PENDING') {
        const { objectKey } = upload;
        const bytes = await files.sizeOf(objectKey);
        if (bytes === undefined) throw nothingUploaded();
        const at = clock.now();
        await datasets.change(by, id, (dataset) => recordUpload(dataset, { objectKey, bytes, maxBytes }, at));
        wake();
      }
      return get(by, id);
    },

    /** Of the latest upload. */
    async listRejectedRows(by: ActorContext, id: string, page: PageRequest): Promise<Page<RejectedRow>> {
      const { upload } = await get(by, id);
      return datasets.listRejectedRows(by.organisationId, id, upload?.id ?? id, page);
    },

    listDatasets: ({ organisationId }: ActorContext, wanted: DatasetList): Promise<Page<Dataset>> =>
      datasets.list(organisationId, wanted),

    getDataset: get,

    async updateDataset(by: ActorContext, id: string, wanted: ChangeDataset): Promise<Dataset> {
      if (wanted.source) {
        requireSourceCsv(wanted.source);
        await requireSource(by, wanted.source);
      }
      const at = clock.now();
      return datasets.change(by, id, (dataset) => changeDataset(dataset, wanted, at));
    },

    deleteDataset: (by: ActorContext, id: string): Promise<Dataset> => {
      const at = clock.now();
      return datasets.change(by, id, (dataset) => deleteDataset(dataset, at));
    },

    async listDatasetVersions(by: ActorContext, id: string, page: PageRequest): Promise<Page<DatasetVersion>> {
      await get(by, id);
      return datasets.listVersions(by.organisationId, id, page);
    },

    async downloadDataset(by: ActorContext, id: string, number: number): Promise<{ url: string; expiresAt: Date }> {
      const { name } = await get(by, id);
      const { objectKey: key } = await versionOf(by, id, number);
      const expiresAt = new Date(clock.now().getTime() + URL_LIFETIME_MS);
      return { url: await files.presignDownload({ key, filename: `${name}.parquet`, expiresAt }), expiresAt };
    },

    getDataDictionary: async (by: ActorContext, id: string): Promise<readonly DictionaryEntry[]> =>
      (await get(by, id)).currentVersion?.dictionary ?? [],

    async updateDataDictionary(
      by: ActorContext,
      id: string,
      entries: readonly DictionaryEntry[],
    ): Promise<readonly DictionaryEntry[]> {
      const at = clock.now();
      const { currentVersion } = await datasets.change(by, id, (dataset) => describeColumns(dataset, entries, at));
      return currentVersion?.dictionary ?? [];
    },

    compareDataDictionaries: async (
      by: ActorContext,
      id: string,
      from: number,
      to: number,
    ): Promise<DictionaryChanges> => compareDictionaries(await versionOf(by, id, from), await versionOf(by, id, to)),

    versionOf,
  };
}
