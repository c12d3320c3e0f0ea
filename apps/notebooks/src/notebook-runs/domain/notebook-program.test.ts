import { describe, expect, it } from '@jest/globals';
import { DomainError } from '@platform-backend/core';
import type { Json } from '../../notebooks/domain/json.ts';
import { kernelNameIn, programOf, programOfCode } from './notebook-program.ts';

const code = (source: Json, ...tags: string[]) => ({
  cell_type: 'code',
  metadata: { tags },
  source,
  execution_count: 7,
  outputs: [{ output_type: 'stream', name: 'stdout', text: 'old' }],
});
const markdown = { cell_type: 'markdown', metadata: {}, source: '# Title' };
const notebook = (...cells: Json[]) => ({ cells, metadata: { a: 1 }, nbformat: 4, nbformat_minor: 5 });
const codesOf = (of: ReturnType<typeof notebook>, parameters = {}) =>
  programOf(of, parameters).cells.map((cell) => cell.code);

describe('a notebook that is carried out', () => {
  it('has the cells in their order, without what they showed before', () => {
    const { rest, cells } = programOf(notebook(markdown, code(['a = 1\n', 'a']), code('  ')), {});
    expect(rest).toEqual({ metadata: { a: 1 }, nbformat: 4, nbformat_minor: 5 });
    expect(cells.map((cell) => [cell.code, cell.cellIndex])).toEqual([
      [undefined, 0],
      ['a = 1\na', 1],
      [undefined, 2],
    ]);
    expect(cells[0]?.cell).toEqual(markdown);
    expect(cells[1]?.cell).toMatchObject({ source: ['a = 1\n', 'a'], outputs: [], execution_count: null });
  });

  it('has the parameters behind the cell that is tagged for them, and else first', () => {
    const injected = '# Parameters\nx = 2';
    const tagged = notebook(code('import a'), code('x = 1', 'parameters'), code('x'));
    expect(codesOf(tagged, { x: 2 })).toEqual(['import a', 'x = 1', injected, 'x']);
    expect(programOf(tagged, { x: 2 }).cells[2]).toMatchObject({
      cellIndex: null,
      cell: { id: 'injected-parameters', metadata: { tags: ['injected-parameters'] }, source: injected },
    });
    expect(programOf(tagged, { x: 2 }).cells[3]).toMatchObject({ cellIndex: 2 });
    expect(codesOf(notebook(code('x')), { x: 2 })).toEqual([injected, 'x']);
    expect(codesOf(tagged)).toEqual(['import a', 'x = 1', 'x']);
  });

  it('replaces the parameters of an earlier run', () => {
    const result = notebook(code('x = 1', 'parameters'), code('x = 5', 'injected-parameters'), code('x'));
    expect(codesOf(result, { x: 2 })).toEqual(['x = 1', '# Parameters\nx = 2', 'x']);
  });

  it('goes on behind a cell that is said to fail', () => {
    expect(programOf(notebook(code('1 / 0', 'raises-exception')), {}).cells[0]).toMatchObject({ mayFail: true });
  });

  it('gives no id to a cell where cells have none', () => {
    const [cell] = programOf({ ...notebook(), nbformat_minor: 4 }, { x: 1 }).cells;
    expect(cell?.cell).not.toHaveProperty('id');
  });
});

describe('parameters of a notebook', () => {
  it('are written as Python writes them', () => {
    const [cell] = programOfCode('a', {
      a: null,
      b: [true, false, 1.5, -2],
      c: { 'k"': 'line\nZoë 🎈\\' },
    });
    expect(cell?.code).toBe('# Parameters\na = None\nb = [True, False, 1.5, -2]\nc = {"k\\"": "line\\nZoë 🎈\\\\"}');
  });

  it.each(['1a', 'a b', 'class', '', 'a;import os', 'a.b', '__x-'])('are not called %p', (name) => {
    expect(() => programOfCode('', { [name]: 1 })).toThrow(DomainError);
  });
});

it('is read with the kernel that the notebook names', () => {
  const named = (metadata: Record<string, never> | { kernelspec: Record<string, string> }) =>
    kernelNameIn(programOf({ cells: [], metadata }, {}));
  expect(named({ kernelspec: { name: 'large', language: 'python' } })).toBe('large');
  expect(named({ kernelspec: {} })).toBe('');
  expect(named({})).toBe('');
});
