import { afterAll, describe, expect, it } from '@jest/globals';
import { DomainError, fixedClock, systemClock } from '@platform-backend/core';
import { runDirectory } from '@platform-backend/testing';
import { mkdtempSync, readdirSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { urlSigner } from '../src/embedded/url-signer.ts';
import { openObjects } from '../src/index.ts';
import { contentOf, objectStoreSuite } from './object-store-suite.ts';

const directory = mkdtempSync(join(runDirectory(), 'objects-'));
afterAll(() => rmSync(directory, { recursive: true }));

const settings = {
  OBJECTS_DIRECTORY: directory,
  OBJECTS_KEY: 'a secret of the tests',
  OBJECTS_KEY_OTHER: undefined,
  PLATFORM_PUBLIC_URL: 'https://api.example.com',
  S3_BUCKET: undefined,
  S3_REGION: 'us-east-1',
  S3_ENDPOINT: undefined,
  S3_PUBLIC_ENDPOINT: undefined,
  S3_ACCESS_KEY_ID: undefined,
  S3_SECRET_ACCESS_KEY: undefined,
  S3_PATH_STYLE: true,
};

const STATUS: Record<string, number> = { forbidden: 403, unsupported_media: 415, too_large: 413, conflict: 409 };

const bytes = (text: string) =>
  (async function* () {
    await Promise.resolve();
    yield Buffer.from(text);
  })();

/** What a service and its gateway do with the URLs, without them. */
async function open() {
  const { store, localEndpoint } = await openObjects(settings, systemClock, 'content');
  const fetched = async (url: string, { method = 'GET', headers = {}, body = '' }: RequestInit = {}) => {
    const [, direction, ticket = ''] = new URL(url).pathname.split('/');
    if (!localEndpoint) throw new Error('nobody serves the URL');
    try {
      if (direction === 'uploads' && method === 'PUT') {
        const contentType = new Headers(headers).get('Content-Type') ?? '';
        await localEndpoint.receive(localEndpoint.readUpload(ticket), { contentType }, bytes(body as string));
        return new Response();
      }
      const { disposition, read } = await localEndpoint.open(ticket);
      const text = await contentOf(await read(new AbortController().signal));
      return new Response(text, { headers: { 'Content-Disposition': disposition } });
    } catch (error) {
      if (error instanceof DomainError) return new Response(error.code, { status: STATUS[error.kind] ?? 500 });
      throw error;
    }
  };
  return { store, fetched };
}

describe('objects in a directory', () => {
  objectStoreSuite(open);

  it('keep the bytes that came first, and no more than their URL allows', async () => {
    const { store, fetched } = await open();
    const expiresAt = new Date(Date.now() + 60_000);
    const permit = { key: 'org_1/first', contentType: 'text/plain', maxBytes: 10, expiresAt };
    const { url, headers } = await store.presignUpload(permit);
    const put = async (body: string) => (await fetched(url, { method: 'PUT', headers, body })).status;
    expect(await Promise.all([put('hello'), put('hello'), put('hello'), put('hello there!')])).toEqual([
      200, 200, 200, 413,
    ]);
    expect(await put('others')).toBe(409);
    expect(await contentOf(await store.read('org_1/first'))).toBe('hello');
    expect(readdirSync(join(directory, 'incoming'))).toEqual([]);
  });

  it('may have keys that go on where others end', async () => {
    const { store } = await open();
    const text = { contentType: 'text/plain', maxBytes: 10 };
    for (const key of ['org_3/a', 'org_3/a/b']) await store.write(key, bytes(key), text);
    await store.remove(['org_3/a']);
    expect(await store.head('org_3/a')).toBeUndefined();
    expect(await contentOf(await store.read('org_3/a/b'))).toBe('org_3/a/b');
  });

  it('lose what a killed process had begun to write, after a day', async () => {
    const [old, recent] = ['old', 'recent'].map((name) => join(directory, 'incoming', name)) as [string, string];
    for (const file of [old, recent]) writeFileSync(file, 'x');
    utimesSync(old, 0, 0);
    await open();
    expect(readdirSync(join(directory, 'incoming'))).toEqual(['recent']);
    rmSync(recent);
  });

  it('name what is missing in their settings', async () => {
    await expect(openObjects({ ...settings, OBJECTS_KEY: undefined }, systemClock, 'content')).rejects.toThrow(
      'OBJECTS_KEY',
    );
    const half = { ...settings, S3_BUCKET: 'bucket', S3_ACCESS_KEY_ID: 'id' };
    await expect(openObjects(half, systemClock, 'content')).rejects.toThrow('S3_SECRET_ACCESS_KEY');
  });
});

describe('the ticket of an upload or a download', () => {
  const clock = fixedClock();
  const tickets = urlSigner({ key: 'a secret of the tests' }, clock, 'content');
  const expiresAt = new Date(clock.now().getTime() + 1000);
  const permit = { key: 'a', contentType: 'text/plain', maxBytes: 10, expiresAt };

  it('says what it was made for until it expires', () => {
    expect(tickets.readUpload(tickets.forUpload(permit))).toEqual(permit);
    clock.advance(1000);
    expect(() => tickets.readUpload(tickets.forUpload(permit))).toThrow('expired');
    clock.advance(-1000);
  });

  it('counts all the time in which the key is replaced, replica by replica, and no longer', () => {
    const [old, next] = ['the key of before', 'the key to come'];
    const signerWith = (key: string, otherKey?: string) => urlSigner({ key, otherKey }, clock, 'content');
    const rounds = [signerWith(old), signerWith(old, next), signerWith(next, old), signerWith(next)];
    // While a round is under way there are replicas of the round before.
    for (const [index, replica] of rounds.entries()) {
      for (const other of [rounds[index - 1], rounds[index + 1]])
        expect(other?.readUpload(replica.forUpload(permit)) ?? permit).toEqual(permit);
    }
    expect(() => signerWith(next).readUpload(signerWith(old).forUpload(permit))).toThrow('not valid');
  });

  it('is for one direction, of one who has the key, and for nothing else', () => {
    const upload = tickets.forUpload(permit);
    expect(() => tickets.readDownload(upload)).toThrow('not valid');
    expect(() => urlSigner({ key: 'another secret of theirs' }, clock, 'content').readUpload(upload)).toThrow(
      'not valid',
    );
    expect(() => urlSigner({ key: 'a secret of the tests' }, clock, 'pipelines').readUpload(upload)).toThrow(
      'not valid',
    );
    const [, signature = ''] = upload.split('.');
    const forged = Buffer.from(JSON.stringify({ for: 'PUT', key: 'b', until: Infinity })).toString('base64url');
    for (const text of ['', '.', `${forged}.${signature}`, `${forged}.`, `${upload}.x`, upload.slice(0, -2)])
      expect(() => tickets.readUpload(text)).toThrow('not valid');
  });
});
