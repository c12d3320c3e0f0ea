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
