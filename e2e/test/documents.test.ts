import { beforeAll, describe, expect, it } from '@jest/globals';
import { waitFor } from '@platform-backend/testing';
import { randomUUID } from 'node:crypto';
import { expectOk, newCustomer, type Person } from '../src/people.ts';
import { sharedPlatform } from '../src/platform.ts';
import { serverSentEvents } from '../src/server-sent-events.ts';
import { smallPdf } from '../src/small-pdf.ts';

const platform = sharedPlatform();

type Upload = { signed_url: string; document_id: string; content_type: string; max_bytes: number };
type Document = {
  id: string;
  name: string;
  status: string;
  content: string;
  media_type: string;
  size_bytes: number;
  page_count: number | null;
  num_tokens: number;
  failure: { code: string; message: string } | null;
};
type Chunk = { ordinal: number; text: string; page: number | null };

const PAGES = ['The heron stands in shallow water.', 'The kingfisher dives for small fish.'];

let ada: Person;
beforeAll(async () => {
  ada = await newCustomer(platform, 'Ada');
});

const requested = async (name: string) =>
  expectOk(await ada.call<Upload>('POST', '/documents/upload/', { body: { id: randomUUID(), name } }));

const put = (url: string, bytes: Uint8Array<ArrayBuffer>, type: string) =>
  fetch(url, { method: 'PUT', headers: { 'Content-Type': type }, body: bytes });

const get = async (id: string) => expectOk(await ada.call<Document>('GET', `/documents/${id}/`));

const until = async (id: string, status: string) => {
  await waitFor(async () => (await get(id)).status === status, { what: status });
  return get(id);
};

describe('a new version of a document', () => {
  it('comes under its id, and the earlier one is there by its number', async () => {
    const { document_id: id, signed_url: url, content_type: type } = await requested('rivers.pdf');
    await put(url, smallPdf(['The heron stands in shallow water.']), type);
    await until(id, 'READY');
    const path = `/documents/${id}/versions/`;
    const next = expectOk(await ada.call<Upload & { version: number }>('POST', path, { body: {} }));
    expect(next).toMatchObject({ document_id: id, version: 2, content_type: 'application/pdf' });
    expect((await put(next.signed_url, smallPdf(['The otter sleeps.']), type)).status).toBe(200);
    const last = serverSentEvents<Document>((await ada.call('GET', `/documents/${id}/events/`)).text).at(-1);
    expect(last).toMatchObject({ event: 'finished', data: { status: 'READY', incoming_version: null } });
    expect(await get(id)).toMatchObject({ status: 'READY', version: 2, content: expect.stringContaining('otter') });
    const versions = expectOk(await ada.call<{ version: number; status: string }[]>('GET', path));
    expect(versions.map(({ version, status }) => [version, status])).toEqual([
      [2, 'CURRENT'],
      [1, 'EARLIER'],
    ]);
    const one = expectOk(await ada.call<Document>('GET', `${path}1/`));
    expect(one.content).toContain('heron');
    expect((await ada.call('GET', `${path}7/`)).status).toBe(404);
    expect((await ada.call('GET', `${path}x/`)).status).toBe(422);
    expect((await ada.call('DELETE', `${path}2/`)).status).toBe(409);
    const download = expectOk(await ada.call<Upload>('GET', `${path}1/download/`));
    expect((await fetch(download.signed_url)).headers.get('content-type')).toBe('application/pdf');
  });
});

describe('a retention policy', () => {
  it('is looked at before it is put in place, and says in the audit log who did that', async () => {
    const { document_id: id } = await requested('kept.txt');
    const policy = {
      documents: { days: 730, since: 'CREATED' },
      collections: [{ collection: 'contracts', rule: null }],
      conversations: { days: 90, since: 'CHANGED' },
      transcriptions: null,
    };
    const preview = await ada.call('POST', '/retention-policy/preview/', { body: policy });
    expect(expectOk(preview)).toMatchObject({ documents: 0, conversations: 0, transcriptions: 0, examples: [] });
    expect(expectOk(await ada.call('GET', '/retention-policy/'))).toMatchObject({ documents: null, updated_at: null });
    const put = await ada.call('PUT', '/retention-policy/', { body: policy });
    expect(expectOk(put)).toMatchObject({ ...policy, last_pass: null });
    expect((await ada.call('GET', '/retention-policy/')).body).toEqual(put.body);
    expect((await ada.call('PUT', '/retention-policy/', { body: { documents: { days: 0 } } })).status).toBe(422);
    const exempt = await ada.call('PUT', `/documents/${id}/retention/`, { body: { exempt: true } });
    expect(expectOk(exempt)).toMatchObject({ id, retention_exempt: true });
    const entries = () => ada.call<unknown[]>('GET', '/audit-log/?action=retention_policy.updated');
    await waitFor(async () => expectOk(await entries()).length > 0, { what: 'the entry of the audit log' });
    expect((await entries()).body).toMatchObject([{ actor_name: 'Ada', after: { documents: { days: 730 } } }]);
  });
});

