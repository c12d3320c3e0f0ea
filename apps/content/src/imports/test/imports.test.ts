import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { CreateDocumentImportRequestInput, Document, DocumentImport } from '@platform-backend/contract-content';
import { newId, type Clock } from '@platform-backend/core';
import { secretBox } from '@platform-backend/core/secret-box';
import { member, newOrganisation, refusalOf, refusalsOf, resealedSecrets } from '@platform-backend/service/testing';
import { waitFor } from '@platform-backend/testing';
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { addressServer, saying, stalling, type AddressServer } from '../../../test/address-server.ts';
import { documentClient } from '../../../test/document-client.ts';
import { startTestContent, type TestContent } from '../../../test/test-content.ts';
import { service } from '../../service.ts';
import { addressContext } from '../domain/imports.ts';

type By = ReturnType<typeof member>;

const MAX_BYTES = 5_000;

let files: AddressServer;
/** Nobody may ask it. */
let within: AddressServer;
let content: TestContent;
let passedMs = 0;
const clock: Clock = { now: () => new Date(Date.now() + passedMs) };

beforeAll(async () => {
  [files, within] = [await addressServer(), await addressServer()];
  content = await startTestContent({
    idle: true,
    clock,
    environment: {
      OUTBOUND_ALLOWED_HOSTS: `${files.host}, 127.0.0.1:9`,
      CONTENT_DOCUMENT_MAX_BYTES: String(MAX_BYTES),
      CONTENT_STORAGE_MAX_BYTES: String(3 * MAX_BYTES),
      // What has come is read as any upload is, which others test.
      CONTENT_DOCUMENT_WORKERS: '0',
      // Of each organisation one at a time.
      CONTENT_IMPORT_WORKERS: '2',
      CONTENT_IMPORT_LEASE_SECONDS: '6',
    },
  });
});
afterAll(async () => {
  await content.stop();
  for (const server of [files, within]) server.close();
});

const newMember = (level: 'VIEWER' | 'EDITOR' | 'ADMIN' = 'EDITOR', organisationId = newOrganisation()): By =>
  member(organisationId, level);

const get = ({ id }: Pick<Document, 'id'>, by: By) => documentClient(content).get(id, by);
const until = (document: Pick<Document, 'id'>, status: NonNullable<Document['status']>, by: By) =>
  documentClient(content).until(document.id, status, by);

const importsOf = async (by: By): Promise<readonly DocumentImport[]> =>
  (await content.imports.listDocumentImports({}, by)).imports;
const itemsOf = async ({ id: importId }: DocumentImport, by: By) =>
  (await content.imports.listDocumentImportItems({ importId }, by)).items;
const bulk = (items: CreateDocumentImportRequestInput['items'], by: By) =>
  content.imports.createDocumentImport({ items, collection: 'hr', metadata: { team: 'people' } }, by);
const isOver = ({ queued, fetching }: DocumentImport) => queued + fetching === 0;
const over = ({ id: importId }: DocumentImport, by: By): Promise<DocumentImport> =>
  waitFor(
    async () => {
      const found = await content.imports.getDocumentImport({ importId }, by);
      return isOver(found) ? found : undefined;
    },
    { what: 'the end of the import' },
  );

/** Lets time pass until what is tried again is due, while nothing is being fetched. */
async function untilRetried(isDone: () => Promise<boolean>, by: By): Promise<void> {
  await waitFor(
    async () => {
      if (await isDone()) return true;
      const found = await importsOf(by);
      if (found.some(({ fetching }) => fetching > 0)) return false;
      passedMs += 600_000;
      // Whoever asks for something wakes the worker.
      await content.imports.importDocument({ url: files.answer('/wake', saying('wake')) }, newMember());
      return false;
    },
    { what: 'the next attempts' },
  );
}

function bytesOf(by: By): number {
  const directory = join(content.directory, 'objects', by.caller.organisationId ?? '');
  if (!existsSync(directory)) return 0;
  return readdirSync(directory, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile()).length;
}

