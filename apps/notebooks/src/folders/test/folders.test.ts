import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { newId } from '@platform-backend/core';
import { member, newOrganisation } from '@platform-backend/service/testing';
import { Readable } from 'node:stream';
import { datasetsDouble } from '../../../test/datasets-double.ts';
import { startTestNotebooks, type TestNotebooks } from '../../../test/test-notebooks.ts';

let running: TestNotebooks;
let datasets: Awaited<ReturnType<typeof datasetsDouble>>;
beforeAll(async () => {
  datasets = await datasetsDouble();
  running = await startTestNotebooks({
    idle: true,
    environment: {
      ...{ NOTEBOOKS_FOLDER_MB: '2', NOTEBOOKS_FOLDERS_PER_ORGANISATION_MB: '3' },
      PIPELINES_ADDRESS: datasets.address,
    },
  });
});
afterAll(async () => {
  await running.stop();
  await datasets.close();
});

type By = ReturnType<typeof member>;

const newNotebook = async (by: By, name = 'Sales') => (await running.notebooks.createNotebook({ name }, by)).id;
const save = (by: By, notebookId: string, path: string, bytes: string | Buffer) =>
  running.folders.saveFolderFile(Readable.from([{ notebookId, path, chunk: Buffer.from(bytes) }]), by);
const read = async (by: By, notebookId: string, path: string): Promise<string> => {
  const chunks: Uint8Array[] = [];
  for await (const { chunk } of running.folders.getFolderFile({ notebookId, path }, by)) chunks.push(chunk);
  return Buffer.concat(chunks).toString();
};
const list = async (by: By, notebookId: string, more: object = {}) => {
  const page = await running.folders.listFolderFiles({ notebookId, ...more }, by);
  return { ...page, paths: page.files.map(({ path }) => path) };
};

describe('the folder of a notebook', () => {
  it('has files with their bytes, which are listed in pages and by folder', async () => {
    const by = member(newOrganisation());
    const notebookId = await newNotebook(by);
    expect(await save(by, notebookId, 'a/ü.csv', 'é')).toMatchObject({ path: 'a/ü.csv', kind: 'FILE', sizeBytes: 2 });
    for (const path of ['a.csv', 'a/b/c.csv', 'b.csv']) await save(by, notebookId, path, path);
    expect(await read(by, notebookId, 'a/ü.csv')).toBe('é');
    const first = await list(by, notebookId, { limit: 4, includeTotal: true });
    expect(first).toMatchObject({ paths: ['a', 'a.csv', 'a/b', 'a/b/c.csv'], totalCount: 6 });
    const second = await list(by, notebookId, { limit: 4, cursor: first.nextCursor });
    expect(second).toMatchObject({ paths: ['a/ü.csv', 'b.csv'], nextCursor: '' });
    expect((await list(by, notebookId, { folder: 'a' })).paths).toEqual(['a/b', 'a/b/c.csv', 'a/ü.csv']);
    await running.folders.deleteFolderFile({ notebookId, path: 'a' }, by);
    expect((await list(by, notebookId)).paths).toEqual(['a.csv', 'b.csv']);
    await expect(read(by, notebookId, 'a/ü.csv')).rejects.toMatchObject({ code: 'file_not_found' });
  });

  it('refuses what is no file, and what there is no room for', async () => {
    const by = member(newOrganisation());
    const [one, other] = [await newNotebook(by, 'One'), await newNotebook(by, 'Other')];
    await expect(save(by, one, '../x', '')).rejects.toMatchObject({ code: 'not_a_file_path' });
    await save(by, one, 'large', Buffer.alloc(2 * 2 ** 20));
    await expect(save(by, one, 'more', 'x')).rejects.toMatchObject({ code: 'folder_full' });
    await expect(save(by, one, 'large/more', 'x')).rejects.toMatchObject({ code: 'file_path_taken' });
    await save(by, other, 'large', Buffer.alloc(2 ** 20));
    await expect(save(by, other, 'more', 'x')).rejects.toMatchObject({
      code: 'folder_full',
      message: 'The files of all notebooks of an organisation have up to 3 MiB',
    });
    // So does what is removed, in whichever notebook, and what goes with its own.
    await running.folders.deleteFolderFile({ notebookId: one, path: 'large' }, by);
    await save(by, other, 'more', 'x');
    await save(by, one, 'large', Buffer.alloc(2 * 2 ** 20 - 1));
    await expect(save(by, other, 'still more', 'x')).rejects.toMatchObject({ code: 'folder_full' });
    await running.notebooks.deleteNotebook({ notebookId: one }, by);
    await save(by, other, 'still more', 'x');
    await expect(list(by, one)).rejects.toMatchObject({ code: 'notebook_not_found' });
  });

  it('counts what is saved at once', async () => {
    const by = member(newOrganisation());
    const notebookId = await newNotebook(by);
    const saves = Array.from({ length: 6 }, (_, at) => save(by, notebookId, `f${String(at)}`, Buffer.alloc(2 ** 19)));
    const ended = await Promise.allSettled(saves);
    expect(ended.filter(({ status }) => status === 'fulfilled')).toHaveLength(4);
    expect((await list(by, notebookId)).paths).toHaveLength(4);
  });
});

