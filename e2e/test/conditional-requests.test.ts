import { beforeAll, describe, expect, it } from '@jest/globals';
import { loadPlatformContract } from '@platform-backend/contracts';
import { waitFor } from '@platform-backend/testing';
import { randomUUID } from 'node:crypto';
import { uploadDataset } from '../src/datasets.ts';
import { send } from '../src/http.ts';
import { expectOk, join, newCustomer, newPerson, type Person } from '../src/people.ts';
import { sharedPlatform } from '../src/platform.ts';
import type { Organisation } from '../src/resources.ts';

const platform = sharedPlatform();
const { operations } = loadPlatformContract();

type Made = { id: string };

/** A thing, where it is read and changed, and what it can be changed to. */
interface Thing {
  readonly path: string;
  readonly verb?: 'PATCH' | 'PUT';
  readonly body: (name: string) => object;
  readonly isKept?: true;
}

const named = (name: string) => ({ name });
const cells = (source: string) => ({
  cells: [{ cell_type: 'markdown', id: 'a', metadata: {}, source }],
  metadata: {},
  nbformat: 4,
  nbformat_minor: 5,
});

let ada: Person;
let organisation: Organisation;
beforeAll(async () => {
  ada = await newCustomer(platform, 'Ada');
  organisation = expectOk(await ada.call<Organisation>('GET', '/organisations/current/'));
});

const made = async (path: string, body: object): Promise<string> =>
  expectOk(await ada.call<Made>('POST', path, { body })).id;

const make = (name: string): Promise<Thing> => {
  const makes = things[name];
  if (!makes) throw new Error(`nothing is read on ${name}`);
  return makes();
};

/** By the path of the contract on which things are read: how one comes to be. */
const things: Readonly<Record<string, () => Promise<Thing>>> = {
  '/client-groups/{group_id}/': async () => ({
    path: `/client-groups/${await made('/client-groups/', named('Group'))}/`,
    body: named,
    isKept: true,
  }),
  '/api-keys/{key_id}/': async () => ({ path: `/api-keys/${await made('/api-keys/', named('Key'))}/`, body: named }),
  '/organisations/members/{member_id}/': async () => {
    const member = await join(ada, organisation, await newPerson(platform, 'Grace'), 'VIEWER');
    const level = (name: string) => ({ permission_level: name === 'first' ? 'EDITOR' : 'ADMIN' });
    return { path: `/organisations/members/${member.id}/`, body: level };
  },
  '/organisations/current/': () => Promise.resolve({ path: '/organisations/current/', body: named, isKept: true }),
  '/meters/{meter_id}/': async () => {
    const body = { slug: `calls-${randomUUID().slice(0, 8)}`, event_type: 'call', aggregation: 'COUNT' };
    return { path: `/meters/${await made('/meters/', body)}/`, body: named, isKept: true };
  },
  '/billing-details/': () => {
    const body = (name: string) => ({ company_name: name, address_lines: ['Street 1'], vat_id: '', country: 'DE' });
    return Promise.resolve({ path: '/billing-details/', verb: 'PUT', body, isKept: true });
  },
  '/billing-mails/preferences/': () => {
    const body = (name: string) => ({ disabled: name === 'first' ? ['INVOICE_ISSUED'] : [] });
    return Promise.resolve({ path: '/billing-mails/preferences/', verb: 'PUT', body, isKept: true });
  },
  '/assistants/{assistant_id}/': async () => ({
    path: `/assistants/${await made('/assistants/', named(`Helper ${randomUUID()}`))}/`,
    body: (name) => ({ description: name }),
  }),
  '/conventions/{convention_id}': async () => ({
    path: `/conventions/${await made('/conventions/', { title: 'Holidays', content: 'Thirty days.' })}`,
    body: (title) => ({ title }),
  }),
  '/conversations/{conversation_id}/': async () => {
    const body = { assistant_name: 'general', new_message: 'How many days?' };
    const asked = await ada.call<{ conversation_id: string }>('POST', '/agents/submit-to-assistant/', { body });
    const path = `/conversations/${expectOk(asked).conversation_id}/`;
    const isAnswered = async () =>
      !expectOk(await ada.call<{ turn_in_progress: boolean }>('GET', path)).turn_in_progress;
    await waitFor(isAnswered, { what: 'the end of the turn' });
    return { path, body: (title) => ({ title }) };
  },
  '/documents/{document_id}/': async () => {
    const body = { id: randomUUID(), name: 'notes.txt' };
    const { document_id: id } = expectOk(
      await ada.call<{ document_id: string }>('POST', '/documents/upload/', { body }),
    );
    return { path: `/documents/${id}/`, body: (description) => ({ description }) };
  },
  '/retention-policy/': () => {
    const body = (name: string) => ({ documents: { days: name === 'first' ? 3650 : 7300 } });
    return Promise.resolve({ path: '/retention-policy/', verb: 'PUT', body, isKept: true });
  },
  '/tool-servers/{tool_server_id}/': async () => ({
    path: `/tool-servers/${await made('/tool-servers/', { name: 'crm', url: 'https://mcp.example.com/mcp' })}/`,
    body: named,
  }),
  '/reports/{report_id}/': async () => ({
    path: `/reports/${await made('/reports/', { title: 'Quarter', markdown: 'Good.' })}/`,
    body: (title) => ({ title }),
  }),
  '/notebooks/{notebook_id}': async () => ({
    path: `/notebooks/${await made('/notebooks/', { name: 'Sales', content: cells('# One') })}`,
    verb: 'PUT',
    body: (source) => ({ content: cells(source) }),
  }),
  '/datasets/{dataset_id}/': async () => ({
    path: `/datasets/${await uploadDataset(ada, 'sales', 'region,amount\nnorth,1\n')}/`,
    body: (description) => ({ description }),
  }),
  '/data-dictionary/{dataset_id}/': async () => ({
    path: `/data-dictionary/${await uploadDataset(ada, 'orders', 'region,amount\nnorth,1\n')}/`,
    body: (description) => ({ entries: [{ name: 'amount', description }] }),
    isKept: true,
  }),
  '/pipelines/{pipeline_id}/': async () => {
    await uploadDataset(ada, 'steps', 'region,amount\nnorth,1\n');
    const config = { query: 'SELECT * FROM steps', input_datasets: ['steps'], output_datasets: ['all'] };
    return {
      path: `/pipelines/${await made('/pipelines/', { name: 'Pipe', steps: [{ name: 'all', config }] })}/`,
      body: named,
      isKept: true,
    };
  },
  '/connections/{connection_id}/': async () => ({
    path: `/connections/${await made('/connections/', {
      name: 'API',
      settings: { kind: 'HTTP', base_url: 'https://api.example.com/' },
    })}/`,
    body: named,
  }),
  '/webhooks/{webhook_id}/': async () => ({
    path: `/webhooks/${await made('/webhooks/', { url: 'https://hooks.example.com/' })}/`,
    body: (description) => ({ description }),
  }),
  '/task-templates/{template_id}/': async () => ({
    path: `/task-templates/${await made('/task-templates/', { name: 'Task', instruction: 'Say how it is.' })}/`,
    body: named,
  }),
};