describe('a document', () => {
  it('goes from a PDF on a disk to the page that a search finds it by, and away again', async () => {
    const pdf = smallPdf(PAGES);
    const { document_id: id, signed_url: url, content_type: type } = await requested('birds.pdf');
    expect(type).toBe('application/pdf');
    expect((await put(url, pdf, 'text/html')).status).toBe(415);
    expect((await put(url.replace('/uploads/e', '/uploads/f'), pdf, type)).status).toBe(403);
    for (const _time of [1, 2]) expect((await put(url, pdf, type)).status).toBe(200);
    expect((await put(url, smallPdf(['Others']), type)).status).toBe(409);

    const watch = (headers = {}) => ada.call('GET', `/documents/${id}/events/`, { headers });
    const last = serverSentEvents<Document>((await watch()).text).at(-1);
    expect(last).toMatchObject({ event: 'finished', data: { document_id: id, status: 'READY', progress: null } });
    expect((await watch({ 'last-event-id': last?.id })).status).toBe(204);
    const document = await get(id);
    expect(document).toMatchObject({ media_type: 'application/pdf', page_count: 2, size_bytes: pdf.length });
    for (const page of PAGES) expect(document.content).toContain(page);
    const chunks = expectOk(await ada.call<Chunk[]>('GET', `/documents/${id}/chunks/`));
    expect(chunks.find(({ text }) => text.includes('kingfisher'))).toMatchObject({ page: 2 });
    const found = async () => {
      const { text } = await ada.call('POST', '/search/', { body: { query: 'kingfisher' } });
      return text.includes(id);
    };
    await waitFor(found, { what: 'the document in a search' });

    const { signed_url: download } = expectOk(await ada.call<Upload>('GET', `/documents/${id}/download/`));
    const file = await fetch(download);
    expect([file.status, file.headers.get('content-type'), file.headers.get('x-content-type-options')]).toEqual([
      200,
      'application/pdf',
      'nosniff',
    ]);
    expect(file.headers.get('content-disposition')).toContain('attachment; filename="birds.pdf"');
    expect(Buffer.from(await file.arrayBuffer()).equals(pdf)).toBe(true);
    const etag = file.headers.get('etag') ?? '';
    const part = (headers: Record<string, string>) => fetch(download, { headers });
    const rest = await part({ range: 'bytes=100-', 'if-range': etag });
    expect([rest.status, rest.headers.get('content-range')]).toEqual([
      206,
      `bytes 100-${pdf.length - 1}/${pdf.length}`,
    ]);
    expect(Buffer.from(await rest.arrayBuffer()).equals(pdf.subarray(100))).toBe(true);
    expect((await part({ range: 'bytes=100-', 'if-range': '"another"' })).status).toBe(200);
    const beyond = await part({ range: `bytes=${pdf.length}-` });
    expect([beyond.status, beyond.headers.get('content-range')]).toEqual([416, `bytes */${pdf.length}`]);

    expect(expectOk(await ada.call('DELETE', `/documents/${id}/`))).toEqual({ id, deleted: true });
    expect((await ada.call('DELETE', `/documents/${id}/`)).status).toBe(404);
    expect(await found()).toBeFalsy();
    // Its bytes go last.
    await waitFor(async () => (await fetch(download)).status === 404, { what: 'the bytes to be gone' });
  });

  it('that is none ends with what to do about it', async () => {
    const { document_id: id, signed_url: url, content_type: type } = await requested('broken.pdf');
    expect((await put(url, Buffer.from('%PDF-1.7 and nothing else'), type)).status).toBe(200);
    const { failure } = await until(id, 'FAILED');
    expect(failure?.message).not.toBe('');
    const listed = expectOk(await ada.call<Document[]>('GET', '/documents/?status=FAILED&include_total=true'));
    expect(listed.map((one) => one.id)).toEqual([id]);
  });

  it('larger than allowed is refused while it comes', async () => {
    const { signed_url: url, content_type: type, max_bytes: maxBytes } = await requested('large.txt');
    const refused = await put(url, Buffer.alloc(maxBytes + 1, 'x'), type).then(
      ({ status }) => status,
      // The connection may be closed before all of it was sent.
      () => 413,
    );
    expect(refused).toBe(413);
  });
});