describe('an import of a document', () => {
  it('makes a document of what is at an address, named and filed as it was told, and keeps its secrets', async () => {
    const by = newMember();
    const text = 'Thirty days of holidays.';
    const url = `${files.answer('/holidays.txt', saying(text))}?signature=very-secret`;
    const made = await content.imports.importDocument(
      { url, name: 'Rules.txt', collection: 'hr', metadata: { team: 'people' }, access: { visibility: 'restricted' } },
      by,
    );
    expect(made).toMatchObject({
      ...{ name: 'Rules.txt', status: 'PENDING_UPLOAD', progress: { stage: 'FETCHING', percent: 0 } },
      ...{ collection: 'hr', metadata: { team: 'people' }, access: { visibility: 'restricted' } },
    });
    const document = await until(made, 'UPLOADED', by);
    expect(document).toMatchObject({ name: 'Rules.txt', sizeBytes: String(text.length), mediaType: 'text/plain' });
    const { signedUrl } = await content.documents.downloadDocument({ documentId: made.id }, by);
    expect((await documentClient(content).fetch(signedUrl)).text).toBe(text);
    const colleague = newMember('EDITOR', by.caller.organisationId);
    expect(await refusalOf(get(made, colleague))).toMatchObject({ code: 'document_not_found' });

    const [first] = await importsOf(by);
    expect([made.importId, document.importId]).toEqual([first?.id, null]);
    expect(first).toMatchObject({ total: 1, imported: 1, queued: 0, fetching: 0, failed: 0, cancelled: 0 });
    const items = first ? await itemsOf(first, by) : [];
    expect(items).toEqual([
      {
        ...{ number: 0, url: files.url('/holidays.txt'), documentId: made.id, status: 'IMPORTED' },
        ...{ sizeBytes: String(text.length), failure: null },
      },
    ]);
    const stored = await content.frame?.storage.database.unguarded
      .collection('documentImportItems')
      .find({ organisationId: by.caller.organisationId, importId: first?.id })
      .toArray();
    expect(stored).toHaveLength(1);
    expect(JSON.stringify(stored)).not.toContain('very-secret');
  });

  it('is called as the answer says, else as the address does', async () => {
    const by = newMember();
    const disposition = { 'content-disposition': 'attachment; filename="Year.txt"' };
    const said = await content.imports.importDocument({ url: files.answer('/said', saying('a', disposition)) }, by);
    const path = await content.imports.importDocument({ url: files.answer('/some%20path.txt', saying('a')) }, by);
    expect((await until(said, 'UPLOADED', by)).name).toBe('Year.txt');
    expect((await until(path, 'UPLOADED', by)).name).toBe('some path.txt');
  });

  it('asks no address that is not public, whoever redirects to it', async () => {
    const by = newMember();
    for (const url of [within.url('/'), 'http://example.com/', 'https://localhost/', 'ftp://example.com/', 'nothing'])
      expect(await refusalOf(content.imports.importDocument({ url }, by))).toMatchObject({ kind: 'invalid' });
    const redirecting = (location: string) =>
      files.answer(`/to/${newId()}`, (_request, response) => response.writeHead(302, { location }).end());
    const followed = await content.imports.importDocument(
      { url: redirecting(redirecting(files.answer('/end.txt', saying('the end')))) },
      by,
    );
    expect(await until(followed, 'UPLOADED', by)).toMatchObject({ sizeBytes: '7' });
    const refused = await content.imports.importDocument({ url: redirecting(within.url('/secret')) }, by);
    expect(await until(refused, 'FAILED', by)).toMatchObject({ failure: { code: 'address_refused' }, progress: null });
    expect(within.asked).toEqual([]);
  });

  it('fails at once for what stays as it is, and cannot be read again', async () => {
    const by = newMember();
    const missing = await content.imports.importDocument({ url: files.url('/missing') }, by);
    expect(await until(missing, 'FAILED', by)).toMatchObject({ failure: { code: 'address_answered' } });
    const long = 'x'.repeat(MAX_BYTES + 1);
    const unsaid = files.answer('/unsaid', (_request, response) => {
      response.writeHead(200, { 'content-type': 'text/plain' });
      response.write(long.slice(0, 100));
      response.end(long.slice(100));
    });
    for (const url of [unsaid, files.answer('/said-long', saying(long))]) {
      const document = await content.imports.importDocument({ url }, by);
      expect(await until(document, 'FAILED', by)).toMatchObject({ failure: { code: 'too_large' }, sizeBytes: '0' });
      const again = content.documents.retryDocument({ documentId: document.id }, by);
      expect(await refusalOf(again)).toMatchObject({ code: 'nothing_uploaded' });
    }
    expect(files.asked.filter((path) => path === '/missing')).toHaveLength(1);
    const { signedUrl } = await content.documents.uploadDocument({ id: missing.id, name: missing.name }, by);
    await documentClient(content).put(signedUrl, 'by hand', 'application/octet-stream');
    await until(missing, 'UPLOADED', by);
  });

  it('is tried again where an answer breaks off or may be another one in a while, five times in all', async () => {
    const by = newMember();
    let count = 0;
    const url = files.answer('/third.txt', (request, response) => {
      count += 1;
      if (count === 1) response.writeHead(503).end();
      else if (count === 2) {
        response.writeHead(200, { 'content-length': 100 });
        response.write('Only the be', () => request.socket.destroy());
      } else saying('All of it.')(request, response);
    });
    const document = await content.imports.importDocument({ url }, by);
    const isUploaded = async () => (await get(document, by)).status === 'UPLOADED';
    await untilRetried(isUploaded, by);
    expect(count).toBe(3);
    expect(await get(document, by)).toMatchObject({ sizeBytes: '10', failure: null });

    const broken = await content.imports.importDocument(
      { url: files.answer('/broken', (_request, response) => response.writeHead(500).end()) },
      by,
    );
    await untilRetried(async () => (await get(broken, by)).status === 'FAILED', by);
    expect(files.asked.filter((path) => path === '/broken')).toHaveLength(5);
    expect(await get(broken, by)).toMatchObject({ failure: { code: 'address_answered' } });
  });

  it('ends when its document is deleted, and leaves no bytes', async () => {
    const by = newMember();
    const { url, begun, go } = stalling(files, '/stalled');
    const document = await content.imports.importDocument({ url }, by);
    await begun;
    await content.documents.deleteDocument({ documentId: document.id }, by);
    go();
    const [made] = await importsOf(by);
    if (!made) throw new Error('it was made');
    expect(await over(made, by)).toMatchObject({ cancelled: 1 });
    expect(await refusalOf(get(document, by))).toMatchObject({ code: 'document_not_found' });
    await waitFor(() => bytesOf(by) === 0, { what: 'the removal of what has come' });
  });

  it('brings no more than there is room for', async () => {
    const by = newMember();
    const four = saying('x'.repeat(4_000));
    const documents = await Promise.all(
      [1, 2, 3, 4].map((at) => content.imports.importDocument({ url: files.answer(`/four/${at}`, four) }, by)),
    );
    const statuses = () => Promise.all(documents.map(async (document) => (await get(document, by)).status));
    await untilRetried(async () => !(await statuses()).includes('PENDING_UPLOAD'), by);
    expect((await statuses()).filter((status) => status === 'UPLOADED')).toHaveLength(3);
    const failed = (await Promise.all(documents.map((one) => get(one, by)))).find(({ failure }) => failure);
    expect(failed).toMatchObject({ failure: { code: 'storage_quota_exceeded' } });
    expect(await content.documents.getStorage({}, by)).toMatchObject({ usedBytes: '12000' });
    // Nobody says how much there will be, and it is more than what is left.
    const url = files.answer('/more', (_request, response) => {
      response.write('y'.repeat(500));
      response.end('y'.repeat(3_000));
    });
    const beyond = await content.imports.importDocument({ url }, by);
    await untilRetried(async () => (await get(beyond, by)).status === 'FAILED', by);
    expect(await get(beyond, by)).toMatchObject({ failure: { code: 'storage_quota_exceeded' } });
    expect(await content.documents.getStorage({}, by)).toMatchObject({ usedBytes: '12000' });
  });
});

