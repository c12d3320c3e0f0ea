import { describe, expect, it } from '@jest/globals';
import type { Objects } from '@platform-backend/objects';
import { runDirectory } from '@platform-backend/testing';
import { createHash } from 'node:crypto';
import { mkdtempSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { documentFiles } from './document-files.ts';

describe('a copy of uploaded bytes', () => {
  const checksumOf = (text: string) => createHash('sha256').update(text).digest('hex');

  async function copied(there: readonly string[], uploaded: { bytes: number; checksum: string }) {
    let read = 0;
    const body = async function* () {
      for (const piece of there) {
        await Promise.resolve();
        read += 1;
        yield Buffer.from(piece);
      }
    };
    const store = { read: () => Promise.resolve(body()) } as unknown as Objects['store'];
    const directory = mkdtempSync(join(runDirectory(), 'copies-'));
    const files = await documentFiles({ store, localEndpoint: undefined }, directory);
    const { signal } = new AbortController();
    const copy = files.withCopy({ key: 'org_1/a', ...uploaded }, signal, ({ path }) =>
      Promise.resolve(readFileSync(path, 'utf8')),
    );
    const text = await copy.catch((error: unknown) => error);
    return { text, read, left: readdirSync(directory) };
  }

  it('has the bytes that came, and is gone afterwards', async () => {
    for (const checksum of ['', checksumOf('hello')])
      expect(await copied(['hel', 'lo'], { bytes: 5, checksum })).toMatchObject({ text: 'hello', left: [] });
  });

  it('is refused where others are in their place, with no more of them read than there were', async () => {
    const more = await copied(['hello', 'hello', 'hello'], { bytes: 5, checksum: '' });
    expect(more).toMatchObject({ text: { code: 'bytes_replaced' }, read: 2, left: [] });
    const others = await copied(['world'], { bytes: 5, checksum: checksumOf('hello') });
    expect(others).toMatchObject({ text: { code: 'bytes_replaced' }, left: [] });
    expect(await copied(['hell'], { bytes: 5, checksum: '' })).toMatchObject({ text: { code: 'bytes_replaced' } });
  });
});
