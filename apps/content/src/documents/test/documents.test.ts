import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { DocumentEvent } from '@platform-backend/contract-content';
import { newId } from '@platform-backend/core';
import { member, newOrganisation, refusalOf } from '@platform-backend/service/testing';
import { waitFor } from '@platform-backend/testing';
import { createHash } from 'node:crypto';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { documentClient, type DocumentClient } from '../../../test/document-client.ts';
import { startTestContent, type TestContent } from '../../../test/test-content.ts';
import { lanesOf, type Lane } from '../app/work-on-documents.ts';
import { documentsStore } from '../store/documents-store.ts';
import { pdf } from './document-files.ts';
import { storedFiles } from './stored-files.ts';

const TEXT = 'The quick brown fox jumps over the lazy dog. '.repeat(20);
/** Moved on by tests. */
let ahead = 0;
const clock = { now: () => new Date(Date.now() + ahead) };

let content: TestContent;
let documents: DocumentClient;
beforeAll(async () => {
  content = await startTestContent({ idle: true, clock, environment: { CONTENT_DOCUMENT_MAX_BYTES: '5000' } });
  documents = documentClient(content);
});
afterAll(() => content.stop());

const ours = member(newOrganisation());

const unused = () => Promise.reject(new Error('nobody changes anything here'));

