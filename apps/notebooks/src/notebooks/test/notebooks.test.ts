import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { parseExactJson } from '@platform-backend/core';
import { member, newOrganisation, refusalOf } from '@platform-backend/service/testing';
import { Readable } from 'node:stream';
import { startTestNotebooks, type TestNotebooks } from '../../../test/test-notebooks.ts';

let running: TestNotebooks;
beforeAll(async () => {
  running = await startTestNotebooks({ idle: true });
});
afterAll(() => running.stop());

const markdown = (source: string) => ({ cell_type: 'markdown', id: 'a', source, metadata: {} });
const notebookOf = (...sources: string[]) => ({
  cells: sources.map(markdown),
  metadata: {},
  nbformat: 4,
  nbformat_minor: 5,
});

describe('notebooks', () => {
  it('begin empty or with a content, are read as they were written, and listed without it', async () => {
    const by = member(newOrganisation());
    const empty = await running.notebooks.createNotebook({ name: 'Empty' }, by);
    expect(empty).toMatchObject({ version: 1, formatMinor: 5, content: { cells: [], nbformat: 4 } });
    const written = await running.notebooks.createNotebook({ name: 'Written', content: notebookOf('# Hi') }, by);
    expect(await running.notebooks.getNotebook({ notebookId: written.id }, by)).toMatchObject({
      content: notebookOf('# Hi'),
    });
    const { notebooks } = await running.notebooks.listNotebooks({ order: 'desc' }, by);
    expect(notebooks.map(({ name, content }) => [name, content])).toEqual([
      ['Written', null],
      ['Empty', null],
    ]);
  });

  it('have their numbers as they were written, also those that no double holds', async () => {
    const by = member(newOrganisation());
    const numbers = '[1152921504606846977,123456789012345678901234567890,-0.0,1.0,1e500]';
    const text = `{"cells":[],"metadata":{"numbers":${numbers}},"nbformat":4,"nbformat_minor":5}`;
    const shown = async (id: string) =>
      JSON.stringify((await running.notebooks.getNotebook({ notebookId: id }, by)).content);
    const file = Readable.from([{ name: 'Imported', chunk: Buffer.from(text) }]);
    expect(await shown((await running.notebooks.importNotebook(file, by)).id)).toBe(text);
    const content = parseExactJson(text) as { cells: [] };
    const { id } = await running.notebooks.createNotebook({ name: 'Created', content }, by);
    expect(await shown(id)).toBe(text);
    const saved = Readable.from([{ path: 'Saved.ipynb', chunk: Buffer.from(`{"content":${text}}`) }]);
    await running.contents.saveContents(saved, by);
    const chunks: Uint8Array[] = [];
    for await (const { chunk } of running.contents.getContents({ path: 'Saved.ipynb', content: 1 }, by))
      chunks.push(chunk);
    expect(Buffer.concat(chunks).toString()).toContain(`"content":${text}`);
  });

  it('have a name that no other one of the organisation has', async () => {
    const by = member(newOrganisation());
    const { id: notebookId } = await running.notebooks.createNotebook({ name: 'A' }, by);
    await running.notebooks.createNotebook({ name: 'B' }, by);
    const taken = { kind: 'conflict', code: 'notebook_name_taken' };
    expect(await refusalOf(running.notebooks.createNotebook({ name: 'A' }, by))).toMatchObject(taken);
    expect(await refusalOf(running.notebooks.renameNotebook({ notebookId, name: 'B' }, by))).toMatchObject(taken);
    expect(await running.notebooks.renameNotebook({ notebookId, name: 'C' }, by)).toMatchObject({ name: 'C' });
    expect(await running.notebooks.createNotebook({ name: 'A' }, member(newOrganisation()))).toMatchObject({
      name: 'A',
    });
  });

  it('have no name that means a folder in a path', async () => {
    const by = member(newOrganisation());
    const { id: notebookId } = await running.notebooks.createNotebook({ name: 'A' }, by);
    const content = Readable.from([{ name: '..', chunk: Buffer.from(JSON.stringify(notebookOf('1'))) }]);
    const refused = (where: string, input: string) => ({
      kind: 'invalid',
      violations: [{ loc: [where, 'name'], input }],
    });
    for (const name of ['.', '..', '...ipynb']) {
      expect(await refusalOf(running.notebooks.createNotebook({ name }, by))).toMatchObject(refused('body', name));
      const renamed = running.notebooks.renameNotebook({ notebookId, name }, by);
      expect(await refusalOf(renamed)).toMatchObject(refused('body', name));
    }
    expect(await refusalOf(running.notebooks.importNotebook(content, by))).toMatchObject(refused('query', '..'));
    expect(await running.notebooks.renameNotebook({ notebookId, name: '...' }, by)).toMatchObject({ name: '...' });
  });

  it('are saved by one of two who have changed the same version', async () => {
    const by = member(newOrganisation());
    const { id: notebookId } = await running.notebooks.createNotebook({ name: 'Shared' }, by);
    const save = (text: string) =>
      running.notebooks.saveNotebook({ notebookId, content: notebookOf(text), version: 1 }, by);
    const both = await Promise.allSettled([save('mine'), save('yours')]);
    expect(both.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
    expect(await running.notebooks.getNotebook({ notebookId }, by)).toMatchObject({ version: 2 });
    const overAll = { notebookId, content: notebookOf('over all') };
    const saved = await running.notebooks.saveNotebook(overAll, by);
    expect(saved).toMatchObject({ version: 3 });
    // Once more, as by somebody who has not heard the answer.
    expect(await running.notebooks.saveNotebook({ ...overAll, version: 2 }, by)).toEqual(saved);
  });

  it('keep the format, and are told where they do not', async () => {
    const by = member(newOrganisation());
    const content = { ...notebookOf('x'), cells: [{ cell_type: 'markdown', id: 'a', source: 1, metadata: {} }] };
    expect(await refusalOf(running.notebooks.createNotebook({ name: 'Broken', content }, by))).toMatchObject({
      kind: 'invalid',
      violations: [{ loc: ['body', 'content', 'cells', 0, 'source'] }],
    });
  });

  it('go back to a checkpoint, of which the oldest go', async () => {
    const by = member(newOrganisation());
    const { id: notebookId } = await running.notebooks.createNotebook({ name: 'Kept', content: notebookOf('one') }, by);
    const checkpoint = await running.notebooks.createCheckpoint({ notebookId }, by);
    await running.notebooks.saveNotebook({ notebookId, content: notebookOf('two') }, by);
    const restored = await running.notebooks.restoreCheckpoint({ notebookId, checkpointId: checkpoint.id }, by);
    expect(restored).toMatchObject({ version: 3, content: notebookOf('one') });
    for (let made = 0; made < 20; made += 1) await running.notebooks.createCheckpoint({ notebookId }, by);
    const { checkpoints } = await running.notebooks.listCheckpoints({ notebookId }, by);
    expect(checkpoints).toHaveLength(20);
    expect(checkpoints.map(({ id }) => id)).not.toContain(checkpoint.id);
    const gone = running.notebooks.restoreCheckpoint({ notebookId, checkpointId: checkpoint.id }, by);
    expect(await refusalOf(gone)).toMatchObject({ code: 'checkpoint_not_found' });
  });

  it('come and go as files, byte for byte, larger ones too', async () => {
    const by = member(newOrganisation());
    const text = JSON.stringify(notebookOf('é'.repeat(1_000_000)), undefined, 1);
    const bytes = Buffer.from(text);
    const pieces = [bytes.subarray(0, 1_000_001), bytes.subarray(1_000_001)];
    const requests = pieces.map((chunk, at) => (at === 0 ? { name: 'File', chunk } : { chunk }));
    const imported = await running.notebooks.importNotebook(Readable.from(requests), by);
    expect(imported).toMatchObject({ sizeBytes: bytes.length, content: null });
    const exported = running.notebooks.exportNotebook({ notebookId: imported.id }, by);
    const chunks: Uint8Array[] = [];
    for await (const { chunk } of exported) chunks.push(chunk);
    expect(Buffer.concat(chunks).equals(bytes)).toBe(true);
    const page: Uint8Array[] = [];
    for await (const { chunk } of running.notebooks.exportNotebookPage({ notebookId: imported.id }, by))
      page.push(chunk);
    expect(Buffer.concat(page).toString()).toContain('<title>File</title>');
    const broken = Readable.from([{ name: 'No', chunk: Buffer.from([0xff]) }]);
    expect(await refusalOf(running.notebooks.importNotebook(broken, by))).toMatchObject({ code: 'not_a_notebook' });
  });

  it('are saved as files as well, where a JSON body would be too large, and not over a newer version', async () => {
    const by = member(newOrganisation());
    const { id: notebookId } = await running.notebooks.createNotebook({ name: 'Pictures' }, by);
    const chunk = Buffer.from(JSON.stringify(notebookOf('x'.repeat(3_000_000))));
    const save = (version: number, file = chunk) =>
      running.notebooks.saveNotebookFile(Readable.from([{ notebookId, version }, { chunk: file }]), by);
    expect(await save(1)).toMatchObject({ version: 2, sizeBytes: chunk.length, content: null });
    expect(await refusalOf(save(1, Buffer.from(JSON.stringify(notebookOf('x')))))).toMatchObject({
      code: 'notebook_changed',
    });
    expect(await refusalOf(save(2, Buffer.from('{}')))).toMatchObject({ code: 'not_a_notebook' });
    const theirs = running.notebooks.saveNotebookFile(
      Readable.from([{ notebookId, chunk }]),
      member(newOrganisation()),
    );
    expect(await refusalOf(theirs)).toMatchObject({ code: 'notebook_not_found' });
  });

  it('are gone when they are deleted, and a second time there is nothing', async () => {
    const by = member(newOrganisation());
    const { id: notebookId } = await running.notebooks.createNotebook({ name: 'Gone' }, by);
    await running.notebooks.createCheckpoint({ notebookId }, by);
    expect(await running.notebooks.deleteNotebook({ notebookId }, by)).toEqual({ id: notebookId, deleted: true });
    expect(await refusalOf(running.notebooks.deleteNotebook({ notebookId }, by))).toMatchObject({
      code: 'notebook_not_found',
    });
  });
});