describe('an import that is cancelled', () => {
  it('keeps what has come, gives up what is coming, and asks no further address', async () => {
    const by = newMember();
    const { url, begun, go } = stalling(files, '/cancelled/1');
    const made = await bulk(
      [
        { url: files.answer('/cancelled/0', saying('has come')) },
        { url },
        { url: files.answer('/cancelled/2', saying('never')) },
      ],
      by,
    );
    await begun;
    const { id: importId } = made;
    await content.imports.cancelDocumentImport({ importId }, by);
    const ended = await over(made, by);
    expect(ended).toMatchObject({ imported: 1, cancelled: 2, failed: 0 });
    go();
    const [come, coming, never] = await itemsOf(made, by);
    expect(await get({ id: come?.documentId ?? '' }, by)).toMatchObject({ status: 'UPLOADED' });
    expect(await get({ id: coming?.documentId ?? '' }, by)).toMatchObject({
      ...{ status: 'FAILED', failure: { code: 'import_cancelled' }, progress: null },
    });
    expect(await refusalOf(get({ id: never?.documentId ?? '' }, by))).toMatchObject({ code: 'document_not_found' });
    expect(files.asked).not.toContain('/cancelled/2');
    expect(await content.imports.cancelDocumentImport({ importId }, by)).toEqual(ended);
    expect(await content.imports.retryDocumentImport({ importId }, by)).toEqual(ended);
    await waitFor(() => bytesOf(by) === 1, { what: 'the removal of what was coming' });
    const colleague = newMember('EDITOR', by.caller.organisationId);
    for (const call of [content.imports.cancelDocumentImport, content.imports.retryDocumentImport])
      expect(await refusalOf(call({ importId }, colleague))).toMatchObject({ code: 'import_not_found' });
  });
});

