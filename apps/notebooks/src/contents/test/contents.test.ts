import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { member, newOrganisation } from '@platform-backend/service/testing';
import { Readable } from 'node:stream';
import { startTestNotebooks, type TestNotebooks } from '../../../test/test-notebooks.ts';

const EMPTY = '{"nbformat":4,"nbformat_minor":5,"cells":[],"metadata":{}}';

let running: TestNotebooks;
beforeAll(async () => {
  running = await startTestNotebooks({ idle: true });
});
afterAll(() => running.stop());

describe('notebooks as the files of a folder', () => {
  it('are copied as they were written, to the last number', async () => {
    const by = member(newOrganisation());
    const text = '{"nbformat":4,"nbformat_minor":5,"cells":[],"metadata":{"big":12345678901234567890,"one":1.0}}';
    await running.notebooks.importNotebook(Readable.from([{ name: 'A', chunk: Buffer.from(text) }]), by);
    const { path } = await running.contents.createContents({ copyFrom: 'A.ipynb' }, by);
    expect(path).toBe('A-Copy1.ipynb');
    const again = await running.contents.createContents({ copyFrom: path }, by);
    expect(again.path).toBe('A-Copy2.ipynb');
    const { notebooks } = await running.notebooks.listNotebooks({ name: 'A-Copy2' }, by);
    const chunks: Uint8Array[] = [];
    for await (const { chunk } of running.notebooks.exportNotebook({ notebookId: notebooks[0]?.id ?? '' }, by))
      chunks.push(chunk);
    expect(Buffer.concat(chunks).toString()).toBe(text);
  });

  it('are all that is in it beside their folders: no folder and no file becomes a notebook', async () => {
    const by = member(newOrganisation());
    for (const type of ['directory', 'file'])
      await expect(running.contents.createContents({ type }, by)).rejects.toMatchObject({ code: 'only_notebooks' });
    expect((await running.notebooks.listNotebooks({}, by)).notebooks).toEqual([]);
  });

  it('have names without the ending of their files, which these have once', async () => {
    const by = member(newOrganisation());
    const file = Readable.from([{ name: 'report.ipynb', chunk: Buffer.from(EMPTY) }]);
    expect(await running.notebooks.importNotebook(file, by)).toMatchObject({ name: 'report' });
    const { id: notebookId } = await running.notebooks.createNotebook({ name: 'x.ipynb' }, by);
    expect(await running.notebooks.getNotebook({ notebookId }, by)).toMatchObject({ name: 'x' });
    const renamed = await running.notebooks.renameNotebook({ notebookId, name: 'y.ipynb' }, by);
    expect(renamed).toMatchObject({ name: 'y' });
    const { content } = await running.contents.getContentsFolder({ content: 1 }, by);
    expect((content as { path: string; type: string }[]).map(({ path, type }) => [path, type])).toEqual([
      ['y.ipynb', 'notebook'],
      ['y', 'directory'],
      ['report.ipynb', 'notebook'],
      ['report', 'directory'],
    ]);
  });

  it('have names of their own when many are created at once', async () => {
    const by = member(newOrganisation());
    const created = await Promise.all(Array.from({ length: 6 }, () => running.contents.createContents({}, by)));
    const paths = ['Untitled.ipynb', ...[1, 2, 3, 4, 5].map((number) => `Untitled${String(number)}.ipynb`)];
    expect(created.map(({ path }) => path).sort()).toEqual(paths);
  });
});

type By = ReturnType<typeof member>;

const put = (by: By, path: string, model: object) =>
  running.contents.saveContents(Readable.from([{ path, chunk: Buffer.from(JSON.stringify(model)) }]), by);
const get = async (by: By, path: string, wish: object = {}) => {
  const chunks: Uint8Array[] = [];
  for await (const { chunk } of running.contents.getContents({ path, content: 1, ...wish }, by)) chunks.push(chunk);
  return JSON.parse(Buffer.concat(chunks).toString()) as Record<string, unknown>;
};
const namesIn = async (by: By, path: string) =>
  ((await get(by, path))['content'] as { name: string; type: string }[]).map(({ name, type }) => `${name} ${type}`);
