import { beforeAll, describe, expect, it } from '@jest/globals';
import { createHash, randomBytes, randomUUID } from 'node:crypto';
import type { ObjectStore } from '../src/object-store.ts';

const MIB = 1024 * 1024;

async function* pieces(...bytes: readonly (Uint8Array | string)[]): AsyncGenerator<Uint8Array> {
  for (const piece of bytes) {
    await Promise.resolve();
    yield Buffer.from(piece as Uint8Array);
  }
}

export async function contentOf(bytes: AsyncIterable<Uint8Array>): Promise<string> {
  const read: Uint8Array[] = [];
  for await (const piece of bytes) read.push(piece);
  return Buffer.concat(read).toString();
}

const inFiveMinutes = () => new Date(Date.now() + 300_000);
const TEXT = { contentType: 'text/plain', maxBytes: 1000 };

/** What every store does. `fetched` asks for a URL of the store as a client would. */
export function objectStoreSuite(
  open: () => Promise<{ store: ObjectStore; fetched: (url: string, init?: RequestInit) => Promise<Response> }>,
): void {
  let store: ObjectStore;
  let fetched: (url: string, init?: RequestInit) => Promise<Response>;
  beforeAll(async () => {
    ({ store, fetched } = await open());
  });
  const newKey = () => `org_1/documents/${randomUUID()}`;

  describe('an object', () => {
    it('is read as it was written, with its size, type and checksum', async () => {
      const key = newKey();
      const facts = { bytes: 11, contentType: 'text/plain' };
      const checksum = createHash('sha256').update('hello world').digest('hex');
      expect(await store.write(key, pieces('hello ', 'world'), TEXT)).toEqual({ ...facts, checksum });
      expect(await store.head(key)).toMatchObject(facts);
      expect(await contentOf(await store.read(key))).toBe('hello world');
    });

    it('is read in part', async () => {
      const key = newKey();
      await store.write(key, pieces('hello ', 'world'), TEXT);
      for (const [first, last, part] of [
        [0, 0, 'h'],
        [4, 6, 'o w'],
        [6, 10, 'world'],
      ] as const)
        expect(await contentOf(await store.read(key, { range: { first, last } }))).toBe(part);
    });

    it('may be empty, and take the place of another', async () => {
      const key = newKey();
      await store.write(key, pieces('before'), TEXT);
      await store.write(key, pieces(), { contentType: 'image/png', maxBytes: 0 });
      expect(await store.head(key)).toMatchObject({ bytes: 0, contentType: 'image/png' });
      expect(await contentOf(await store.read(key))).toBe('');
    });

    it('is not stored when there is more of it than allowed, or when it breaks off', async () => {
      const [large, broken] = [newKey(), newKey()];
      await expect(store.write(large, pieces('x'.repeat(600), 'x'.repeat(600)), TEXT)).rejects.toMatchObject({
        kind: 'too_large',
      });
      const breaking = (async function* () {
        yield* pieces('some');
        throw new Error('gone');
      })();
      await expect(store.write(broken, breaking, TEXT)).rejects.toThrow();
      expect([await store.head(large), await store.head(broken)]).toEqual([undefined, undefined]);
    });

    it('of many megabytes passes in pieces', async () => {
      const key = newKey();
      const piece = randomBytes(MIB);
      const body = (async function* () {
        for (let count = 0; count < 24; count += 1) yield* pieces(piece);
      })();
      const { checksum } = await store.write(key, body, { contentType: 'video/mp4', maxBytes: 24 * MIB });
      const hash = createHash('sha256');
      let longest = 0;
      for await (const read of await store.read(key)) {
        hash.update(read);
        longest = Math.max(longest, read.length);
      }
      expect(hash.digest('hex')).toBe(checksum);
      expect(longest).toBeLessThanOrEqual(MIB);
      await store.remove([key]);
    });

    it('that is not there is not found, and need not be there to be removed', async () => {
      expect(await store.head(newKey())).toBeUndefined();
      await expect(store.read(newKey())).rejects.toMatchObject({ kind: 'not_found' });
      await store.remove([newKey()]);
      await store.removeAll(`org_none/documents/`);
    });

    it('is removed by its key, or with all whose keys begin alike', async () => {
      const [one, two] = [newKey(), newKey()];
      const keys = [one, two, 'org_2/a', 'org_2/b/c', 'org_22/a'];
      for (const key of keys) await store.write(key, pieces('x'), TEXT);
      await store.remove([one]);
      await store.removeAll('org_2/');
      const left = await Promise.all(keys.map((key) => store.head(key)));
      expect(left.map((facts) => facts !== undefined)).toEqual([false, true, false, false, true]);
    });

    it.each(['../../etc/passwd', '/etc/passwd', 'a/../b', 'a//b', 'a/', '', '.hidden', `a/${'x'.repeat(600)}`])(
      'has no key such as %s',
      async (key) => {
        await expect((async () => store.write(key, pieces('x'), TEXT))()).rejects.toThrow('no key');
        await expect((async () => store.read(key))()).rejects.toThrow('no key');
      },
    );
  });

  describe('a signed URL', () => {
    const signed = (key: string) => store.presignUpload({ ...TEXT, key, maxBytes: 10, expiresAt: inFiveMinutes() });

    it('takes the bytes of one object, again as well', async () => {
      const key = newKey();
      const { url, method, headers } = await signed(key);
      for (const _time of [1, 2]) expect((await fetched(url, { method, headers, body: 'hello' })).status).toBe(200);
      expect(await store.head(key)).toMatchObject({ bytes: 5, contentType: 'text/plain' });
    });

    it('changes nothing of what was settled', async () => {
      const [key, newKey2] = [newKey(), newKey()];
      let noted: boolean | undefined;
      const beforeCopy = async () => {
        noted = (await store.head(newKey2)) === undefined;
      };
      expect(await store.settle({ key, newKey: newKey2, maxBytes: 10, beforeCopy })).toBeUndefined();
      expect(noted).toBeUndefined();
      const { url, method, headers } = await signed(key);
      await fetched(url, { method, headers, body: 'hello' });
      const settled = await store.settle({ key, newKey: newKey2, maxBytes: 10, beforeCopy });
      // Of a copy somebody knows before it is there.
      expect(noted).toBe(settled?.key === newKey2 ? true : undefined);
      expect(settled).toMatchObject({ bytes: 5, contentType: 'text/plain' });
      await fetched(url, { method, headers, body: 'jello' });
      expect(await contentOf(await store.read(settled?.key ?? ''))).toBe('hello');
      expect(await store.settle({ key, newKey: newKey(), maxBytes: 4, beforeCopy })).toMatchObject({ key, bytes: 5 });
    });

    it('takes no other type, and nothing once it is changed', async () => {
      const key = newKey();
      const { url, method } = await signed(key);
      const put = (to: string, type: string) =>
        fetched(to, { method, headers: { 'Content-Type': type }, body: 'hello' });
      expect([403, 415]).toContain((await put(url, 'text/html')).status);
      const changed = url.replace(/[A-Za-z](?=[^A-Za-z]*$)/, (letter) => (letter === 'a' ? 'b' : 'a'));
      expect((await put(changed, 'text/plain')).status).toBe(403);
      expect(await store.head(key)).toBeUndefined();
    });

    it('gives the object as a file to be saved', async () => {
      const key = newKey();
      await store.write(key, pieces('hello'), TEXT);
      const url = await store.presignDownload({ key, filename: 'Grüße "1".txt', expiresAt: inFiveMinutes() });
      const response = await fetched(url);
      expect([response.status, await response.text()]).toEqual([200, 'hello']);
      expect(response.headers.get('content-disposition')).toBe(
        `attachment; filename="Gr__e _1_.txt"; filename*=UTF-8''Gr%C3%BC%C3%9Fe%20%221%22.txt`,
      );
    });
  });
}