describe('an import of which something failed', () => {
  it('fetches that once more into the same document, and nothing that has come', async () => {
    const by = newMember();
    const made = await bulk(
      [{ url: files.answer('/good', saying('good')) }, { url: `${files.url('/late')}?signature=1` }],
      by,
    );
    expect(await over(made, by)).toMatchObject({ imported: 1, failed: 1 });
    const before = await itemsOf(made, by);
    files.answer('/late', saying('here now'));
    await content.imports.retryDocumentImport({ importId: made.id }, by);
    expect(await over(made, by)).toMatchObject({ imported: 2, failed: 0 });
    const after = await itemsOf(made, by);
    expect(after.map(({ documentId }) => documentId)).toEqual(before.map(({ documentId }) => documentId));
    const documents = await Promise.all(after.map(({ documentId: id }) => get({ id }, by)));
    expect(documents).toMatchObject([
      { status: 'UPLOADED', sizeBytes: '4' },
      { status: 'UPLOADED', sizeBytes: '8', failure: null },
    ]);
    expect(files.asked.filter((path) => path === '/good')).toHaveLength(1);
  });

  it('makes none again that somebody has deleted since', async () => {
    const by = newMember();
    const failed = await until(await content.imports.importDocument({ url: files.url('/deleted') }, by), 'FAILED', by);
    await content.documents.deleteDocument({ documentId: failed.id }, by);
    files.answer('/deleted', saying('here now'));
    await content.imports.retryDocumentImport({ importId: failed.importId ?? '' }, by);
    const [made] = await importsOf(by);
    if (!made) throw new Error('it was made');
    expect(await over(made, by)).toMatchObject({ cancelled: 1, imported: 0, failed: 0 });
    expect(await refusalOf(get(failed, by))).toMatchObject({ code: 'document_not_found' });
  });
});

