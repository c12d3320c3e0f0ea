import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { DatasetServiceClient, ReadDatasetFileRequestInput } from '@platform-backend/contract-pipelines';
import { newId } from '@platform-backend/core';
import type { CallOptions } from '@platform-backend/grpc';
import { member, newOrganisation, service } from '@platform-backend/service/testing';
import { datasetClient, type DatasetClient } from '../../../test/dataset-client.ts';
import { startTestPipelines, type TestPipelines } from '../../../test/test-pipelines.ts';
import { datasetsStore } from '../store/datasets-store.ts';

const SALES = 'region,amount,sold_on\nnorth,10.50,2026-01-01\nsouth,,2026-01-02\nnorth,4.50,2026-01-03\n';

describe('datasets', () => {
  let running: TestPipelines;
  let client: DatasetClient;
  beforeAll(async () => {
    running = await startTestPipelines();
    client = datasetClient(running);
  });
  afterAll(() => running.stop());

  it('are made of an upload, with types, statistics and a dictionary', async () => {
    const by = member(newOrganisation());
    const dataset = await client.upload('Sales 2026', SALES, by);
    expect(dataset.upload).toMatchObject({ status: 'READY', failure: null });
    expect(dataset.currentVersion).toMatchObject({
      number: 1,
      rows: '3',
      columns: [
        { name: 'region', type: 'VARCHAR', nulls: '0', distinct: '2', min: 'north', max: 'south' },
        { name: 'amount', type: 'DECIMAL(18,2)', nulls: '1', distinct: '2', min: '4.50', max: '10.50' },
        { name: 'sold_on', type: 'DATE', nulls: '0', distinct: '3', min: '2026-01-01', max: '2026-01-03' },
      ],
      source: { upload: { uploadId: dataset.upload?.id }, run: null },
    });
    const { id: datasetId } = dataset;
    expect(await running.datasets.getDataDictionary({ datasetId }, by)).toEqual({
      entries: [
        { name: 'region', description: 'VARCHAR' },
        { name: 'amount', description: 'DECIMAL(18,2)' },
        { name: 'sold_on', description: 'DATE' },
      ],
    });
    const preview = await running.datasets.previewDataset({ datasetId, version: 0, limit: 2 }, by);
    expect(preview).toMatchObject({
      isCut: true,
      rows: [
        ['north', '10.50', '2026-01-01'],
        ['south', null, '2026-01-02'],
      ],
    });
    const { signedUrl } = await running.datasets.downloadDataset({ datasetId, version: 0 }, by);
    expect((await client.download(signedUrl)).subarray(0, 4).toString()).toBe('PAR1');
  });

  it('keep their versions, and what was said of their columns goes on with them', async () => {
    const by = member(newOrganisation());
    const { id: datasetId } = await client.upload('Sales', SALES, by);
    const said = { datasetId, entries: [{ name: 'amount', description: 'In euros, without tax' }] };
    await running.datasets.updateDataDictionary(said, by);
    const lines = '{"region": "west", "amount": 7, "pieces": 3}\n{"region": "west", "amount": null, "pieces": 1}\n';
    const { currentVersion } = await client.upload('Sales', lines, by, { id: datasetId, format: 'JSON_LINES' });
    expect(currentVersion).toMatchObject({ number: 2, rows: '2' });
    expect((await running.datasets.getDataDictionary({ datasetId }, by)).entries).toEqual([
      { name: 'region', description: 'VARCHAR' },
      { name: 'amount', description: 'In euros, without tax' },
      { name: 'pieces', description: 'BIGINT' },
    ]);
    const changes = await running.datasets.compareDataDictionaries({ datasetId, from: 1, to: 2 }, by);
    expect(changes).toMatchObject({
      added: [{ name: 'pieces' }],
      removed: [{ name: 'sold_on' }],
      changed: [{ name: 'amount', before: { type: 'DECIMAL(18,2)' }, after: { type: 'BIGINT' } }],
    });
    const page = { limit: 50, cursor: '', includeTotal: true };
    const { versions, totalCount } = await running.datasets.listDatasetVersions({ datasetId, ...page }, by);
    expect([versions.map(({ number }) => number), totalCount]).toEqual([[2, 1], 2]);
    const first = await running.datasets.previewDataset({ datasetId, version: 1, limit: 1 }, by);
    expect(first.rows).toEqual([['north', '10.50', '2026-01-01']]);
    const { versions: lineage } = await running.datasets.getDatasetLineage({ datasetId, version: 0 }, by);
    expect(lineage).toMatchObject([{ datasetName: 'Sales', number: 2, inputVersionIds: [] }]);
  });

  it('are queried by their names, whatever the case, and by nobody else', async () => {
    const [by, other] = [member(newOrganisation()), member(newOrganisation())];
    await client.upload('Sales', SALES, by);
    await client.upload('Regions of "all"', 'name,country\nnorth,NO\nsouth,IT\n', by);
    const query = `SELECT country, sum(amount) AS total, count(*) AS sales FROM sales
      JOIN "regions of ""all""" AS r ON r.name = Sales.region GROUP BY ALL ORDER BY country`;
    const answer = await running.datasets.queryDatasets({ query, limit: 100 }, by);
    expect(answer).toMatchObject({
      columns: [{ name: 'country' }, { name: 'total', type: 'DECIMAL(38,2)' }, { name: 'sales', type: 'BIGINT' }],
      rows: [
        ['IT', null, 1],
        ['NO', '15.00', 2],
      ],
      isCut: false,
    });
    const explained = await running.datasets.queryDatasets({ query, explain: 'ANALYZED' }, by);
    expect([answer.plan, explained.rows]).toEqual([[], []]);
    const reads = explained.plan.filter(({ name }) => name === 'READ_PARQUET');
    expect(reads.map(({ rows }) => Number(rows)).sort()).toEqual([2, 3]);
    const foreign = running.datasets.queryDatasets({ query, limit: 100 }, other);
    await expect(foreign).rejects.toMatchObject({ kind: 'invalid', violations: [{ loc: ['body', 'query'] }] });
  });

  it('say where a query is wrong, and take no statement but one that selects', async () => {
    const by = member(newOrganisation());
    const { id } = await client.upload('Sales', SALES, by);
    const violation = async (query: string) => {
      const error: unknown = await running.datasets.queryDatasets({ query, limit: 10 }, by).catch((e: unknown) => e);
      return (error as { violations?: readonly { ctx?: unknown }[] }).violations?.[0]?.ctx;
    };
    expect(await violation('SELECT regio\nFROM sales')).toEqual({ code: 'unknown_column', line: 1, column: 8 });
    expect(await violation('SELECT 1; SELECT 2')).toEqual({ code: 'not_one_statement' });
    expect(await violation('CREATE TABLE other (a INTEGER)')).toEqual({ code: 'not_a_select' });
    expect((await running.datasets.getDataset({ datasetId: id }, by)).currentVersion?.rows).toBe('3');
  });

  it('tell why an upload could not be read, and take another one', async () => {
    const by = member(newOrganisation());
    const failed = await client.upload('Broken', 'PAR1 and nothing more', by, { format: 'PARQUET' });
    expect(failed).toMatchObject({ currentVersion: null, upload: { status: 'FAILED' } });
    expect(failed.upload?.failure?.message).not.toBe('');
    const { id: datasetId } = failed;
    await expect(running.datasets.previewDataset({ datasetId, version: 0, limit: 1 }, by)).rejects.toMatchObject({
      code: 'dataset_empty',
    });
    expect((await running.datasets.getDataDictionary({ datasetId }, by)).entries).toEqual([]);
    const mended = await client.upload('Broken', SALES, by, { id: datasetId });
    expect(mended).toMatchObject({ currentVersion: { number: 1 }, upload: { status: 'READY', failure: null } });
  });

  it('show the rows of a CSV that could not be read, page by page, whether these are too many or not', async () => {
    const organisationId = newOrganisation();
    const [by, other] = [member(organisationId), member(newOrganisation())];
    const bad = 'id,amount\n1,2.50\n2\nx,3.00\n4,5.00,6\n';
    const columns = [
      { name: 'id', type: 'BIGINT' },
      { name: 'amount', type: 'DECIMAL(18,2)' },
    ];
    const failed = await client.upload('Orders', bad, by, { csv: { columns } });
    expect(failed).toMatchObject({
      currentVersion: null,
      upload: { status: 'FAILED', failure: { code: 'rejected_rows' }, rejectedRowCount: 3 },
    });
    const { id: datasetId } = failed;
    const page = { datasetId, limit: 2, cursor: '', includeTotal: true };
    const { rejectedRows, nextCursor, totalCount } = await running.datasets.listRejectedRows(page, by);
    expect([rejectedRows.map(({ line, reason }) => [line, reason]), totalCount]).toEqual([
      [
        ['3', 'MISSING_COLUMNS'],
        ['4', 'WRONG_TYPE'],
      ],
      3,
    ]);
    const rest = await running.datasets.listRejectedRows({ ...page, cursor: nextCursor }, by);
    expect(rest).toMatchObject({ rejectedRows: [{ line: '5', text: '4,5.00,6' }], nextCursor: '' });
    await expect(running.datasets.listRejectedRows(page, other)).rejects.toMatchObject({ code: 'dataset_not_found' });
    // Whoever has read an upload before, and is late, changes nothing.
    const late = { line: 1, reason: 'QUOTES', column: '', message: '', text: '' } as const;
    await datasetsStore(running.pool).recordRejectedRows(organisationId, datasetId, newId(), [late]);
    expect((await running.datasets.listRejectedRows(page, by)).totalCount).toBe(3);
    const more = { id: datasetId, csv: { columns, maxRejectedRows: 3 } };
    expect(await client.upload('Orders', bad, by, more)).toMatchObject({
      currentVersion: { rows: '1' },
      upload: { status: 'READY', failure: null, rejectedRowCount: 3 },
    });
    const good = await client.upload('Orders', 'id,amount\n1,2.50\n', by, { id: datasetId });
    expect(good.upload).toMatchObject({ status: 'READY', rejectedRowCount: 0 });
    expect((await running.datasets.listRejectedRows(page, by)).rejectedRows).toEqual([]);
    const lines = client.request('Lines', by, { format: 'JSON_LINES', csv: {} });
    await expect(lines).rejects.toMatchObject({ kind: 'invalid', violations: [{ loc: ['body', 'csv'] }] });
  });

  it('are read as files by services, in any format, by their organisation, and no larger than they want them', async () => {
    const [organisationId, foreign] = [newOrganisation(), newOrganisation()];
    const { id: datasetId } = await client.upload('Sales', SALES, member(organisationId));
    const notebooks = running.calledBy('notebooks').to<DatasetServiceClient<CallOptions>>('DatasetService');
    type Selection = Pick<ReadDatasetFileRequestInput, 'format'> & Partial<ReadDatasetFileRequestInput>;
    const read = async (wanted: Selection, by = organisationId) => {
      const chunks: Uint8Array[] = [];
      let facts: object | null = null;
      const all = { datasetId, maxBytes: 1_000_000, ...wanted };
      for await (const { file, chunk } of notebooks.readDatasetFile(all, service('notebooks', by))) {
        facts ??= file;
        chunks.push(chunk);
      }
      const bytes = Buffer.concat(chunks);
      expect(facts).toMatchObject({ datasetName: 'Sales', version: 1, sizeBytes: bytes.length });
      return bytes;
    };
    expect((await read({ format: 'PARQUET' })).subarray(0, 4).toString()).toBe('PAR1');
    expect((await read({ format: 'CSV' })).toString()).toBe(SALES);
    const [first] = (await read({ format: 'JSON_LINES', version: 1 })).toString().split('\n');
    expect(JSON.parse(first ?? '')).toEqual({ region: 'north', amount: 10.5, sold_on: '2026-01-01' });
    for (const format of ['PARQUET', 'CSV'] as const)
      await expect(read({ format, maxBytes: 10 })).rejects.toMatchObject({ code: 'too_large' });
    await expect(read({ format: 'CSV' }, foreign)).rejects.toMatchObject({ code: 'dataset_not_found' });
    const missing = read({ format: 'CSV', version: 2 });
    await expect(missing).rejects.toMatchObject({ code: 'dataset_version_not_found' });
  });

  it('are named once in an organisation, whatever the case, and twice in two', async () => {
    const [by, other] = [member(newOrganisation()), member(newOrganisation())];
    const id = newId();
    await client.request('Sales', by, { id });
    await client.request('Sales', by, { id });
    await client.request('Sales', other, { id });
    await expect(client.request('SALES', by)).rejects.toMatchObject({ code: 'dataset_name_taken' });
    await expect(client.request('Sold', by, { id })).rejects.toMatchObject({ code: 'dataset_exists' });
    const { datasetId } = await client.request('Sold', by);
    const rename = { datasetId, name: 'sales', description: '', updateMask: { paths: ['name'] } };
    await expect(running.datasets.updateDataset(rename, by)).rejects.toMatchObject({ code: 'dataset_name_taken' });
    const page = { limit: 50, cursor: '', includeTotal: false, order: 'asc' as const };
    const { datasets } = await running.datasets.listDatasets({ ...page, search: 'SOL' }, by);
    expect(datasets.map(({ name }) => name)).toEqual(['Sold']);
  });
});
