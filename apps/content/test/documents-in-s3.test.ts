import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { fixedClock, newId } from '@platform-backend/core';
import { recordedEvents } from '@platform-backend/mongo/testing';
import { openObjects } from '@platform-backend/objects';
import { noS3, throwawayS3, type ThrowawayS3 } from '@platform-backend/objects/testing';
import { member, newOrganisation, refusalOf } from '@platform-backend/service/testing';
import { waitFor } from '@platform-backend/testing';
import { describeWhere } from '@platform-backend/testing/where';
import { organisationRemovalsStore } from '../src/organisation-removal/store/organisation-removals-store.ts';
import { addressServer, saying, type AddressServer } from './address-server.ts';
import { documentClient, type DocumentClient } from './document-client.ts';
import { startTestContent, type TestContent } from './test-content.ts';

const REMOVED = 'platform.v1.content.organisation_content.removed';
const TEXT = 'The quick brown fox jumps over the lazy dog. '.repeat(20);

describeWhere(noS3, 'documents in S3', () => {
  let s3: ThrowawayS3;
  let files: AddressServer;
  let content: TestContent;
  let documents: DocumentClient;
  let environment: Record<string, string>;
  beforeAll(async () => {
    s3 = await throwawayS3();
    files = await addressServer();
    environment = {
      S3_BUCKET: s3.bucket,
      S3_ENDPOINT: s3.endpoint,
      S3_ACCESS_KEY_ID: s3.accessKeyId,
      S3_SECRET_ACCESS_KEY: s3.secretAccessKey,
      CONTENT_DOCUMENT_MAX_BYTES: '5000',
      OUTBOUND_ALLOWED_HOSTS: files.host,
    };
    content = await startTestContent({ idle: true, environment, readers: 'processes' });
    documents = documentClient(content);
  });
  afterAll(async () => {
    await content.stop();
    await s3.stop();
    files.close();
  });

  const by = member(newOrganisation());
  const requested = () => content.documents.uploadDocument({ id: newId(), name: 'fox.txt' }, by);
  const put = async (url: string, body: string, type = 'text/plain') =>
    (await fetch(url, { method: 'PUT', headers: { 'Content-Type': type }, body })).status;

  it('are uploaded there, and found without a word or with one', async () => {
    const [found, told] = [await requested(), await requested()];
    expect(await put(found.signedUrl, TEXT, 'text/html')).toBe(403);
    expect(
      await refusalOf(content.documents.completeDocumentUpload({ documentId: told.documentId }, by)),
    ).toMatchObject({ code: 'nothing_uploaded' });
    expect([await put(found.signedUrl, TEXT), await put(told.signedUrl, TEXT)]).toEqual([200, 200]);
    await content.documents.completeDocumentUpload({ documentId: told.documentId }, by);
    for (const { documentId } of [found, told]) {
      const { content: text, sizeBytes, checksum } = await documents.until(documentId, 'READY', by);
      expect([text, sizeBytes, checksum.length]).toEqual([TEXT.trim(), String(TEXT.length), 64]);
    }
    const { signedUrl } = await content.documents.downloadDocument({ documentId: found.documentId }, by);
    expect(await (await fetch(signedUrl)).text()).toBe(TEXT);
    await content.documents.deleteDocument({ documentId: found.documentId }, by);
  });

  it('are fetched from addresses, and say what has become of those', async () => {
    const good = await content.imports.importDocument({ url: files.answer('/fox.txt', saying(TEXT)) }, by);
    const unsaid = files.answer('/long.txt', (_request, response) => {
      response.write('x'.repeat(100));
      response.end('x'.repeat(5_000));
    });
    const long = await content.imports.importDocument({ url: unsaid }, by);
    const { sizeBytes, checksum } = await documents.until(good.id, 'READY', by);
    expect([sizeBytes, checksum.length]).toEqual([String(TEXT.length), 64]);
    expect(await documents.until(long.id, 'FAILED', by)).toMatchObject({ failure: { code: 'too_large' } });
  });

  it('stay what they were when they were complete, whoever still has the URL', async () => {
    const { documentId, signedUrl: upload } = await requested();
    expect(await put(upload, TEXT)).toBe(200);
    await content.documents.completeDocumentUpload({ documentId }, by);
    expect(await put(upload, TEXT.toUpperCase())).toBe(200);
    expect((await documents.until(documentId, 'READY', by)).content).toBe(TEXT.trim());
    expect(await put(upload, TEXT.toUpperCase())).toBe(200);
    const { signedUrl } = await content.documents.downloadDocument({ documentId }, by);
    expect(await (await fetch(signedUrl)).text()).toBe(TEXT);
    const again = await content.documents.uploadDocument({ id: documentId, name: 'fox.txt' }, by);
    expect(await put(again.signedUrl, TEXT.toUpperCase())).toBe(403);
  });

  it('have the size that was announced, and no other', async () => {
    const sized = { id: newId(), name: 'fox.txt', sizeBytes: String(TEXT.length) };
    const { signedUrl, maxBytes } = await content.documents.uploadDocument(sized, by);
    expect(maxBytes).toBe(String(TEXT.length));
    expect([await put(signedUrl, `${TEXT}.`), await put(signedUrl, TEXT)]).toEqual([403, 200]);
    const large = content.documents.uploadDocument({ ...sized, id: newId(), sizeBytes: '5001' }, by);
    expect(await refusalOf(large)).toMatchObject({ kind: 'too_large' });
  });

  it('have their size held down by the form, and by a look at what came without it', async () => {
    const { documentId, signedUrl, form } = await requested();
    const body = new FormData();
    for (const [name, value] of Object.entries(form?.fields ?? {})) body.append(name, value);
    body.append('file', new Blob(['x'.repeat(5001)]));
    expect((await fetch(form?.url ?? '', { method: 'POST', body })).status).toBe(400);
    expect(await put(signedUrl, 'x'.repeat(5001))).toBe(200);
    const { failure } = await documents.until(documentId, 'FAILED', by);
    expect(failure?.code).toBe('too_large_upload');
    expect(await refusalOf(content.documents.retryDocument({ documentId }, by))).toMatchObject({ kind: 'conflict' });
  });

  it('are removed with their organisation, also what was on its way while it was removed', async () => {
    const clock = fixedClock(new Date());
    const working = await startTestContent({ environment, clock });
    const { settings, storage } = working.frame ?? {};
    if (!settings || !storage) throw new Error('the service runs in this process');
    const { store } = await openObjects(settings, clock, 'content');
    const organisationId = newOrganisation();
    const asked = { id: newId(), name: 'fox.txt' };
    const { signedUrl } = await working.documents.uploadDocument(asked, member(organisationId));
    await organisationRemovalsStore(storage.database).begin(organisationId, clock.now());
    const isRemoved = async () => (await recordedEvents(working.database.url)).some(({ type }) => type === REMOVED);
    await waitFor(isRemoved, { what: 'the removal' });

    const key = decodeURIComponent(new URL(signedUrl).pathname).replace(`/${s3.bucket}/`, '');
    expect(await put(signedUrl, TEXT)).toBe(200);
    expect(await store.head(key)).toMatchObject({ bytes: TEXT.length });
    clock.advance(60 * 60_000);
    await waitFor(async () => !(await store.head(key)), { what: 'the bytes to go' });
    store.close();
    await working.stop();
  });
});
