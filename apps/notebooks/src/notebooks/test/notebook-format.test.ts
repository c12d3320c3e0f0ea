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

  it('says where it is broken', async () => {
    expect(await check({ ...whole, nbformat: 3 })).toMatchObject({ at: ['nbformat'] });
    expect(await check({ ...whole, cells: 1 })).toEqual({ at: ['cells'], message: 'must be array' });
    const cells = [{ ...code, id: 'a', outputs: [{ output_type: 'stream', name: 'stdout', text: 7 }] }];
    expect(await check({ ...whole, cells })).toMatchObject({ at: ['cells', 0, 'outputs', 0, 'text'] });
    expect(await format.check('org_1', '{')).toEqual({ at: [], message: 'it is no JSON' });
    expect(await check([])).toEqual({ at: [], message: 'it is no JSON object' });
  });

  it('has an end to how deep metadata go', async () => {
    const deep = JSON.parse('{"a":'.repeat(80) + '1' + '}'.repeat(80)) as object;
    expect(await check({ ...whole, metadata: deep })).toMatchObject({ message: expect.stringContaining('60 levels') });
  });

  it('tells the language', async () => {
    const metadata = { language_info: { name: 'python' } };
    expect(await check({ ...whole, metadata })).toMatchObject({ language: 'python' });
  });
});
