import { expect, it } from '@jest/globals';
import { programOf } from './notebook-program.ts';
import { shownCells, withShown } from './shown-cells.ts';

const code = (source: string) => ({ cell_type: 'code', source, metadata: {}, outputs: ['old'], execution_count: 7 });
const notebook = { cells: [code('a'), code('b')], metadata: {}, nbformat: 4, nbformat_minor: 4 };
const printed = (text: string) => ({ type: 'stream', parentId: 'p', content: { name: 'stdout', text } });

it('gives the cells of a run with what they show, and with nothing of an earlier run', () => {
  const shown = shownCells(1_000);
  shown.hear(0, printed('one'));
  shown.count(0, 1);
  expect(withShown(programOf(notebook, {}), shown.all)).toMatchObject({
    nbformat: 4,
    cells: [
      { source: 'a', execution_count: 1, outputs: [{ output_type: 'stream', name: 'stdout', text: 'one' }] },
      { source: 'b', execution_count: null, outputs: [] },
    ],
  });
});

it('has what was shown as it was updated last, in whichever cell that was', () => {
  const display = (type: string, id: string, text: string) => ({
    type,
    parentId: 'p',
    content: { data: { 'text/plain': text }, metadata: {}, transient: { display_id: id } },
  });
  const shown = shownCells(1_000);
  shown.hear(0, display('display_data', 'bar', '0%'));
  shown.hear(0, display('display_data', 'other', 'stays'));
  shown.hear(1, display('display_data', 'bar', '0%'));
  shown.hear(1, display('update_display_data', 'bar', '50%'));
  shown.hear(1, display('update_display_data', 'bar', '100%'));
  shown.hear(1, display('update_display_data', 'unknown', 'never shown'));
  const { cells } = withShown(programOf(notebook, {}), shown.all);
  const texts = (cells as { outputs: { data: Record<string, string>; transient?: unknown }[] }[]).map(({ outputs }) =>
    outputs.map(({ data, transient }) => [data['text/plain'], transient]),
  );
  expect(texts).toEqual([
    [
      ['100%', undefined],
      ['stays', undefined],
    ],
    [['100%', undefined]],
  ]);
});

it('counts in bytes what is shown', () => {
  const shown = shownCells(1_000);
  for (let word = 0; word < 2; word += 1) shown.hear(0, printed('語'.repeat(200)));
  const { cells } = withShown(programOf(notebook, {}), shown.all);
  const [first] = cells as { outputs: { name: string; text: string }[] }[];
  expect(first?.outputs).toEqual([
    { output_type: 'stream', name: 'stdout', text: '語'.repeat(200) },
    { output_type: 'stream', name: 'stderr', text: expect.stringContaining('is left out') },
  ]);
});

it('says once that more was shown than is kept', () => {
  const shown = shownCells(100);
  for (let line = 0; line < 10; line += 1) shown.hear(line < 5 ? 0 : 1, printed(`line ${line}\n`));
  const { cells } = withShown(programOf(notebook, {}), shown.all);
  const [first, second] = cells as { outputs: { name: string; text: string }[] }[];
  expect(first?.outputs).toEqual([
    { output_type: 'stream', name: 'stdout', text: 'line 0\nline 1\n' },
    { output_type: 'stream', name: 'stderr', text: expect.stringContaining('beyond 100 bytes is left out') },
  ]);
  expect(second?.outputs).toEqual([]);
});

const shownAs = (type: string, id: string, text: string) => ({
  type,
  parentId: 'p',
  content: { data: { 'text/plain': text }, metadata: {}, transient: { display_id: id } },
});

it('takes no longer for each of what is updated the more there is', () => {
  const shown = shownCells(2 ** 26);
  const count = 30_000;
  for (let index = 0; index < count; index += 1) shown.hear(0, shownAs('display_data', String(index), 'first'));
  for (let index = 0; index < count; index += 1) shown.hear(0, shownAs('update_display_data', String(index), 'last'));
  const outputs = shown.all.outputs.get(0) ?? [];
  expect(outputs).toHaveLength(count);
  expect(new Set(outputs.map((output) => JSON.stringify(output['data'])))).toEqual(new Set(['{"text/plain":"last"}']));
});

it('counts what is updated as often as it is shown, for the result has it as often', () => {
  const shown = shownCells(20_000);
  for (let count = 0; count < 100; count += 1) shown.hear(0, shownAs('display_data', 'bar', ''));
  shown.hear(1, shownAs('update_display_data', 'bar', 'x'.repeat(1_000)));
  expect(JSON.stringify(shown.all.outputs.get(0))).not.toContain('xxx');
  expect(JSON.stringify(shown.all.outputs.get(1))).toContain('beyond 20000 bytes is left out');
});

it('forgets what was shown before a cell was cleared, and updates what was shown after that', () => {
  const shown = shownCells(10_000);
  shown.hear(0, shownAs('display_data', 'bar', '0%'));
  shown.hear(0, { type: 'clear_output', parentId: 'p', content: {} });
  shown.hear(0, printed('done'));
  shown.hear(0, shownAs('update_display_data', 'bar', '50%'));
  shown.hear(0, shownAs('display_data', 'bar', '60%'));
  shown.hear(0, shownAs('update_display_data', 'bar', '100%'));
  expect(shown.all.outputs.get(0)).toMatchObject([{ text: 'done' }, { data: { 'text/plain': '100%' } }]);
});
