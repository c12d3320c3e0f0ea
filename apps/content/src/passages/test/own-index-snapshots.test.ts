import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { newId } from '@platform-backend/core';
import { waitFor } from '@platform-backend/testing';
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { encoderOf, openSearchUnderTest, passagesOf, type SearchUnderTest } from '../../../test/search-under-test.ts';
import { FORGOTTEN_AFTER_MS } from '../indexes/index-snapshots.ts';
import { readSnapshot, UNFINISHED } from '../indexes/snapshot-file.ts';

describe('an index with a snapshot', () => {
  let parts: SearchUnderTest;
  let folder: string;
  beforeAll(async () => {
    parts = await openSearchUnderTest();
  });
  afterAll(() => parts.close());
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'snapshots-'));
  });
  afterEach(() => {
    jest.restoreAllMocks();
    rmSync(folder, { recursive: true, force: true });
  });

  /** A service from its start to its end, with how many sets of passages it has read from the store. */
  async function running<T>(
    work: (service: ReturnType<SearchUnderTest['replica']>) => Promise<T>,
    { model = 'm', maxPassages = 10_000, maxBytes = 1e9 } = {},
  ): Promise<{ readonly result: T; readonly read: number; readonly builds: number }> {
    let read = 0;
    const store = { ...parts.passageStore };
    jest.spyOn(parts.passageStore, 'passages').mockImplementation(async (organisationId, generations) => {
      read += generations.length;
      return store.passages(organisationId, generations);
    });
    const service = parts.replica(encoderOf(model).embeddings, { snapshotsIn: folder, maxPassages, maxBytes });
    try {
      const result = await work(service);
      return { result, read, builds: service.search.counts?.().builds ?? 0 };
    } finally {
      await service.search.close();
      jest.restoreAllMocks();
    }
  }
  type Service = ReturnType<SearchUnderTest['replica']>;
  const found = async ({ search }: Service, organisationId: string, text: string) =>
    (await search.search(organisationId, { text, mode: 'keyword', kinds: ['DOCUMENT'], limit: 100 })).hits.map(
      ({ id }) => id,
    );
  const fileOf = (organisationId: string) => join(folder, `${organisationId}.content.index`);
  const document = (id: string) => ({ kind: 'DOCUMENT', id, title: '', createdAt: parts.clock.now() }) as const;

  /** An organisation with ten documents, whose index was opened by a service that was stopped. */
  async function indexed(): Promise<string> {
    const organisationId = newId();
    const { read } = await running(async (service) => {
      for (let id = 0; id < 10; id += 1)
        await service.passages.replace(organisationId, document(`d${id}`), passagesOf(`bees dance word${id}`, 'bread'));
      expect(await found(service, organisationId, 'bees')).toHaveLength(10);
    });
    expect(read).toBe(10);
    expect(existsSync(fileOf(organisationId))).toBe(true);
    return organisationId;
  }

  it('is not built again by whoever starts next, who reads what has changed alone', async () => {
    const organisationId = await indexed();
    const again = await running((service) => found(service, organisationId, 'word7'));
    expect(again).toEqual({ result: ['d7'], read: 0, builds: 0 });
    await parts.replica(encoderOf('m').embeddings).passages.replace(organisationId, document('d3'), passagesOf('wax'));
    await parts.replica(encoderOf('m').embeddings).passages.replace(organisationId, document('new'), passagesOf('wax'));
    const changed = await running(async (service) => [
      (await found(service, organisationId, 'wax')).toSorted(),
      await found(service, organisationId, 'word3'),
    ]);
    expect(changed).toEqual({ result: [['d3', 'new'], []], read: 2, builds: 0 });
  });

  it('is not built again when others have taken its room', async () => {
    const [organisationId, other] = [await indexed(), await indexed()];
    const taken = await running(
      async (service) => {
        for (let round = 0; round < 3; round += 1)
          for (const one of [organisationId, other]) expect(await found(service, one, 'word7')).toEqual(['d7']);
      },
      { maxBytes: 1 },
    );
    expect(taken).toMatchObject({ read: 0, builds: 0 });
  });

  it('finds nothing of what was deleted while the service was down, and has no word of it any more', async () => {
    const organisationId = await indexed();
    expect(readFileSync(fileOf(organisationId), 'latin1')).toContain('word4');
    await parts.passageStore.remove(organisationId, 'DOCUMENT', ['d4'], parts.clock);
    // Whoever starts looks at snapshots before anybody has searched.
    await running(async ({ search }) => search.keepSnapshots?.());
    expect(existsSync(fileOf(organisationId))).toBe(false);
  });

  it('is written anew without what was deleted while it is open, searched or not', async () => {
    const organisationId = await indexed();
    const { read } = await running(async (service) => {
      expect(await found(service, organisationId, 'bees')).toHaveLength(10);
      await service.passages.remove(organisationId, 'DOCUMENT', ['d4']);
      await service.search.keepSnapshots?.();
      const written = readFileSync(fileOf(organisationId), 'latin1');
      expect(written).toContain('word5');
      expect(written).not.toMatch(/word4|"d4"/);
      expect(await found(service, organisationId, 'word4')).toEqual([]);
    });
    expect(read).toBe(0);
  });

  it('has nothing that is deleted between its last search and the end of the service either, once somebody looks', async () => {
    const organisationId = await indexed();
    await running(async (service) => {
      await found(service, organisationId, 'bees');
      await service.passages.replace(organisationId, document('d2'), passagesOf('wax'));
      await found(service, organisationId, 'wax');
      await service.passages.remove(organisationId, 'DOCUMENT', ['d4']);
    });
    await running(async ({ search }) => search.keepSnapshots?.());
    expect(existsSync(fileOf(organisationId))).toBe(false);
  });

  it('goes with its organisation', async () => {
    const organisationId = await indexed();
    await running(async ({ search }) => {
      await parts.passageStore.removeAll(organisationId);
      await search.removeIndex(organisationId);
      expect(existsSync(fileOf(organisationId))).toBe(false);
    });
  });

  it.each<[string, (file: string) => void]>([
    ['is damaged', (file) => writeFileSync(file, readFileSync(file).fill(1, 100, 200))],
    ['is cut', (file) => writeFileSync(file, readFileSync(file).subarray(0, -1))],
    ['is empty', (file) => writeFileSync(file, '')],
    ['is gone', (file) => rmSync(file)],
  ])('is built where the snapshot %s, and has another one', async (_what, harm) => {
    const organisationId = await indexed();
    harm(fileOf(organisationId));
    const again = await running((service) => found(service, organisationId, 'word7'));
    expect(again).toEqual({ result: ['d7'], read: 10, builds: 1 });
    expect(readSnapshot(fileOf(organisationId))).toBeDefined();
  });

  it('is built where it is of another model, of another budget or of another organisation', async () => {
    const organisationId = await indexed();
    const search = (service: Service) => found(service, organisationId, 'word7');
    expect(await running(search, { maxPassages: 100 })).toMatchObject({ result: ['d7'], builds: 1 });
    const other = await indexed();
    writeFileSync(fileOf(organisationId), readFileSync(fileOf(other)));
    expect(await running(search)).toMatchObject({ result: ['d7'], builds: 1 });
    await parts.passageStore.switchTo('n');
    const ofOther = await running(search, { model: 'n' });
    expect(ofOther).toMatchObject({ result: ['d7'], builds: 1 });
  });

  it('is built where nobody could tell any more what was removed since', async () => {
    const organisationId = await indexed();
    parts.clock.advance(FORGOTTEN_AFTER_MS + 1);
    const again = await running((service) => found(service, organisationId, 'word7'));
    expect(again).toEqual({ result: ['d7'], read: 10, builds: 1 });
  });

  it('is what it was, or there is none, when the process is killed while it writes', async () => {
    const organisationId = await indexed();
    const before = readFileSync(fileOf(organisationId));
    const unfinished = () => readdirSync(folder).filter((name) => name.endsWith(UNFINISHED));
    for (const file of [fileOf(organisationId), fileOf('another')])
      for (let kill = 0; kill < 3; kill += 1) {
        const child = fork(join(import.meta.dirname, 'write-large-snapshot.ts'), [file]);
        const ended = once(child, 'exit');
        await waitFor(() => unfinished().length > kill, { what: 'the snapshot to be begun' });
        child.kill('SIGKILL');
        await ended;
      }
    expect(readFileSync(fileOf(organisationId)).equals(before)).toBe(true);
    expect(existsSync(fileOf('another'))).toBe(false);
    const again = await running((service) => found(service, organisationId, 'word7'));
    expect(again).toEqual({ result: ['d7'], read: 0, builds: 0 });
  });
});