describe('a document', () => {
  it('is uploaded, read and shown with its text', async () => {
    const id = newId();
    const { documentId, signedUrl, contentType } = await content.documents.uploadDocument(
      { id, name: 'fox.txt' },
      ours,
    );
    expect([documentId, contentType]).toEqual([id, 'text/plain']);
    expect(await documents.get(id, ours)).toMatchObject({
      status: 'PENDING_UPLOAD',
      content: '',
      failure: null,
      progress: null,
    });
    const checksum = createHash('sha256').update(TEXT).digest('hex');
    const sizeBytes = String(TEXT.length);
    expect(await documents.put(signedUrl, TEXT)).toEqual({ sizeBytes, checksum });
    const document = await documents.until(id, 'READY', ours);
    expect(document).toMatchObject({ name: 'fox.txt', mediaType: 'text/plain', sizeBytes, checksum });
    expect(document).toMatchObject({ language: 'en', content: TEXT.trim(), contentIsCut: false, progress: null });
    expect(document.foundBy).toBe('meaning');
    expect(document.numTokens).toBeGreaterThan(100);
    const shown = { status: 'READY', content: TEXT.trim() };
    expect(await content.documents.completeDocumentUpload({ documentId }, ours)).toMatchObject(shown);
    const described = { documentId, description: 'About a fox', updateMask: { paths: ['description'] } };
    expect(await content.documents.updateDocument(described, ours)).toMatchObject(shown);
    const listed = (await content.documents.listDocuments({}, ours)).documents.find((one) => one.id === id);
    expect(listed).toMatchObject({ status: 'READY', content: '' });
  });

  it('says of which of its pages there is no text', async () => {
    const text = await pdf(['The first page.', ' ', 'The third page.']);
    const id = await documents.upload(ours, { name: 'scan.pdf', text });
    expect(await documents.until(id, 'READY', ours)).toMatchObject({ pagesWithoutText: [2] });
  });

  it('is found by its words while the encoder is away, and says so', async () => {
    const environment = { CONTENT_DOCUMENT_MAX_BYTES: '5000', EMBEDDINGS_BASE_URL: 'http://127.0.0.1:9/v1' };
    const wordy = await startTestContent({ idle: true, environment });
    try {
      const id = await documentClient(wordy).upload(ours, { name: 'fox.txt', text: TEXT });
      expect(await documentClient(wordy).until(id, 'READY', ours)).toMatchObject({ foundBy: 'words' });
      const found = await wordy.search.search({ query: 'lazy dog' }, ours);
      expect(new Set(found.hits.map((hit) => hit.id))).toEqual(new Set([id]));
    } finally {
      await wordy.stop();
    }
  });

  it('cannot be told from what does not exist by others, who may choose the same id', async () => {
    const documentId = await documents.upload(ours, { name: 'fox.txt', text: TEXT });
    const theirs = member(newOrganisation());
    expect(await refusalOf(documents.get(documentId, theirs))).toMatchObject({ kind: 'not_found' });
    await content.documents.uploadDocument({ id: documentId, name: 'theirs.md' }, theirs);
    expect(await documents.get(documentId, theirs)).toMatchObject({ name: 'theirs.md', status: 'PENDING_UPLOAD' });
    expect(await documents.get(documentId, ours)).toMatchObject({ name: 'fox.txt' });
  });

  it('that cannot be read fails with what to do, is retried, and takes another file instead', async () => {
    const documentId = await documents.upload(ours, { name: 'empty.txt', text: '' });
    const { failure } = await documents.until(documentId, 'FAILED', ours);
    expect(failure?.code).toBe('empty_file');
    expect(failure?.message).not.toBe('');
    expect(await content.documents.retryDocument({ documentId }, ours)).toMatchObject({ status: 'PROCESSING' });
    await documents.until(documentId, 'FAILED', ours);

    const again = await content.documents.uploadDocument({ id: documentId, name: 'empty.txt' }, ours);
    expect(await documents.get(documentId, ours)).toMatchObject({ status: 'PENDING_UPLOAD', failure: null });
    await documents.put(again.signedUrl, TEXT);
    await documents.until(documentId, 'READY', ours);
  });

  it('that cannot be read says what it is all the same, and not what was said of it', async () => {
    const documentId = await documents.upload(ours, { name: 'cut.txt', text: '%PDF-1.7 and nothing else' });
    expect(await documents.until(documentId, 'FAILED', ours)).toMatchObject({
      mediaType: 'application/pdf',
      failure: { code: 'damaged' },
    });
    const picture = await documents.upload(ours, { name: 'picture.txt', text: 'GIF89a\u0001\u0000\u0001\u0000' });
    expect(await documents.until(picture, 'FAILED', ours)).toMatchObject({
      mediaType: 'image/gif',
      failure: { code: 'unsupported_type' },
    });
  });

  it('tells how far it is until it is ready, and nothing twice to who comes back', async () => {
    const { documentId, signedUrl } = await content.documents.uploadDocument({ id: newId(), name: 'fox.txt' }, ours);
    const watch = (lastEventId: string) => content.documents.watchDocument({ documentId, lastEventId }, ours);
    const events: DocumentEvent[] = [];
    for await (const event of watch('')) {
      if (events.length === 0) await documents.put(signedUrl, TEXT);
      events.push(event);
    }
    expect(events[0]).toMatchObject({ event: 'progress', data: { documentId, status: 'PENDING_UPLOAD' } });
    const [last] = events.slice(-1);
    expect(last).toMatchObject({ event: 'finished', data: { status: 'READY', progress: null, failure: null } });
    const rest = async (lastEventId: string) =>
      (await Array.fromAsync(watch(lastEventId))).map(({ eventId }) => eventId);
    expect(await rest(last?.eventId ?? '')).toEqual([]);
    expect(await rest(events[0]?.eventId ?? '')).toEqual([last?.eventId]);

    const empty = await documents.upload(ours, { name: 'empty.txt', text: '' });
    const failed = (await Array.fromAsync(content.documents.watchDocument({ documentId: empty }, ours))).at(-1);
    expect(failed).toMatchObject({ event: 'finished', data: { status: 'FAILED', failure: { code: 'empty_file' } } });
    await content.documents.retryDocument({ documentId: empty }, ours);
    const lastEventId = failed?.eventId ?? '';
    const retried = await Array.fromAsync(content.documents.watchDocument({ documentId: empty, lastEventId }, ours));
    expect(retried.at(-1)).toMatchObject({ event: 'finished', data: { status: 'FAILED' } });
  });

  it('that is watched ends the watching when it is deleted, and is nobody else’s to watch', async () => {
    const { documentId } = await content.documents.uploadDocument({ id: newId(), name: 'fox.txt' }, ours);
    const stranger = member(newOrganisation());
    expect(await refusalOf(Array.fromAsync(content.documents.watchDocument({ documentId }, stranger)))).toMatchObject({
      kind: 'not_found',
    });
    const watching = (async () => {
      for await (const _event of content.documents.watchDocument({ documentId }, ours))
        await content.documents.deleteDocument({ documentId }, ours);
    })();
    expect(await refusalOf(watching)).toMatchObject({ kind: 'not_found' });
  });

  it('is renamed, filed and described by hand', async () => {
    const documentId = await documents.upload(ours, { name: 'fox.txt', text: TEXT });
    const change = { documentId, name: 'foxes.txt', description: 'On foxes', collection: 'animals' };
    const paths = ['name', 'description', 'collection'];
    const changed = await content.documents.updateDocument({ ...change, updateMask: { paths } }, ours);
    expect(changed).toMatchObject({ name: 'foxes.txt', description: 'On foxes', collection: 'animals' });
    expect(await documents.until(documentId, 'READY', ours)).toMatchObject({ description: 'On foxes' });
    const found = async () => (await content.search.search({ query: 'lazy dog', collection: 'animals' }, ours)).hits;
    await waitFor(async () => (await found()).some(({ title }) => title === 'foxes.txt'), { what: 'the search' });
  });

  it('is not found from the moment on at which it is archived or deleted', async () => {
    const by = member(newOrganisation());
    const lookedFor = { query: 'lazy dog', maxPerSource: 1 };
    const found = async () => (await content.search.search(lookedFor, by)).hits.map(({ id }) => id);
    const ids = [];
    for (const name of ['first.txt', 'second.txt']) ids.push(await documents.upload(by, { name, text: TEXT }));
    const [first = '', second = ''] = ids;
    for (const id of ids) await documents.until(id, 'READY', by);
    expect((await found()).toSorted()).toEqual([first, second].toSorted());
    await content.documents.archiveDocument({ documentId: first }, by);
    expect(await found()).toEqual([second]);
    await content.documents.deleteDocument({ documentId: second }, by);
    expect(await found()).toEqual([]);
    await content.documents.restoreDocument({ documentId: first }, by);
    await documents.until(first, 'READY', by);
    expect(await found()).toEqual([first]);
  });

  it('that is small does not wait behind large ones', async () => {
    const waiting = await startTestContent({
      idle: true,
      environment: { CONTENT_DOCUMENT_MAX_BYTES: '2000000', CONTENT_DOCUMENT_WORKERS: '0' },
    });
    const database = waiting.frame?.storage.database;
    if (!database) throw new Error('the service runs in this process');
    const client = documentClient(waiting);
    const large = await client.upload(ours, { name: 'large.txt', text: 'word '.repeat(300_000) });
    const small = await client.upload(ours, { name: 'small.txt', text: 'word' });
    const store = documentsStore(database, { hide: unused, relabel: unused });
    const next = (lane?: Lane) => store.nextToProcess('', new Date(), lane);
    const [any, again, quick] = lanesOf(2);
    expect([again, (await next(any))?.id, (await next(quick))?.id]).toEqual([any, large, small]);
    expect(lanesOf(0)).toEqual([]);
    await waiting.stop();
  });

  it('is archived and restored', async () => {
    const documentId = await documents.upload(ours, { name: 'fox.txt', text: TEXT });
    await documents.until(documentId, 'READY', ours);
    expect(await content.documents.archiveDocument({ documentId }, ours)).toMatchObject({ status: 'ARCHIVED' });
    const listed = async (filter = {}) =>
      (await content.documents.listDocuments({ limit: 200, ...filter }, ours)).documents.map(({ id }) => id);
    expect(await listed()).not.toContain(documentId);
    expect(await listed({ status: ['ARCHIVED'] })).toEqual([documentId]);
    await content.documents.restoreDocument({ documentId }, ours);
    await documents.until(documentId, 'READY', ours);
    expect(await listed()).toContain(documentId);
  });

  it('is deleted with its bytes and text, once', async () => {
    const by = member(newOrganisation());
    const documentId = await documents.upload(by, { name: 'fox.txt', text: TEXT });
    await documents.until(documentId, 'READY', by);
    const present = storedFiles(content, by.caller.organisationId);
    expect(present).toHaveLength(1);
    expect(await content.documents.deleteDocument({ documentId }, by)).toEqual({ id: documentId, deleted: true });
    expect(await refusalOf(content.documents.deleteDocument({ documentId }, by))).toMatchObject({ kind: 'not_found' });
    await waitFor(() => storedFiles(content, by.caller.organisationId).length === 0, {
      what: 'the removal of the bytes',
    });
    const { database } = content.frame?.storage ?? {};
    const own = { organisationId: by.caller.organisationId };
    await waitFor(async () => (await database?.unguarded.collection('documentTexts').countDocuments(own)) === 0);
  });
});

