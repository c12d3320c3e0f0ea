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

  it('are all that is in it: no folder and no file becomes a notebook', async () => {
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
    expect((content as { path: string }[]).map(({ path }) => path).sort()).toEqual(['report.ipynb', 'y.ipynb']);
  });

  it('have names of their own when many are created at once', async () => {
    const by = member(newOrganisation());
    const created = await Promise.all(Array.from({ length: 6 }, () => running.contents.createContents({}, by)));
    const paths = ['Untitled.ipynb', ...[1, 2, 3, 4, 5].map((number) => `Untitled${String(number)}.ipynb`)];
    expect(created.map(({ path }) => path).sort()).toEqual(paths);
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
    await save('B.ipynb', '{"type":"notebook","content":null}', by);
    expect(await modelOf('B.ipynb', by)).toMatchObject({ content: { cells: [] } });
  });

  it.each([
    ['no JSON', '{', { code: 'not_contents' }],
    ['a list', '[]', { code: 'not_contents' }],
    ['a folder', '{"type":"directory"}', { code: 'only_notebooks' }],
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
