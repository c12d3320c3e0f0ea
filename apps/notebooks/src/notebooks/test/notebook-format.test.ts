import { afterAll, describe, expect, it } from '@jest/globals';
import { notebookFormatThread } from '../threads/format/notebook-format-thread.ts';

const format = notebookFormatThread();
afterAll(() => format.close());

const check = (notebook: unknown) => format.check('org_1', JSON.stringify(notebook));
const code = { cell_type: 'code', source: 'x', metadata: {}, outputs: [], execution_count: null };
const whole = { cells: [], metadata: {}, nbformat: 4, nbformat_minor: 5 };

describe('the format of notebooks', () => {
  it('is nbformat 4 in each of its versions, with ids of cells from 4.5 on', async () => {
    const older = { ...whole, nbformat_minor: 0, cells: [code] };
    expect(await check(older)).toMatchObject({ formatMinor: 0, sizeBytes: JSON.stringify(older).length });
    expect(await check({ ...older, nbformat_minor: 5 })).toMatchObject({ at: ['cells', 0] });
    expect(await check({ ...whole, cells: [{ ...code, id: 'a' }] })).toMatchObject({ formatMinor: 5 });
  });

  it('names the place where a notebook breaks it', async () => {
    expect(await check({ ...whole, nbformat: 3 })).toMatchObject({ at: ['nbformat'] });
    expect(await check({ ...whole, cells: 1 })).toEqual({ at: ['cells'], message: 'must be array' });
    const cells = [{ ...code, id: 'a', outputs: [{ output_type: 'stream', name: 'stdout', text: 7 }] }];
    expect(await check({ ...whole, cells })).toMatchObject({ at: ['cells', 0, 'outputs', 0, 'text'] });
    expect(await format.check('org_1', '{')).toEqual({ at: [], message: 'it is no JSON' });
    expect(await check([])).toEqual({ at: [], message: 'it is no JSON object' });
  });

  it('takes what nbformat takes: fields that are newer than it, and no byte order mark', async () => {
    const cells = [{ ...code, id: 'a', new_of_cells: 1 }];
    expect(await check({ ...whole, nbformat_minor: 6, cells, new_of_notebooks: 2 })).toMatchObject({ formatMinor: 6 });
    expect(await check({ ...whole, cells })).toMatchObject({ at: ['cells', 0] });
    expect(await check({ ...whole, nbformat_minor: -1 })).toMatchObject({ at: ['nbformat_minor'] });
    expect(await format.check('org_1', `\ufeff${JSON.stringify(whole)}`)).toMatchObject({
      message: 'it is no JSON: it begins with a byte order mark',
    });
  });

  it('gives another id to a cell that has the one of a cell before it, and changes nothing else', async () => {
    const cells = ['a', 'b', 'a', 'a'].map((id) => ({ ...code, id }));
    const text = JSON.stringify({ ...whole, cells, metadata: { big: 0 } }).replace(
      '"big":0',
      '"big":1152921504606846977',
    );
    const checked = (await format.check('org_1', text)) as { text: string; sizeBytes: number };
    const { cells: kept } = JSON.parse(checked.text) as { cells: { id: string }[] };
    expect(kept.slice(0, 2).map(({ id }) => id)).toEqual(['a', 'b']);
    expect(new Set(kept.map(({ id }) => id)).size).toBe(4);
    expect(checked.text).toContain('"big":1152921504606846977');
    expect(checked.sizeBytes).toBe(Buffer.byteLength(checked.text));
    expect(await format.check('org_1', text)).toEqual(checked);
  });

  it('limits how deep metadata may be nested', async () => {
    const deep = JSON.parse('{"a":'.repeat(80) + '1' + '}'.repeat(80)) as object;
    expect(await check({ ...whole, metadata: deep })).toMatchObject({ message: expect.stringContaining('60 levels') });
  });

  it('gives the programming language of a notebook', async () => {
    const metadata = { language_info: { name: 'python' } };
    expect(await check({ ...whole, metadata })).toMatchObject({ language: 'python' });
  });
});