/** What takes a card, a kernel, a recogniser of speech or a clock to be there, or is read and deleted alone; the suites of their services try `If-Match` on them. */
const ELSEWHERE = [
  '/credits/automatic-top-up/',
  '/documents/{document_id}/versions/{version}/',
  '/notebooks/services/session/api/kernels/{kernel_id}',
  '/notebooks/services/session/api/sessions/{session_id}',
  '/test-clock/',
  '/transcriptions/{transcription_id}/',
  '/v1/files/{file_id}',
];

describe('what is read and then changed', () => {
  it('is each operation of the contract that is bound to PATCH, PUT or DELETE beside a GET', () => {
    const paths = operations.flatMap(({ changes }) => {
      const read = operations.find(({ grpcPath }) => grpcPath === changes?.grpcPath);
      return read?.http ? [read.http.path] : [];
    });
    expect([...new Set(paths)].sort()).toEqual([...Object.keys(things), ...ELSEWHERE].sort());
  });

  it.each(Object.keys(things))('has a tag, by which it is read again and changed once: %s', async (name) => {
    const { path, verb = 'PATCH', body, isKept } = await make(name);
    const read = await ada.call('GET', path);
    expect(read).toMatchObject({ status: 200, headers: { 'cache-control': 'private, no-cache' } });
    const first = read.headers['etag'] ?? '';
    expect(first).toMatch(/^"[\w.-]{22,}"$/);

    const again = await ada.call('GET', path, { headers: { 'if-none-match': `"other", ${first}` } });
    // Says what of it has changed by itself.
    if (again.status === 200) expect(again.text).toBe(read.text);
    expect(again).toMatchObject({ status: 304, text: '', headers: { etag: first } });
    expect(again.headers['content-length']).toBeUndefined();
    expect((await ada.call('GET', path, { headers: { 'if-none-match': '"other"' } })).status).toBe(200);

    const change = (value: string, tag: string) =>
      ada.call(verb, path, { body: body(value), headers: { 'if-match': tag } });
    const changed = await change('first', first);
    expect(changed).toMatchObject({ status: 200 });
    const now = await ada.call('GET', path, { headers: { 'if-none-match': first } });
    expect(now.status).toBe(200);
    const second = now.headers['etag'] ?? '';
    if (changed.headers['etag'] !== undefined) expect(changed.headers['etag']).toBe(second);

    for (const stale of [first, `W/${second}`, '"other"']) {
      expect(await change('second', stale)).toMatchObject({
        status: 412,
        headers: { 'x-error-code': 'precondition_failed' },
      });
    }
    for (const known of ['*', `"other", W/${second}`])
      expect(await ada.call(verb, path, { body: body('second'), headers: { 'if-none-match': known } })).toMatchObject({
        status: 412,
        headers: { 'x-error-code': 'precondition_failed' },
      });
    if (!isKept) {
      const removed = await ada.call('DELETE', path, { headers: { 'if-match': first } });
      expect(removed.status).toBe(412);
    }
    const kept = await ada.call('GET', path);
    expect(kept.text).toBe(now.text);
    expect((await change('second', `"other", ${second}`)).status).toBe(200);
    if (isKept) expect((await change('third', '*')).status).toBe(200);
    else {
      const { etag = '' } = (await ada.call('GET', path)).headers;
      const { status } = await ada.call('DELETE', path, { headers: { 'if-match': etag } });
      expect([200, 204]).toContain(status);
      expect((await change('third', '*')).status).toBe(404);
    }
  });

  it.each(['/client-groups/{group_id}/', '/reports/{report_id}/', '/notebooks/{notebook_id}'])(
    'is changed by one of many who have read the same: %s',
    async (name) => {
      const { path, verb = 'PATCH', body } = await make(name);
      const { etag = '' } = (await ada.call('GET', path)).headers;
      const changes = Array.from({ length: 10 }, (_, at) =>
        ada.call(verb, path, { body: body(`of ${at}`), headers: { 'if-match': etag } }),
      );
      const statuses = (await Promise.all(changes)).map(({ status }) => status).sort();
      expect(statuses.filter((status) => status === 200)).toHaveLength(1);
      expect(statuses.filter((status) => status !== 200 && status !== 412 && status !== 503)).toEqual([]);
    },
  );

  it('keeps the tag of a key that is used, for changes, and has another one for reading', async () => {
    const { id, api_key: apiKey } = expectOk(
      await ada.call<Made & { api_key: string }>('POST', '/api-keys/', { body: { name: 'Used', scopes: ['*:read'] } }),
    );
    const path = `/api-keys/${id}/`;
    const unused = (await ada.call('GET', path)).headers['etag'] ?? '';
    expectOk(await send(platform.url, 'GET', '/client-groups/', { apiKey }));
    const headers = { 'if-none-match': unused };
    const isSeen = async () => (await ada.call('GET', path, { headers })).status === 200;
    await waitFor(isSeen, { what: 'the use of the key' });
    expectOk(await ada.call('PATCH', path, { body: named('Renamed'), headers: { 'if-match': unused } }));
  });

  it('refuses If-Match where there is no tag that it could name, rather than to pass over it', async () => {
    const post = (tag: string) =>
      ada.call('POST', '/client-groups/', { body: named('Group'), headers: { 'if-match': tag } });
    expect(await post('"a"')).toMatchObject({ status: 412, headers: { 'x-error-code': 'precondition_unsupported' } });
    expect((await post('*')).status).toBe(200);
    const postUnless = (tag: string) =>
      ada.call('POST', '/client-groups/', { body: named('Group'), headers: { 'if-none-match': tag } });
    expect(await postUnless('*')).toMatchObject({ status: 412 });
    expect((await postUnless('"a"')).status).toBe(200);
    await made('/notebooks/', { name: 'Saved by Jupyter', content: cells('# One') });
    const contents = '/notebooks/services/session/api/contents/Saved%20by%20Jupyter.ipynb';
    const saved = await ada.call('PUT', contents, {
      body: { type: 'notebook', format: 'json', content: cells('# Two') },
      headers: { 'if-match': '"a"' },
    });
    expect(saved).toMatchObject({ status: 412, headers: { 'x-error-code': 'precondition_unsupported' } });
    expect((await ada.call('GET', contents)).text).toContain('# One');
  });
});
