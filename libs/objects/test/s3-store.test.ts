import { afterAll, expect, it } from '@jest/globals';
import { freePort } from '@platform-backend/embedded';
import { describeWhere } from '@platform-backend/testing/where';
import { s3Store } from '../src/s3/s3-store.ts';
import { objectStoreSuite } from './object-store-suite.ts';
import { noS3, throwawayS3 } from './throwaway-s3.ts';

describeWhere(noS3, 'objects in S3', () => {
  const running = new AsyncDisposableStack();
  afterAll(() => running.disposeAsync());

  async function open() {
    const { bucket, endpoint, stop, ...credentials } = await throwawayS3();
    running.defer(stop);
    const store = s3Store({ bucket, region: 'us-east-1', endpoint, credentials, pathStyle: true });
    running.defer(() => store.close());
    return { store, fetched: fetch };
  }

  objectStoreSuite(open);

  it('are given in part to whoever has their URL, as those in a directory are', async () => {
    const { store } = await open();
    const body = (async function* () {
      yield await Promise.resolve(Buffer.from('hello world'));
    })();
    await store.write('org_1/part', body, { contentType: 'text/plain', maxBytes: 100 });
    const expiresAt = new Date(Date.now() + 60_000);
    const url = await store.presignDownload({ key: 'org_1/part', filename: 'a.txt', expiresAt });
    const part = await fetch(url, { headers: { Range: 'bytes=6-' } });
    expect([part.status, part.headers.get('content-range'), await part.text()]).toEqual([
      206,
      'bytes 6-10/11',
      'world',
    ]);
    expect((await fetch(url, { headers: { Range: 'bytes=11-' } })).status).toBe(416);
  });

  it('are taken by a form that holds their size down', async () => {
    const { store } = await open();
    const expiresAt = new Date(Date.now() + 60_000);
    const permit = { key: 'org_1/form', contentType: 'text/plain', maxBytes: 10, expiresAt };
    const { form } = await store.presignUpload(permit);
    const post = async (text: string) => {
      const body = new FormData();
      for (const [name, value] of Object.entries(form?.fields ?? {})) body.append(name, value);
      body.append('file', new Blob([text]));
      return (await fetch(form?.url ?? '', { method: 'POST', body })).status;
    };
    expect(await post('x'.repeat(11))).toBe(400);
    expect(await store.head(permit.key)).toBeUndefined();
    expect(await post('hello')).toBeLessThan(300);
    expect(await store.head(permit.key)).toMatchObject({ bytes: 5, contentType: 'text/plain' });
  });

  it('are taken in the size that was signed, and in no other', async () => {
    const { store } = await open();
    const expiresAt = new Date(Date.now() + 60_000);
    const permit = { key: 'org_1/sized', contentType: 'text/plain', maxBytes: 5, bytes: 5, expiresAt };
    const { url, headers } = await store.presignUpload(permit);
    const put = async (body: string) => (await fetch(url, { method: 'PUT', headers, body })).status;
    expect([await put('hello!'), await put('hell')]).toEqual([403, 403]);
    expect(await store.head(permit.key)).toBeUndefined();
    expect(await put('hello')).toBe(200);
  });

  it('are unavailable while S3 is', async () => {
    const store = s3Store({
      bucket: 'objects',
      region: 'us-east-1',
      endpoint: `http://127.0.0.1:${await freePort()}`,
      credentials: { accessKeyId: 'test', secretAccessKey: 'testtest' },
      pathStyle: true,
    });
    await expect(store.head('a')).rejects.toMatchObject({ kind: 'unavailable' });
    store.close();
  });
});

/** Signing asks nobody. */
it('an upload to S3 whose bytes are there is signed for the case that they are not', async () => {
  const credentials = { accessKeyId: 'test', secretAccessKey: 'testtest' };
  const endpoint = 'http://127.0.0.1:1';
  const store = s3Store({ bucket: 'objects', region: 'us-east-1', endpoint, credentials, pathStyle: true });
  const expiresAt = new Date(Date.now() + 60_000);
  const permit = { key: 'org_1/a', contentType: 'text/plain', maxBytes: 10, expiresAt };
  const signedHeaders = (url: string) => new URL(url).searchParams.get('X-Amz-SignedHeaders')?.split(';');
  const [first, again] = [await store.presignUpload(permit), await store.presignUpload({ ...permit, ifAbsent: true })];
  expect(signedHeaders(first.url)).toEqual(['content-type', 'host']);
  expect(first.form).toBeDefined();
  expect(signedHeaders(again.url)).toEqual(['content-type', 'host', 'if-none-match']);
  expect(again).toMatchObject({ headers: { 'If-None-Match': '*' } });
  expect(again.form).toBeUndefined();
  store.close();
});