describe('an upload of a document', () => {
  const requested = async (name = 'fox.txt') => content.documents.uploadDocument({ id: newId(), name }, ours);

  it('may be repeated with the same bytes, by any of its URLs, and no others take their place', async () => {
    const { documentId: id, signedUrl } = await requested();
    const again = await content.documents.uploadDocument({ id, name: 'fox.txt' }, ours);
    const first = await documents.put(signedUrl, TEXT);
    expect(await documents.put(again.signedUrl, TEXT)).toEqual(first);
    expect(await refusalOf(documents.put(signedUrl, 'others'))).toMatchObject({ kind: 'conflict' });
  });

  it('of another type, of too many bytes or by a changed URL is refused, and leaves nothing', async () => {
    const by = member(newOrganisation());
    const { signedUrl } = await content.documents.uploadDocument({ id: newId(), name: 'fox.txt' }, by);
    const refusal = async (call: Promise<unknown>) => (await refusalOf(call)).kind;
    expect(await refusal(documents.put(signedUrl, TEXT, 'text/html'))).toBe('unsupported_media');
    expect(await refusal(documents.put(signedUrl, 'x'.repeat(5001)))).toBe('too_large');
    expect(await refusal(documents.announce(signedUrl, 5001))).toBe('too_large');
    expect(await refusal(documents.put(signedUrl.replace('/uploads/e', '/uploads/f'), TEXT))).toBe('forbidden');
    expect(storedFiles(content, by.caller.organisationId)).toEqual([]);
  });

  it('of which more is announced than a document may have says how much that is, and what decides it', async () => {
    const by = member(newOrganisation());
    const [id, name, sizeBytes] = [newId(), 'fox.txt', '5001'];
    const refused = {
      ...{ kind: 'too_large', code: 'too_large' },
      message: expect.stringMatching(/up to 5000 bytes here, on every plan \(CONTENT_DOCUMENT_MAX_BYTES\)/),
    };
    expect(await refusalOf(content.documents.uploadDocument({ id, name, sizeBytes }, by))).toMatchObject(refused);
    const { signedUrl } = await content.documents.uploadDocument({ id, name, sizeBytes: '3' }, by);
    expect(await refusalOf(documents.put(signedUrl, TEXT))).toMatchObject({
      message: 'This URL takes up to 3 bytes, and these are more',
    });
    const version = content.documents.uploadDocumentVersion({ documentId: id, sizeBytes }, by);
    expect((await refusalOf(version)).code).toMatch(/too_large/);
  });

  it('that breaks off leaves nothing', async () => {
    const by = member(newOrganisation());
    const { documentId, signedUrl } = await content.documents.uploadDocument({ id: newId(), name: 'fox.txt' }, by);
    await expect(documents.breakOff(signedUrl, TEXT)).rejects.toThrow();
    await waitFor(() => readdirSync(join(content.directory, 'incoming')).length === 0);
    expect(storedFiles(content, by.caller.organisationId)).toEqual([]);
    expect(await documents.get(documentId, by)).toMatchObject({ status: 'PENDING_UPLOAD' });
  });

  it('expires with its URL, and begins anew', async () => {
    const { documentId, signedUrl } = await requested();
    ahead += 16 * 60_000;
    expect(await refusalOf(documents.put(signedUrl, TEXT))).toMatchObject({ code: 'url_expired' });
    expect(await refusalOf(content.documents.completeDocumentUpload({ documentId }, ours))).toMatchObject({
      code: 'nothing_uploaded',
    });
    ahead += 16 * 60_000;
    await documents.until(documentId, 'EXPIRED', ours);
    const { signedUrl: fresh } = await content.documents.uploadDocument({ id: documentId, name: 'fox.txt' }, ours);
    await documents.put(fresh, TEXT);
    await documents.until(documentId, 'READY', ours);
  });
});

