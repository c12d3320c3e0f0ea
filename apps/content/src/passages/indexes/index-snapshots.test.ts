import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { fixedClock } from '@platform-backend/core';
import { existsSync, mkdtempSync, readdirSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { SourceChange, StoredSource } from '../domain/passage-store.ts';
import { sameBudgets } from './index-parts.ts';
import { FORGOTTEN_AFTER_MS, indexSnapshots } from './index-snapshots.ts';
import { OrganisationIndex } from './organisation-index.ts';
import { writeSnapshot } from './snapshot-file.ts';
import { versionOf } from './source-version.ts';

const now = new Date('2030-01-01T12:00:00Z');
const sourceOf = (id: string, fields: Partial<StoredSource> = {}): StoredSource => ({
  ...{ kind: 'DOCUMENT', id, title: id, createdAt: now, generation: `set-${id}`, model: 'm', passages: 1 },
  ...fields,
});

describe('snapshots in a folder', () => {
  let directory: string;
  beforeEach(() => {
    directory = mkdtempSync(join(tmpdir(), 'snapshots-'));
  });
  afterEach(() => rmSync(directory, { recursive: true, force: true }));

  const opened = (present: readonly StoredSource[], changes: readonly SourceChange[] = [], maxBytes = 1e9) =>
    indexSnapshots({
      ...{ directory, maxBytes, clock: fixedClock(now) },
      passageStore: {
        newest: (_organisation, kind) => Promise.resolve(present.filter((source) => source.kind === kind).slice(0, 1)),
        changes: () => Promise.resolve(changes),
      },
    });
  const changeOf = (source: StoredSource, isPresent = true): SourceChange => ({
    ...{ kind: source.kind, id: source.id, position: { changedAt: now, key: source.id } },
    ...(isPresent && { present: source }),
  });
  const write = async (organisationId: string, { position = now.getTime() - 60_000, name = organisationId } = {}) => {
    const index = new OrganisationIndex(sameBudgets(100));
    for (const id of ['a', 'b']) {
      const { kind, title, generation } = sourceOf(id);
      const source = { kind, id, title, generation, createdAt: 0, version: versionOf(sourceOf(id), 'm') };
      index.put(source, [{ ordinal: 0, text: 'honey' }]);
    }
    const file = opened([]).fileOf({ organisationId: name, part: 'content' });
    const header = {
      organisationId,
      part: 'content',
      model: 'm',
      budgets: sameBudgets(100),
      made: 'x',
      position,
    } as const;
    await writeSnapshot(file, header, index.snapshot());
    return file;
  };

  it('stay while nothing that they have was removed or changed', async () => {
    const file = await write('org');
    const kept = [{ organisationId: 'org', part: 'content' }];
    const present = [sourceOf('a'), sourceOf('b')];
    expect(await opened(present).tidy()).toEqual(kept);
    const known = [sourceOf('a'), sourceOf('new'), sourceOf('b', { model: '' })].map((source) => changeOf(source));
    expect(await opened(present, [...known, changeOf(sourceOf('other'), false)]).tidy()).toEqual(kept);
    expect(existsSync(file)).toBe(true);
  });

  it.each<[string, SourceChange]>([
    ['was removed', changeOf(sourceOf('b'), false)],
    ['has another text', changeOf(sourceOf('b', { generation: 'another' }))],
    ['has another name', changeOf(sourceOf('b', { title: 'another' }))],
  ])('go where something that they have %s', async (_what, change) => {
    const file = await write('org');
    expect(await opened([sourceOf('a')], [changeOf(sourceOf('a')), change]).tidy()).toEqual([]);
    expect(existsSync(file)).toBe(false);
  });

  it('go with their organisation, whether it is told or has nothing any more', async () => {
    const [told, other] = [await write('told'), await write('other')];
    await opened([sourceOf('a')]).remove('told');
    expect([existsSync(told), existsSync(other)]).toEqual([false, true]);
    await opened([]).tidy();
    expect(existsSync(other)).toBe(false);
  });

  it('go where nobody could tell any more what was removed, where they are of another organisation, and where they are damaged', async () => {
    await write('old', { position: now.getTime() - FORGOTTEN_AFTER_MS - 1 });
    await write('one', { name: 'another' });
    writeFileSync(join(directory, 'damaged.content.index'), 'x'.repeat(1_000));
    writeFileSync(join(directory, 'strange.index'), '');
    expect(await opened([sourceOf('a')]).tidy()).toEqual([]);
    expect(readdirSync(directory)).toEqual([]);
  });

  it('take so much room together: what was written longest ago goes', async () => {
    const files = [await write('first'), await write('second'), await write('third')];
    const ofMinute = [2, 0, 1];
    for (const [at, file] of files.entries())
      utimesSync(file, now, new Date(now.getTime() - (ofMinute[at] ?? 0) * 60_000));
    const { size } = statSync(files[0] ?? '');
    await opened([sourceOf('a')], [], 2.5 * size).tidy();
    expect(files.map((file) => existsSync(file))).toEqual([false, true, true]);
  });

  it('leave nothing of one that was not finished, once nobody can be writing it', async () => {
    const [left, present] = ['1', '2'].map((name) => join(directory, `org.content.index.${name}.unfinished`)) as [
      string,
      string,
    ];
    for (const file of [left, present]) writeFileSync(file, 'words');
    utimesSync(left, now, new Date(now.getTime() - 3_600_000));
    utimesSync(present, now, now);
    await opened([]).tidy();
    expect([existsSync(left), existsSync(present)]).toEqual([false, true]);
  });
});