describe('an import of many documents', () => {
  it('has a result for each address, for its maker and administrators alone', async () => {
    const by = newMember();
    const { id: taken } = await content.imports.importDocument({ url: files.answer('/one', saying('one')) }, by);
    const own = newId();
    const made = await bulk(
      [
        { url: files.answer('/a.txt', saying('a')), id: own },
        { url: files.url('/none') },
        { url: files.answer('/b.txt', saying('b')), id: taken },
      ],
      by,
    );
    expect(made).toMatchObject({ total: 3, queued: 3, createdBy: by.caller.userId });
    expect(await over(made, by)).toMatchObject({ imported: 1, failed: 2, cancelled: 0 });
    const brought = { actorType: 'user', actorId: by.caller.userId, actorName: by.caller.userName };
    for (const documentId of [own, taken])
      expect(await content.documents.getDocumentVersion({ documentId, version: 1 }, by)).toMatchObject(brought);
    const items = await itemsOf(made, by);
    expect(items.map(({ number, status, failure }) => [number, status, failure?.code])).toEqual([
      [0, 'IMPORTED', undefined],
      [1, 'FAILED', 'address_answered'],
      [2, 'FAILED', 'document_exists'],
    ]);
    expect(await get({ id: own }, by)).toMatchObject({ name: 'a.txt', collection: 'hr', metadata: { team: 'people' } });
    const { id: importId } = made;
    const page = { importId, status: ['FAILED' as const], limit: 1 };
    const first = await content.imports.listDocumentImportItems(page, by);
    const second = await content.imports.listDocumentImportItems({ ...page, cursor: first.nextCursor }, by);
    expect([...first.items, ...second.items]).toEqual(items.slice(1));
    expect(second.nextCursor).toBe('');

    const administrator = newMember('ADMIN', by.caller.organisationId);
    expect(await importsOf(administrator)).toEqual(await importsOf(by));
    for (const other of [newMember('EDITOR', by.caller.organisationId), newMember('ADMIN')]) {
      expect(await importsOf(other)).toEqual([]);
      for (const refusal of await refusalsOf([
        content.imports.getDocumentImport({ importId }, other),
        content.imports.listDocumentImportItems({ importId }, other),
      ]))
        expect(refusal).toMatchObject({ code: 'import_not_found' });
    }
  });

  it('is refused where an address is not asked or an id is there twice', async () => {
    const by = newMember();
    const id = newId();
    const url = files.url('/a.txt');
    const wrong = [{ url }, { url: within.url('/') }];
    expect(await refusalOf(bulk(wrong, by))).toMatchObject({ kind: 'invalid' });
    expect(
      await refusalOf(
        bulk(
          [
            { url, id },
            { url, id },
          ],
          by,
        ),
      ),
    ).toMatchObject({ kind: 'invalid' });
    expect(await refusalOf(bulk([{ url, name: ' ' }], by))).toMatchObject({ kind: 'invalid' });
    expect(await importsOf(by)).toEqual([]);
  });

  it('keeps no other organisation waiting, however long an address takes', async () => {
    const [many, one] = [newMember(), newMember()];
    const { url, begun, go } = stalling(files, '/many/0');
    const further = [1, 2, 3, 4].map((at) => ({ url: files.answer(`/many/${at}`, saying('many')) }));
    const made = await bulk([{ url }, ...further], many);
    await begun;
    const other = await content.imports.importDocument({ url: files.answer('/other', saying('other')) }, one);
    await until(other, 'UPLOADED', one);
    expect(files.asked.filter((path) => path.startsWith('/many/'))).toEqual(['/many/0']);
    go();
    expect(await over(made, many)).toMatchObject({ imported: 5 });
  });
});

/** Last, as what failed before opens no more for this process. */
describe('a new key for secrets', () => {
  it('seals the addresses of imports anew that may be asked once more', async () => {
    const by = newMember();
    const url = `${files.url('/never')}?signature=1`;
    const made = await bulk([{ url }], by);
    expect(await over(made, by)).toMatchObject({ failed: 1 });
    const [old = '', key] = [
      (content.env as Readonly<Record<string, string>>)['SECRETS_KEY'],
      'the key that takes its place',
    ];
    const kinds = await resealedSecrets(service, { ...content.env, SECRETS_KEY: key, SECRETS_KEY_OTHER: old });
    const own = kinds.find(({ kind }) => kind === 'addresses of imports');
    expect(own).toMatchObject({ unreadable: 0, resealed: own?.secrets });
    const { organisationId = '' } = by.caller;
    const kept = content.frame?.storage.database.unguarded.collection<{ _id: string; sealedUrl: string }>(
      'documentImportItems',
    );
    const { _id = '', sealedUrl = '' } = (await kept?.findOne({ organisationId, importId: made.id })) ?? {};
    expect(secretBox({ key }).open(sealedUrl, addressContext(organisationId, _id))).toBe(url);
  });
});