describe('a download of a document', () => {
  it('gives the bytes as a file to be saved, as long as its URL lives', async () => {
    const documentId = await documents.upload(ours, { name: 'Füchse.txt', text: TEXT });
    const { signedUrl } = await content.documents.downloadDocument({ documentId }, ours);
    const { headers, text } = await documents.fetch(signedUrl);
    expect(text).toBe(TEXT);
    expect(headers).toMatchObject({
      contentType: 'text/plain',
      contentDisposition: `attachment; filename="F_chse.txt"; filename*=UTF-8''F%C3%BCchse.txt`,
      contentLength: String(TEXT.length),
    });
    ahead += 15 * 60_000;
    expect(await refusalOf(documents.fetch(signedUrl))).toMatchObject({ code: 'url_expired' });
  });

  it('gives a part of the bytes, and all of them where the client has another file', async () => {
    const documentId = await documents.upload(ours, { name: 'fox.txt', text: TEXT });
    const { signedUrl } = await content.documents.downloadDocument({ documentId }, ours);
    const etag = `"${createHash('sha256').update(TEXT).digest('hex')}"`;
    const whole = await documents.fetch(signedUrl);
    expect(whole.headers).toMatchObject({ acceptRanges: 'bytes', etag, contentRange: '' });
    const part = await documents.fetch(signedUrl, { range: 'bytes=4-8', ifRange: etag });
    expect([part.text, part.headers]).toMatchObject([
      TEXT.slice(4, 9),
      { contentLength: '5', contentRange: `bytes 4-8/${TEXT.length}`, etag },
    ]);
    expect((await documents.fetch(signedUrl, { range: 'bytes=4-8', ifRange: '"another"' })).text).toBe(TEXT);
    expect(await refusalOf(documents.fetch(signedUrl, { range: `bytes=${TEXT.length}-` }))).toMatchObject({
      kind: 'range_not_satisfiable',
    });
  });

  it('is refused before anything was uploaded', async () => {
    const { documentId } = await content.documents.uploadDocument({ id: newId(), name: 'fox.txt' }, ours);
    expect(await refusalOf(content.documents.downloadDocument({ documentId }, ours))).toMatchObject({
      code: 'nothing_uploaded',
    });
  });
});

