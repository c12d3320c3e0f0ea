import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { systemClock } from '@platform-backend/core';
import { openObjects, type Objects } from '@platform-backend/objects';
import { mkdtemp, open, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { datasetFiles } from './dataset-files.ts';

describe('files of datasets', () => {
  let directory: string;
  let objects: Objects;
  const reads: string[] = [];
  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), 'dataset-files-'));
    const settings = {
      ...{ OBJECTS_DIRECTORY: join(directory, 'objects'), OBJECTS_KEY: 'a key of the test' },
      PLATFORM_PUBLIC_URL: 'http://127.0.0.1:1',
    } as Parameters<typeof openObjects>[0];
    const { store, ...others } = await openObjects(settings, systemClock, 'pipelines');
    const read: typeof store.read = (key, ...options) => {
      reads.push(key);
      return store.read(key, ...options);
    };
    objects = { ...others, store: { ...store, read } };
  });
  afterAll(() => rm(directory, { recursive: true, force: true }));

  it('are read from where they were made, as they were kept, whatever becomes of what they were made of', async () => {
    const files = await datasetFiles(objects, join(directory, 'work'));
    const made = join(directory, 'made');
    await writeFile(made, 'rows');
    // As what has made it may: it has the file open still.
    await using held = await open(made, 'r+');
    expect(await files.keep('made/one', made)).toMatchObject({ bytes: 4 });
    await held.write('lies', 0);
    await files.withFolder(async ({ bring }) => {
      const path = await bring('made/one', AbortSignal.timeout(10_000));
      expect(await readFile(path, 'utf8')).toBe('rows');
      expect((await stat(path)).mode & 0o222).toBe(0);
    });
    expect(reads).toEqual([]);
    const pieces: Uint8Array[] = [];
    for await (const piece of await files.read('made/one', AbortSignal.timeout(10_000))) pieces.push(piece);
    expect(Buffer.concat(pieces).toString()).toBe('rows');
  });

  it('are fetched where others have made them', async () => {
    await datasetFiles(objects, join(directory, 'of others')).then(async (others) => {
      const made = join(directory, 'elsewhere');
      await writeFile(made, 'more rows');
      await others.keep('made/two', made);
    });
    reads.length = 0;
    const files = await datasetFiles(objects, join(directory, 'own'));
    await files.withFolder(async ({ bring }) => {
      for (let times = 0; times < 2; times += 1)
        expect(await readFile(await bring('made/two', AbortSignal.timeout(10_000)), 'utf8')).toBe('more rows');
    });
    expect(reads).toEqual(['made/two']);
  });
});
