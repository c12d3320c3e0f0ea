import { afterAll, describe, expect, it } from '@jest/globals';
import { notebookProgramsThread } from '../threads/notebook-programs-thread.ts';

const programs = notebookProgramsThread();
afterAll(() => programs.close());

const picture = { output_type: 'display_data', data: { 'image/png': 'aGk='.repeat(1_000_000) }, metadata: {} };
const code = { cell_type: 'code', source: ['x = 1\n', 'x'], metadata: {}, outputs: [picture], execution_count: 7 };
const markdown = { cell_type: 'markdown', source: '# Title', metadata: {} };
const text = JSON.stringify({ cells: [markdown, code], metadata: { a: 1 }, nbformat: 4, nbformat_minor: 4 });

describe('a notebook that is read for a run', () => {
  it('gives its cells as they run, without what they have shown', async () => {
    expect(await programs.cellsOf('org_1', { text, parameters: { x: 2 } })).toEqual([
      { code: '# Parameters\nx = 2', cellIndex: null, mayFail: false, isOfParameters: true },
      { code: undefined, cellIndex: 0, mayFail: false, isOfParameters: false },
      { code: 'x = 1\nx', cellIndex: 1, mayFail: false, isOfParameters: false },
    ]);
  });

  it('has what its cells have shown when it has run, and nothing of before', async () => {
    const output = { output_type: 'stream', name: 'stdout', text: '1' };
    const shown = { outputs: new Map([[1, [output]]]), counts: new Map([[1, 1]]) };
    expect(JSON.parse(await programs.textOf('org_1', { text, parameters: {} }, shown))).toEqual({
      ...{ metadata: { a: 1 }, nbformat: 4, nbformat_minor: 4 },
      cells: [markdown, { ...code, outputs: [output], execution_count: 1 }],
    });
  });

  it('is refused parameters that no variable can have', async () => {
    await expect(programs.cellsOf('org_1', { text, parameters: { 'a b': 1 } })).rejects.toMatchObject({
      kind: 'invalid',
      violations: [{ loc: ['body', 'parameters', 'a b'] }],
    });
  });
});
