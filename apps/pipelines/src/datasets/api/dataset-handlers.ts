import type { DatasetServiceHandlers } from '@platform-backend/contract-pipelines';
import { fieldsGiven, inMessages, listAnswer, type CallContext } from '@platform-backend/grpc';
import { payerOf } from '../../credits/api/payer.ts';
import type { FileFormat } from '../../step-engine/domain/step-job.ts';
import { lineageOf } from '../app/dataset-lineage.ts';
import type { DatasetUseCases } from '../app/datasets.ts';
import type { DatasetQueries } from '../app/query-datasets.ts';
import type { OpenDatasetFile } from '../app/read-dataset-file.ts';
import type { Datasets } from '../domain/datasets.ts';
import { changesMessage, datasetMessage, lineageMessage, queryMessage, versionMessage } from './dataset-messages.ts';
import { csvOptions, datasetSource } from './dataset-sources.ts';

const formats = { CSV: 'csv', JSON_LINES: 'jsonl', PARQUET: 'parquet' } as const satisfies Record<string, FileFormat>;

export const datasetHandlers = (
  app: DatasetUseCases & DatasetQueries & { readonly openFile: OpenDatasetFile },
  datasets: Pick<Datasets, 'findVersions'>,
): DatasetServiceHandlers<CallContext> => ({
  async uploadDataset({ id, name, description, format, csv }, context) {
    const wanted = { id, name, description, format: formats[format], csv: csv && csvOptions(csv) };
    const { url, form, ...upload } = await app.uploadDataset(context.actorContext(), wanted);
    return { ...upload, signedUrl: url, form: form ?? null };
  },

  async createDataset({ source, ...wanted }, context) {
    const by = context.actorContext();
    return datasetMessage(by.organisationId, await app.createDataset(by, { ...wanted, source: datasetSource(source) }));
  },

  async refreshDataset({ datasetId }, context) {
    const by = context.actorContext();
    return datasetMessage(by.organisationId, await app.refreshDataset(by, datasetId));
  },

  async completeDatasetUpload({ datasetId }, context) {
    const by = context.actorContext();
    return datasetMessage(by.organisationId, await app.completeDatasetUpload(by, datasetId));
  },

  async listDatasets(request, context) {
    const by = context.actorContext();
    const page = await app.listDatasets(by, request);
    return listAnswer('datasets', page, (dataset) => datasetMessage(by.organisationId, dataset));
  },

  async getDataset({ datasetId }, context) {
    const by = context.actorContext();
    return datasetMessage(by.organisationId, await app.getDataset(by, datasetId));
  },

  async updateDataset({ datasetId, name, description, source, updateMask }, context) {
    const by = context.actorContext();
    const wanted = fieldsGiven(updateMask, { name, description, source: source && datasetSource(source) });
    return datasetMessage(by.organisationId, await app.updateDataset(by, datasetId, wanted));
  },

  async deleteDataset({ datasetId }, context) {
    const { id } = await app.deleteDataset(context.actorContext(), datasetId);
    return { id, deleted: true };
  },

  listRejectedRows: async ({ datasetId, ...page }, context) =>
    listAnswer('rejectedRows', await app.listRejectedRows(context.actorContext(), datasetId, page), (row) => row),

  listDatasetVersions: async ({ datasetId, ...page }, context) =>
    listAnswer('versions', await app.listDatasetVersions(context.actorContext(), datasetId, page), versionMessage),

  async getDatasetLineage({ datasetId, version }, context) {
    const by = context.actorContext();
    return lineageMessage(datasetId, await lineageOf(datasets, by, await app.versionOf(by, datasetId, version)));
  },

  async previewDataset({ datasetId, version, limit }, context) {
    const by = context.actorContext();
    return queryMessage(await app.preview(by, await app.versionOf(by, datasetId, version), limit, context.signal));
  },

  async downloadDataset({ datasetId, version }, context) {
    const { url, expiresAt } = await app.downloadDataset(context.actorContext(), datasetId, version);
    return { signedUrl: url, expiresAt };
  },

  async *readDatasetFile({ format, ...wanted }, context) {
    const { signal } = context;
    await using file = await app.openFile(context.actorContext(), { ...wanted, format: formats[format] }, signal);
    const { name: datasetName, version, bytes: sizeBytes } = file;
    const facts = { datasetName, versionId: version.id, version: version.number, sizeBytes };
    yield { file: facts, chunk: new Uint8Array() };
    yield* inMessages(await file.read());
  },

  queryDatasets: async ({ query, limit: rows, explain }, context) =>
    queryMessage(await app.query(payerOf(context), { query, rows, explain: explain ?? null }, context.signal)),

  getDataDictionary: async ({ datasetId }, context) => ({
    entries: await app.getDataDictionary(context.actorContext(), datasetId),
  }),

  updateDataDictionary: async ({ datasetId, entries }, context) => ({
    entries: await app.updateDataDictionary(context.actorContext(), datasetId, entries),
  }),

  compareDataDictionaries: async ({ datasetId, from, to }, context) =>
    changesMessage({ from, to }, await app.compareDataDictionaries(context.actorContext(), datasetId, from, to)),
});