const withNotebook = async (name = 'Sales') => {
  const by = member(newOrganisation());
  const { id: notebookId } = await running.notebooks.createNotebook({ name }, by);
  return { by, notebookId };
};

describe('the files of a notebook, as a Jupyter client has them', () => {
  it('are written and read as texts and as bytes, in folders', async () => {
    const { by, notebookId } = await withNotebook('b ü');
    expect(await put(by, 'b ü/data', { type: 'directory' })).toMatchObject({
      name: 'data',
      type: 'directory',
      size: null,
    });
    const text = 'é,"\n\u2028😀'.repeat(200_000);
    expect(await put(by, 'b ü/data/a.csv', { type: 'file', format: 'text', content: text })).toMatchObject({
      name: 'a.csv',
      path: 'b ü/data/a.csv',
      type: 'file',
      size: Buffer.byteLength(text),
    });
    const bytes = Buffer.from(Array.from({ length: 2_000_001 }, (_, at) => (at * 7) % 256));
    await put(by, 'b ü/data/p.png', { type: 'file', format: 'base64', content: bytes.toString('base64') });
    expect(await get(by, 'b ü/data/a.csv')).toMatchObject({ format: 'text', mimetype: 'text/plain', content: text });
    const picture = await get(by, 'b ü/data/p.png', { type: 'file' });
    expect(picture).toMatchObject({ format: 'base64', mimetype: 'application/octet-stream' });
    expect(Buffer.from(picture['content'] as string, 'base64').equals(bytes)).toBe(true);
    expect(await get(by, 'b ü/data/a.csv', { format: 'base64' })).toMatchObject({
      content: Buffer.from(text).toString('base64'),
    });
    expect(await namesIn(by, 'b ü')).toEqual(['data directory']);
    expect(await namesIn(by, 'b ü/data')).toEqual(['a.csv file', 'p.png file']);
    // Kernels and the product's own interface have the same.
    const { files } = await running.folders.listFolderFiles({ notebookId }, by);
    expect(files.map(({ path }) => path)).toEqual(['data', 'data/a.csv', 'data/p.png']);
    const downloaded: Uint8Array[] = [];
    for await (const { chunk } of running.contents.downloadContents({ path: 'b ü/data/p.png' }, by))
      downloaded.push(chunk);
    expect(Buffer.concat(downloaded).equals(bytes)).toBe(true);
  });

  it('are only what was asked for', async () => {
    const { by } = await withNotebook();
    await put(by, 'Sales/a.bin', { type: 'file', format: 'base64', content: '/w==' });
    const refused = { code: 'not_this_content' };
    await expect(get(by, 'Sales/a.bin', { type: 'file', format: 'text' })).rejects.toMatchObject(refused);
    await expect(get(by, 'Sales/a.bin', { type: 'directory' })).rejects.toMatchObject(refused);
    await expect(get(by, 'Sales/a.bin', { type: 'notebook' })).rejects.toMatchObject(refused);
    await expect(get(by, 'Sales', { type: 'file' })).rejects.toMatchObject(refused);
    await expect(get(by, 'Sales', { type: 'file', content: 0 })).rejects.toMatchObject(refused);
    await expect(get(by, 'Sales/b.bin')).rejects.toMatchObject({ code: 'file_not_found' });
    await expect(get(by, 'Others/b.bin')).rejects.toMatchObject({ code: 'notebook_not_found' });
    expect(await get(by, 'Sales.ipynb', { type: 'file' })).toMatchObject({ type: 'file', format: 'text' });
    expect(await get(by, 'Sales', { content: 0 })).toMatchObject({ type: 'directory', content: null });
  });

  it('come in pieces where they are large, and not over what somebody else has written', async () => {
    const { by } = await withNotebook();
    const piece = (chunk: number, content: string) =>
      put(by, 'Sales/l.csv', { type: 'file', format: 'text', chunk, content });
    await expect(piece(2, 'lost')).rejects.toMatchObject({ code: 'file_not_found' });
    for (const [chunk, content] of [
      [1, 'old'],
      [1, 'one,'],
      [2, 'two,'],
      [-1, 'three'],
    ] as const)
      await piece(chunk, content);
    expect(await get(by, 'Sales/l.csv')).toMatchObject({ content: 'one,two,three' });
    const ended = await Promise.allSettled([2, 3, 4, 5].map((chunk) => piece(chunk, '+')));
    const taken = ended.filter(({ status }) => status === 'fulfilled').length;
    for (const { reason } of ended.filter(({ status }) => status === 'rejected') as PromiseRejectedResult[])
      expect(reason).toMatchObject({ code: 'file_changed' });
    expect(await get(by, 'Sales/l.csv')).toMatchObject({ content: `one,two,three${'+'.repeat(taken)}` });
  });

  it('come to be without a title, also many at once, and are copied as Jupyter calls copies', async () => {
    const { by } = await withNotebook();
    const create = (input: object) => running.contents.createContentsInFolder({ folder: 'Sales', ...input }, by);
    const made = await Promise.all([1, 2, 3].map(() => create({ type: 'file', ext: '.py' })));
    expect(made.map(({ path }) => path).sort()).toEqual([
      'Sales/untitled.py',
      'Sales/untitled1.py',
      'Sales/untitled2.py',
    ]);
    const folders = await Promise.all([1, 2].map(() => create({ type: 'directory' })));
    expect(folders.map(({ name }) => name).sort()).toEqual(['Untitled Folder', 'Untitled Folder 1']);
    expect(await create({ type: 'notebook' })).toMatchObject({ path: 'Sales/Untitled.ipynb', type: 'notebook' });
    expect(await get(by, 'Sales/Untitled.ipynb')).toMatchObject({ format: 'json', content: { cells: [] } });
    await put(by, 'Sales/a.tar.gz', { type: 'file', format: 'text', content: 'x' });
    expect(await create({ copyFrom: 'Sales/a.tar.gz' })).toMatchObject({ name: 'a-Copy1.tar.gz' });
    expect(await create({ copyFrom: 'Sales/a-Copy1.tar.gz' })).toMatchObject({ name: 'a-Copy2.tar.gz' });
    expect(await create({ folder: 'Sales/Untitled Folder', copyFrom: '/Sales/a.tar.gz' })).toMatchObject({
      path: 'Sales/Untitled Folder/a.tar.gz',
    });
    expect(await create({ copyFrom: 'Sales.ipynb' })).toMatchObject({ path: 'Sales/Sales.ipynb', type: 'notebook' });
    await expect(create({ copyFrom: 'Sales/Untitled Folder' })).rejects.toMatchObject({ code: 'not_this_content' });
    await expect(create({ folder: 'Sales/nowhere' })).rejects.toMatchObject({ code: 'file_not_found' });
    await expect(create({ ext: '/../x' })).rejects.toMatchObject({ code: 'not_a_file_path' });
    // A notebook of a folder becomes one of the organisation's by a copy; nothing else does.
    const copied = await running.contents.createContents({ copyFrom: 'Sales/Untitled.ipynb' }, by);
    expect(copied).toMatchObject({ path: 'Untitled.ipynb' });
    await put(by, 'Sales/.ipynb', JSON.parse(`{"type":"notebook","content":${EMPTY}}`) as object);
    // Of nothing but the ending no name is left.
    const nameless = await running.contents.createContents({ copyFrom: 'Sales/.ipynb' }, by);
    expect(nameless).toMatchObject({ path: 'Untitled1.ipynb' });
    const file = running.contents.createContents({ copyFrom: 'Sales/a.tar.gz' }, by);
    await expect(file).rejects.toMatchObject({ code: 'only_notebooks' });
  });

  it('are moved with all that belongs to them, within a folder, and one by one into another', async () => {
    const { by } = await withNotebook();
    await running.notebooks.createNotebook({ name: 'Other' }, by);
    for (const path of ['Sales/😀a/b/c.csv', 'Sales/x'])
      await put(by, path, { type: 'file', format: 'text', content: path });
    const { id: checkpointId } = await running.contents.createContentsCheckpoint({ path: 'Sales/😀a/b/c.csv' }, by);
    const rename = (fromPath: string, path: string) => running.contents.renameContents({ fromPath, path }, by);
    expect(await rename('Sales/😀a', 'Sales/d/e')).toMatchObject({ path: 'Sales/d/e', type: 'directory' });
    expect(await namesIn(by, 'Sales/d/e/b')).toEqual(['c.csv file']);
    expect(await get(by, 'Sales/d/e/b/c.csv')).toMatchObject({ content: 'Sales/😀a/b/c.csv' });
    const checkpoints = await running.contents.listContentsCheckpoints({ path: 'Sales/d/e/b/c.csv' }, by);
    expect(checkpoints.checkpoints.map(({ id }) => id)).toEqual([checkpointId]);
    await expect(rename('Sales/d', 'Sales/d/e/f')).rejects.toMatchObject({ code: 'not_a_file_path' });
    await expect(rename('Sales/d', 'Sales/x')).rejects.toMatchObject({ code: 'file_path_taken' });
    await expect(rename('Sales/d', 'Other/d')).rejects.toMatchObject({ code: 'not_a_file_path' });
    expect(await rename('Sales/x', 'Other/y')).toMatchObject({ path: 'Other/y' });
    expect(await namesIn(by, 'Sales')).toEqual(['d directory']);
    expect(await get(by, 'Other/y')).toMatchObject({ content: 'Sales/x' });
    await expect(rename('Other/y', 'y.txt')).rejects.toMatchObject({ code: 'only_notebooks' });
    // The folder is called as its notebook, and goes with it.
    await expect(rename('Sales', 'Sold')).rejects.toMatchObject({ code: 'folder_of_notebook' });
    await expect(running.contents.deleteContents({ path: 'Sales' }, by)).rejects.toMatchObject({
      code: 'folder_of_notebook',
    });
    await rename('Sales.ipynb', 'Sold.ipynb');
    expect(await namesIn(by, 'Sold')).toEqual(['d directory']);
    await running.contents.deleteContents({ path: 'Sold/d' }, by);
    expect(await namesIn(by, 'Sold')).toEqual([]);
  });

  it('have one checkpoint, which they go back to', async () => {
    const { by } = await withNotebook();
    const path = 'Sales/a.py';
    const write = (content: string) => put(by, path, { type: 'file', format: 'text', content });
    await write('one');
    await running.contents.createContentsCheckpoint({ path }, by);
    await write('two');
    const { id: checkpointId } = await running.contents.createContentsCheckpoint({ path }, by);
    await write('three');
    await running.contents.restoreContentsCheckpoint({ path, checkpointId }, by);
    expect(await get(by, path)).toMatchObject({ content: 'two' });
    const { checkpoints } = await running.contents.listContentsCheckpoints({ path }, by);
    expect(checkpoints.map(({ id }) => id)).toEqual([checkpointId]);
    await running.contents.deleteContentsCheckpoint({ path, checkpointId }, by);
    const again = running.contents.restoreContentsCheckpoint({ path, checkpointId }, by);
    await expect(again).rejects.toMatchObject({ code: 'checkpoint_not_found' });
    const none = running.contents.createContentsCheckpoint({ path: 'Sales/b.py' }, by);
    await expect(none).rejects.toMatchObject({ code: 'file_not_found' });
  });

  it('are nobody else’s', async () => {
    const { by } = await withNotebook();
    await put(by, 'Sales/a.csv', { type: 'file', format: 'text', content: 'a' });
    const other = await withNotebook();
    await expect(get(other.by, 'Sales/a.csv')).rejects.toMatchObject({ code: 'file_not_found' });
    expect(await namesIn(other.by, 'Sales')).toEqual([]);
  });
});

