import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { systemClock } from '@platform-backend/core';
import { openObjects, type Objects } from '@platform-backend/objects';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { localCopies } from './local-copies.ts';

const LIMIT_BYTES = 10;
const { signal } = new AbortController();

describe('copies of objects on this machine', () => {
  let directory: string;
  let objects: Objects;
  /** What comes only once this is settled. */
  const held = Promise.withResolvers<never>();
  const path = (name: string): string => join(directory, name);
  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), 'local-copies-'));
    const settings = {
      ...{ OBJECTS_DIRECTORY: join(directory, 'objects'), OBJECTS_KEY: 'a key of the test' },
      PLATFORM_PUBLIC_URL: 'http://127.0.0.1:1',
    } as Parameters<typeof openObjects>[0];
    const { store, ...others } = await openObjects(settings, systemClock, 'pipelines');
    const read: typeof store.read = async (key, ...options) => {
      if (key === 'held') await held.promise;
      return store.read(key, ...options);
    };
    objects = { ...others, store: { ...store, read } };
    for (const [key, text] of [
      ['one', 'eleven chars'],
      ['two', 'as many chars'],
    ] as const) {
      const body = Readable.from([Buffer.from(text)]) as AsyncIterable<Uint8Array>;
      await store.write(key, body, { contentType: 'text/plain', maxBytes: 100 });
    }
  });
  afterAll(() => rm(directory, { recursive: true, force: true }));

  it('wait for none that is still fetched for somebody else, and do not fail with it', async () => {
    const copies = await localCopies(objects, path('waits'), LIMIT_BYTES);
    const others = copies.linkTo('held', path('of-others'), signal).catch((error: unknown) => error);
    await copies.linkTo('one', path('one'), signal);
    await copies.linkTo('two', path('two'), signal);
    expect(await readFile(path('two'), 'utf8')).toBe('as many chars');
    held.reject(new Error('the store is away'));
    expect(await others).toMatchObject({ message: 'the store is away' });
    // Those that are not asked for any more have made room.
    const [folder = ''] = await readdir(path('waits/copies'));
    expect(await readdir(path(`waits/copies/${folder}`))).toHaveLength(1);
  });

  it('are fetched again where somebody has tidied them away', async () => {
    const copies = await localCopies(objects, path('tidied'));
    await copies.linkTo('one', path('before'), signal);
    const [folder = ''] = await readdir(path('tidied/copies'));
    for (const name of await readdir(path(`tidied/copies/${folder}`)))
      await rm(path(`tidied/copies/${folder}/${name}`));
    await copies.linkTo('one', path('after'), signal);
    expect(await readFile(path('after'), 'utf8')).toBe('eleven chars');
  });
});