describe('the list of documents', () => {
  it('is narrowed by status, collection, type and time, and paged', async () => {
    const by = member(newOrganisation());
    const files = [
      ['a.md', 'text/markdown', 'x'],
      ['b.txt', 'text/plain', 'x'],
      ['c.txt', 'text/plain', 'y'],
    ] as const;
    for (const [name, contentType, collection] of files)
      await content.documents.uploadDocument({ id: newId(), name, contentType, collection }, by);
    const names = async (filter = {}) =>
      (await content.documents.listDocuments(filter, by)).documents.map(({ name }) => name);
    expect(await names()).toEqual(['c.txt', 'b.txt', 'a.md']);
    expect(await names({ order: 'asc', collection: 'x' })).toEqual(['a.md', 'b.txt']);
    expect(await names({ mediaType: 'text/plain', collection: 'x' })).toEqual(['b.txt']);
    expect(await names({ status: ['READY', 'FAILED'] })).toEqual([]);
    expect(await names({ status: ['PENDING_UPLOAD'], createdAfter: clock.now() })).toEqual([]);
    const first = await content.documents.listDocuments({ limit: 2, includeTotal: true }, by);
    expect([first.documents.length, first.totalCount]).toEqual([2, 3]);
    const rest = await content.documents.listDocuments({ limit: 2, cursor: first.nextCursor }, by);
    expect([rest.documents.map(({ name }) => name), rest.nextCursor]).toEqual([['a.md'], '']);
  });
});

describe('what clients know of a document', () => {
  it('comes with it or later, and narrows lists and searches', async () => {
    const by = member(newOrganisation());
    const upload = async (name: string, metadata: Record<string, string>) => {
      const asked = await content.documents.uploadDocument({ id: newId(), name, metadata }, by);
      await documents.put(asked.signedUrl, TEXT);
      await documents.until(asked.documentId, 'READY', by);
      return asked.documentId;
    };
    const eu = await upload('eu.txt', { department: 'hr', region: 'eu' });
    await upload('us.txt', { department: 'hr', region: 'us' });
    expect(await documents.get(eu, by)).toMatchObject({ metadata: { department: 'hr', region: 'eu' } });
    const listed = async (...metadata: string[]) =>
      (await content.documents.listDocuments({ metadata }, by)).documents.map(({ name }) => name);
    expect(await listed('department=hr')).toEqual(['us.txt', 'eu.txt']);
    expect(await listed('department=hr', 'region=eu')).toEqual(['eu.txt']);
    expect(await listed('department=it')).toEqual([]);
    const found = async (metadata: Record<string, string>) =>
      (await content.search.search({ query: 'lazy dog', metadata, maxPerSource: 1 }, by)).hits.map(
        ({ title }) => title,
      );
    expect(await found({ region: 'eu' })).toEqual(['eu.txt']);
    expect((await found({ department: 'hr' })).toSorted()).toEqual(['eu.txt', 'us.txt']);

    const change = (metadata: Record<string, string>) =>
      content.documents.updateDocument({ documentId: eu, metadata, updateMask: { paths: ['metadata'] } }, by);
    expect(await change({ region: 'uk' })).toMatchObject({ metadata: { region: 'uk' } });
    expect([await found({ region: 'eu' }), await found({ region: 'uk' })]).toEqual([[], ['eu.txt']]);
    expect(await change({})).toMatchObject({ metadata: {} });
    expect([await listed('region=uk'), await found({ region: 'uk' })]).toEqual([[], []]);
    expect(await refusalOf(change({ 'a b': 'c' }))).toMatchObject({
      violations: [{ loc: ['body', 'metadata', 'a b'] }],
    });
  });
});