describe('a notebook as a Jupyter client saves it', () => {
  const save = async (path: string, body: string, by: ReturnType<typeof member>) => {
    const pieces = body.match(/[^]{1,60000}/g) ?? [''];
    return running.contents.saveContents(
      Readable.from(pieces.map((piece) => ({ path, chunk: Buffer.from(piece) }))),
      by,
    );
  };
  const modelOf = async (path: string, by: ReturnType<typeof member>, content = 1) => {
    const chunks: Uint8Array[] = [];
    for await (const { chunk } of running.contents.getContents({ path, content }, by)) chunks.push(chunk);
    return JSON.parse(Buffer.concat(chunks).toString()) as Record<string, unknown>;
  };

  it('may be as large as one that is imported, and is opened again', async () => {
    const by = member(newOrganisation());
    const source = 'é'.repeat(6_000_000);
    const content = { ...JSON.parse(EMPTY), cells: [{ cell_type: 'raw', id: 'a', metadata: {}, source }] } as object;
    const body = JSON.stringify({ type: 'notebook', format: 'json', content });
    expect(await save('Large.ipynb', body, by)).toMatchObject({ path: 'Large.ipynb', size: expect.any(Number) });
    expect(await modelOf('Large.ipynb', by)).toMatchObject({ name: 'Large.ipynb', format: 'json', content });
    expect(await modelOf('Large.ipynb', by, 0)).toMatchObject({ name: 'Large.ipynb', format: null, content: null });
  }, 60_000);

  it('stays as it is without a content, and is empty where it is new', async () => {
    const by = member(newOrganisation());
    await save('A.ipynb', `{"type":"notebook","content":${EMPTY.replace('{}', '{"kept":true}')}}`, by);
    await save('A.ipynb', '{"type":"notebook"}', by);
    expect(await modelOf('A.ipynb', by)).toMatchObject({ content: { metadata: { kept: true } } });
    await save(
      'A.ipynb',
      JSON.stringify({ type: 'file', format: 'text', content: EMPTY.replace('{}', '{"t":1}') }),
      by,
    );
    expect(await modelOf('A.ipynb', by)).toMatchObject({ content: { metadata: { t: 1 } } });
    await save('B.ipynb', '{"type":"notebook","content":null}', by);
    expect(await modelOf('B.ipynb', by)).toMatchObject({ content: { cells: [] } });
  });

  it.each([
    ['no JSON', '{', { code: 'not_contents' }],
    ['a list', '[]', { code: 'not_contents' }],
    ['a folder', '{"type":"directory"}', { code: 'only_notebooks' }],
    ['a file that is none', '{"type":"file","format":"text","content":"x"}', { code: 'not_a_notebook' }],
    ['a piece of a file', '{"type":"file","format":"text","content":"x","chunk":1}', { code: 'not_contents' }],
    ['a file without a content', '{"type":"file"}', { code: 'not_contents' }],
    ['no base64', '{"type":"file","format":"base64","content":"ü"}', { code: 'not_contents' }],
    ['no notebook', '{"content":{"nbformat":3}}', { kind: 'invalid' }],
  ])('is refused if it is %s', async (_, body, refusal) => {
    const by = member(newOrganisation());
    await expect(save('A.ipynb', body, by)).rejects.toMatchObject(refusal);
    expect((await running.notebooks.listNotebooks({}, by)).notebooks).toEqual([]);
  });
});

describe('a notebook that is read while it is saved', () => {
  it('has the content of its version', async () => {
    const by = member(newOrganisation());
    const contentOf = (version: number) => ({ cells: [], metadata: { version }, nbformat: 4, nbformat_minor: 5 });
    const { id: notebookId } = await running.notebooks.createNotebook({ name: 'A', content: contentOf(1) }, by);
    let isSaving = true;
    const saving = async () => {
      for (let version = 2; version <= 60; version += 1)
        await running.notebooks.saveNotebook({ notebookId, content: contentOf(version) }, by);
    };
    const torn: unknown[] = [];
    const reading = async () => {
      while (isSaving) {
        const { version, content } = await running.notebooks.getNotebook({ notebookId }, by);
        const { metadata } = content as ReturnType<typeof contentOf>;
        if (metadata.version !== version) torn.push([version, metadata.version]);
      }
    };
    await Promise.all([saving().finally(() => (isSaving = false)), reading(), reading(), reading()]);
    expect(torn).toEqual([]);
  });
});
