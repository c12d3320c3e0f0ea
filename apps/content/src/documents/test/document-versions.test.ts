import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { member, newOrganisation, refusalOf, refusalsOf } from '@platform-backend/service/testing';
import { waitFor } from '@platform-backend/testing';
import { documentClient, type DocumentClient } from '../../../test/document-client.ts';
import { startTestContent, type TestContent } from '../../../test/test-content.ts';
import { storedFiles } from './stored-files.ts';

const TEXT = 'The quick brown fox jumps over the lazy dog. '.repeat(20);

let content: TestContent;
let documents: DocumentClient;
beforeAll(async () => {
  content = await startTestContent({ idle: true, environment: { CONTENT_DOCUMENT_MAX_BYTES: '5000' } });
  documents = documentClient(content);
});
afterAll(() => content.stop());

describe('a new version of a document', () => {
  const version = async (by: ReturnType<typeof member>, documentId: string, text: string, name = '') => {
    const asked = await content.documents.uploadDocumentVersion({ documentId, name }, by);
    await documents.put(asked.signedUrl, text);
    return asked.version;
  };
  const settled = async (by: ReturnType<typeof member>, documentId: string) => {
    await waitFor(
      async () =>
        ['FAILED', undefined].includes((await documents.get(documentId, by)).incomingVersion?.status ?? undefined),
      {
        what: 'the version',
      },
    );
    return documents.get(documentId, by);
  };
  const read = async (by: ReturnType<typeof member>, name: string, text: string) => {
    const documentId = await documents.upload(by, { name, text });
    await documents.until(documentId, 'READY', by);
    return documentId;
  };
  const fox = (what: string) => `${what} jumps over the lazy dog. `.repeat(10);

  it('is read while the old one is found, takes its place under the same id, and can be taken back', async () => {
    const by = member(newOrganisation());
    const documentId = await read(by, 'fox.txt', fox('A quick fox'));
    const found = async (query: string) =>
      (await content.search.search({ query, mode: 'keyword', maxPerSource: 1 }, by)).hits.map(({ title }) => title);
    const asked = await content.documents.uploadDocumentVersion({ documentId, name: 'badger.txt' }, by);
    expect(asked).toMatchObject({ documentId, version: 2, contentType: 'text/plain' });
    expect(await documents.get(documentId, by)).toMatchObject({
      ...{ status: 'READY', version: 1, name: 'fox.txt', content: fox('A quick fox').trim() },
      incomingVersion: { version: 2, status: 'PENDING_UPLOAD', name: 'badger.txt' },
    });
    expect(await found('fox')).toEqual(['fox.txt']);
    await documents.put(asked.signedUrl, fox('A slow badger'));
    expect(await settled(by, documentId)).toMatchObject({
      ...{
        status: 'READY',
        version: 2,
        name: 'badger.txt',
        content: fox('A slow badger').trim(),
        incomingVersion: null,
      },
    });
    expect([await found('fox'), await found('badger')]).toEqual([[], ['badger.txt']]);
    expect(await refusalOf(documents.put(asked.signedUrl, 'others'))).toMatchObject({ kind: 'conflict' });

    const { versions, totalCount } = await content.documents.listDocumentVersions(
      { documentId, includeTotal: true },
      by,
    );
    expect(totalCount).toBe(2);
    const brought = { actorType: 'user', actorId: by.caller.userId, actorName: by.caller.userName };
    expect(versions).toMatchObject([
      { version: 2, status: 'CURRENT', name: 'badger.txt', ...brought, content: '' },
      { version: 1, status: 'EARLIER', name: 'fox.txt', ...brought },
    ]);
    const first = await content.documents.listDocumentVersions({ documentId, limit: 1 }, by);
    const rest = await content.documents.listDocumentVersions({ documentId, limit: 1, cursor: first.nextCursor }, by);
    expect([...first.versions, ...rest.versions].map((one) => one.version)).toEqual([2, 1]);
    expect(rest.nextCursor).toBe('');
    const earlier = { documentId, version: 1 };
    expect(await content.documents.getDocumentVersion(earlier, by)).toMatchObject({
      content: fox('A quick fox').trim(),
    });
    const { signedUrl } = await content.documents.downloadDocumentVersion(earlier, by);
    expect((await documents.fetch(signedUrl)).text).toBe(fox('A quick fox'));

    await content.documents.restoreDocumentVersion(earlier, by);
    expect(await settled(by, documentId)).toMatchObject({
      version: 3,
      name: 'fox.txt',
      content: fox('A quick fox').trim(),
    });
    expect([await found('fox'), await found('badger')]).toEqual([['fox.txt'], []]);
    expect((await content.documents.getDocumentVersion({ documentId, version: 3 }, by)).restoredFrom).toBe(1);
    expect(storedFiles(content, by.caller.organisationId)).toHaveLength(2);

    await content.documents.deleteDocument({ documentId }, by);
    await waitFor(() => storedFiles(content, by.caller.organisationId).length === 0, {
      what: 'the removal of all bytes',
    });
  });

  it('that cannot be read says why and changes nothing, and those who watch hear of both', async () => {
    const by = member(newOrganisation());
    const documentId = await read(by, 'fox.txt', TEXT);
    await version(by, documentId, '%PDF-1.7 and nothing else');
    const events = await Array.fromAsync(content.documents.watchDocument({ documentId }, by));
    expect(events.at(-1)).toMatchObject({
      event: 'finished',
      data: { status: 'READY', failure: null, incomingVersion: { status: 'FAILED', failure: { code: 'damaged' } } },
    });
    expect(await documents.get(documentId, by)).toMatchObject({ version: 1, content: TEXT.trim(), foundBy: 'meaning' });
    await content.documents.deleteDocumentVersion({ documentId, version: 2 }, by);
    expect(await documents.get(documentId, by)).toMatchObject({ version: 1, incomingVersion: null });
    await waitFor(() => storedFiles(content, by.caller.organisationId).length === 1, {
      what: 'the removal of its bytes',
    });
    expect(await refusalOf(content.documents.deleteDocumentVersion({ documentId, version: 1 }, by))).toMatchObject({
      code: 'version_is_current',
    });
    expect(await refusalOf(content.documents.getDocumentVersion({ documentId, version: 2 }, by))).toMatchObject({
      code: 'version_not_found',
    });
  });

  it('is nobody’s who may not open the document', async () => {
    const organisationId = newOrganisation();
    const [by, other] = [member(organisationId, 'EDITOR'), member(organisationId, 'EDITOR')];
    const documentId = await read(by, 'fox.txt', TEXT);
    await content.documents.setDocumentAccess({ documentId, visibility: 'restricted' }, by);
    const one = { documentId, version: 1 };
    for (const refusal of await refusalsOf([
      content.documents.uploadDocumentVersion({ documentId }, other),
      content.documents.listDocumentVersions({ documentId }, other),
      content.documents.getDocumentVersion(one, other),
      content.documents.downloadDocumentVersion(one, other),
      content.documents.restoreDocumentVersion(one, other),
      content.documents.deleteDocumentVersion(one, other),
    ]))
      expect(refusal).toMatchObject({ code: 'document_not_found' });
    await version(by, documentId, fox('A quick fox'));
    expect(await settled(by, documentId)).toMatchObject({ version: 2, access: { visibility: 'restricted' } });
    const hits = async (who: ReturnType<typeof member>) =>
      (await content.search.search({ query: 'lazy dog' }, who)).hits.length;
    expect([(await hits(by)) > 0, await hits(other)]).toEqual([true, 0]);
  });
});
