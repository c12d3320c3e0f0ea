import { describe, expect, it } from '@jest/globals';
import { changeFolder, lackOfCheckpointRoom, type Folder, type FolderChange, type FolderLimits } from './folder.ts';

const noon = new Date('2026-01-01T12:00:00Z');
const empty: Folder = { notebookId: 'n', entries: new Map(), checkpointBytes: 0, otherBytes: 0, steps: [] };
const limits: FolderLimits = { notebookBytes: 100, organisationBytes: 150, fileBytes: 60, entries: 6 };

const file = (path: string, size = 1, digest = `${path} of ${String(size)}`): FolderChange => ({
  path,
  file: { bytes: new Uint8Array(size), digest },
});
const after = (changes: readonly FolderChange[], folder = empty): Folder => {
  const { state, result } = changeFolder(folder, changes, limits, noon);
  expect(result).toEqual([]);
  return state;
};
const reasons = (changes: readonly FolderChange[], folder = empty) =>
  changeFolder(folder, changes, limits, noon).result.map(({ reason }) => reason);
const paths = ({ entries }: Folder) => [...entries.keys()].sort();

describe('the folder of a notebook', () => {
  it('has the folders on the way to a file, and tells of what was written', () => {
    const { state, events } = changeFolder(empty, [file('a/b/c.csv', 7)], limits, noon);
    expect(paths(state)).toEqual(['a', 'a/b', 'a/b/c.csv']);
    expect(events).toMatchObject([
      { name: 'notebook.files_changed', subject: 'n', data: { written: ['a', 'a/b', 'a/b/c.csv'], size_bytes: 7 } },
    ]);
    expect(events[0]?.change).toMatchObject({ before: { files_size_bytes: 0 }, after: { files_size_bytes: 7 } });
  });

  it('stays as it is where a file has these bytes already', () => {
    const folder = after([file('a')]);
    expect(changeFolder(folder, [file('a')], limits, noon)).toMatchObject({ state: folder, events: [] });
  });

  it.each([
    '',
    '/a',
    'a/',
    'a//b',
    '..',
    'a/../b',
    './a',
    'a\\b',
    'a\u0000',
    'x'.repeat(301),
    '\ud800',
    'ü'.repeat(130),
  ])('has nothing at %j', (path) =>
    expect(reasons([file(path), { path, folder: true }])).toEqual(['not_a_path', 'not_a_path']),
  );

  it('has one thing at a path: a file or a folder', () => {
    const folder = after([file('a'), { path: 'f', folder: true }]);
    const changes: FolderChange[] = [file('a/b'), file('f'), { path: 'a', folder: true }];
    expect(reasons(changes, folder)).toEqual(['taken', 'taken', 'taken']);
  });

  it('loses a folder with all that is in it, and nothing beside', () => {
    const folder = after([file('f/a'), file('f.csv')]);
    expect(paths(after([{ path: 'f', removed: true }], folder))).toEqual(['f.csv']);
    expect(reasons([{ path: 'g', removed: true }], folder)).toEqual(['not_found']);
  });

  it('holds no more than it may, and a smaller file always', () => {
    expect(reasons([file('a', 61)])).toEqual(['full']);
    const folder = after([file('a', 60), file('b', 40)]);
    expect(reasons([file('c', 1)], folder)).toEqual(['full']);
    expect(paths(after([file('b', 39), file('c', 1)], folder))).toEqual(['a', 'b', 'c']);
    const others = { ...empty, otherBytes: 120 };
    expect(reasons([file('a', 30), file('b', 1)], others)).toEqual(['full']);
    // Where a limit is smaller than it was, what is there may become smaller.
    expect(paths(after([file('a', 50)], { ...after([file('a', 60)]), otherBytes: 200 }))).toEqual(['a']);
    expect(reasons(['1', '2', '3', '4', '5', '6', '7'].map((path) => file(path)))).toEqual(['full']);
  });

  it('moves a folder with all that is in it, and nothing over something else', () => {
    const folder = after([file('f/a/b', 3), file('f.csv'), file('g')]);
    const { state, events } = changeFolder(folder, [{ path: 'f', movedTo: 'h/i' }], limits, noon);
    expect(paths(state)).toEqual(['f.csv', 'g', 'h', 'h/i', 'h/i/a', 'h/i/a/b']);
    expect(state.entries.get('h/i/a/b')).toMatchObject({ path: 'h/i/a/b', sizeBytes: 3 });
    expect(state.steps).toMatchObject([{ entry: { path: 'h' } }, { moved: 'f', to: 'h/i' }]);
    expect(events[0]?.data).toMatchObject({ written: ['h', 'h/i'], deleted: ['f'] });
    const move = (path: string, movedTo: string) => reasons([{ path, movedTo }], folder);
    expect(move('f', 'f')).toEqual([]);
    expect([move('f', 'g'), move('f', 'g/h'), move('f', 'f/a/c'), move('x', 'y'), move('f', '..')]).toEqual([
      ['taken'],
      ['taken'],
      ['not_a_path'],
      ['not_found'],
      ['not_a_path'],
    ]);
    // What is deep within would have too long a path.
    expect(move('f', `${'y'.repeat(200)}/${'z'.repeat(97)}`)).toEqual(['not_a_path']);
  });

  it('takes the place of what somebody has seen, and of nothing else', () => {
    const folder = after([file('a')]);
    const over = (was: object): FolderChange => ({
      path: 'a',
      file: { bytes: new Uint8Array(2), digest: '2', ...was },
    });
    expect(reasons([over({ isNew: true })], folder)).toEqual(['taken']);
    expect(reasons([over({ was: 'another' })], folder)).toEqual(['changed']);
    expect(reasons([{ path: 'a', removed: true, was: 'another' }], folder)).toEqual(['changed']);
    expect(
      reasons(
        [
          { path: 'f', folder: true },
          { path: 'f', folder: true, isNew: true },
        ],
        folder,
      ),
    ).toEqual(['taken']);
    expect(reasons([over({ was: 'a of 1' })], folder)).toEqual([]);
  });

  it('counts checkpoints as files', () => {
    const folder = { ...after([file('a', 40)]), checkpointBytes: 40 };
    expect(reasons([file('b', 21)], folder)).toEqual(['full']);
    expect(reasons([file('b', 20)], folder)).toEqual([]);
    const entry = folder.entries.get('a');
    if (!entry) throw new Error('there is no file');
    expect(lackOfCheckpointRoom(folder, entry, 40, limits)).toBeUndefined();
    expect(lackOfCheckpointRoom(folder, entry, 19, limits)).toContain('up to');
    expect(lackOfCheckpointRoom(folder, entry, 20, limits)).toBeUndefined();
  });

  it('makes those of several changes that are possible, and says which are not', () => {
    const { state, result } = changeFolder(empty, [file('..'), file('a'), file('b', 70)], limits, noon);
    expect(paths(state)).toEqual(['a']);
    expect(result.map(({ path }) => path)).toEqual(['..', 'b']);
  });
});