describe('a dataset in the folder of a notebook', () => {
  const CSV = 'region,amount\nnorth,1\n';

  it('is a copy by its name, of the version that there is when it is asked for, and is brought up to date by asking again', async () => {
    const organisationId = newOrganisation();
    const [by, datasetId] = [member(organisationId), newId()];
    const notebookId = await newNotebook(by);
    const copy = (more: object = {}) =>
      running.folders.copyDataset({ notebookId, datasetId, format: 'CSV', ...more }, by);
    datasets.add(organisationId, datasetId, { name: 'eu/sales', content: CSV });
    const first = await copy();
    expect(first).toMatchObject({ file: { path: 'eu_sales.csv', kind: 'FILE', sizeBytes: CSV.length }, version: 1 });
    expect(await copy()).toEqual(first);
    expect(await read(by, notebookId, 'eu_sales.csv')).toBe(CSV);
    datasets.add(organisationId, datasetId, { name: 'eu/sales', content: `${CSV}south,2\n`, version: 2 });
    expect(await copy()).toMatchObject({ file: { path: 'eu_sales.csv' }, version: 2 });
    expect(await read(by, notebookId, 'eu_sales.csv')).toBe(`${CSV}south,2\n`);
    await copy({ path: 'in/sales.csv' });
    expect((await list(by, notebookId)).paths).toEqual(['eu_sales.csv', 'in', 'in/sales.csv']);
  });

  it('is not written where it is too large, has not come whole or has no path', async () => {
    const organisationId = newOrganisation();
    const [by, datasetId] = [member(organisationId), newId()];
    const notebookId = await newNotebook(by);
    const copy = (more: object = {}) => running.folders.copyDataset({ notebookId, datasetId, ...more }, by);
    datasets.add(organisationId, datasetId, { name: 'sales', content: 'x'.repeat(2 * 2 ** 20 + 1) });
    await expect(copy()).rejects.toMatchObject({ code: 'too_large' });
    datasets.add(organisationId, datasetId, { name: 'sales', content: CSV, isCut: true });
    await expect(copy()).rejects.toMatchObject({ kind: 'unavailable' });
    await expect(copy({ path: '../sales' })).rejects.toMatchObject({ code: 'not_a_file_path' });
    await save(by, notebookId, 'large', Buffer.alloc(2 * 2 ** 20));
    datasets.add(organisationId, datasetId, { name: 'sales', content: CSV });
    await expect(copy()).rejects.toMatchObject({ code: 'folder_full' });
    expect((await list(by, notebookId)).paths).toEqual(['large']);
  });

  it('is had by nobody who may not read it themselves', async () => {
    const [organisationId, foreign] = [newOrganisation(), newOrganisation()];
    const [by, datasetId] = [member(organisationId), newId()];
    datasets.add(organisationId, datasetId, { name: 'sales', content: CSV });
    const [notebookId, other] = [await newNotebook(by), member(foreign)];
    const copy = (as: By, to = notebookId) => running.folders.copyDataset({ notebookId: to, datasetId }, as);
    await expect(copy(other)).rejects.toMatchObject({ code: 'notebook_not_found' });
    await expect(copy(other, await newNotebook(other))).rejects.toMatchObject({ code: 'dataset_not_found' });
    const key = (...scopes: string[]): By => ({ caller: { ...by.caller, kind: 'api_key', apiKeyId: newId(), scopes } });
    await expect(copy(key('notebooks:write'))).rejects.toMatchObject({ code: 'scope_required' });
    expect(await copy(key('notebooks:write', 'datasets:read'))).toMatchObject({ file: { path: 'sales.parquet' } });
  });
});
