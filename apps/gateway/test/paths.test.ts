import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { openApi } from '@platform-backend/contract/http';
import { rm } from 'node:fs/promises';
import { changedConfiguration } from './changed-configuration.ts';
import { platformContract } from './platform-contract.ts';
import { startPlatform, type PlatformUnderTest } from './platform-under-test.ts';
import { exchangeBytes } from './raw-connection.ts';

/** The shipped configuration with a condition on one policy, so that express has to run the pipeline. */
const configurationThatNeedsExpress = (): Promise<string> =>
  changedConfiguration((text) =>
    text.replace(/- cors:\n(\s+)- action:/, '- cors:\n$1- condition: { name: always }\n$1  action:'),
  );

const ID = '0199c0de-0000-7000-8000-000000000001';

describe.each(['in front of express', 'through express'] as const)('requests served %s', (way) => {
  let platform: PlatformUnderTest;
  let directory: string | undefined;
  beforeAll(async () => {
    directory = way === 'through express' ? await configurationThatNeedsExpress() : undefined;
    platform = await startPlatform(directory === undefined ? {} : { GATEWAY_CONFIG_DIRECTORY: directory });
  });
  afterAll(async () => {
    await platform.stop();
    if (directory !== undefined) await rm(directory, { recursive: true });
  });

  it('says which way it serves', () => {
    const warned = platform.gateway.log.some(({ msg }) => String(msg).includes('needs express'));
    expect(warned).toBe(way === 'through express');
  });

  it('an operation is served at its exact path', async () => {
    platform.identity.on('ClientGroupService/GetClientGroup', ({ groupId }: { groupId: string }) => ({
      id: groupId,
      name: 'Legal',
    }));
    const response = await platform.fetch(`/client-groups/${ID}/`);
    expect(response.status).toBe(200);
    expect(response.headers.get('content-type')).toBe('application/json');
    expect(await response.json()).toMatchObject({ id: ID, name: 'Legal', policy: null, members: [] });
  });

  it('a body reaches the service, and its answer comes back', async () => {
    platform.identity.on('ClientGroupService/CreateClientGroup', (request: { name: string; description: string }) => ({
      id: ID,
      ...request,
    }));
    const response = await platform.fetch('/client-groups/', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: '{"name":"Légal \u{1F600}"}',
    });
    expect(await response.json()).toMatchObject({ id: ID, name: 'Légal \u{1F600}', description: '' });
  });

  it.each([
    ['/client-groups', '/client-groups/'],
    ['/client-groups?a=1&b=%20x', '/client-groups/?a=1&b=%20x'],
    [`/conventions/${ID}/`, `/conventions/${ID}`],
    ['/inference/transcribe/?limit=0', '/inference/transcribe?limit=0'],
  ])('%s is answered with the way to %s, without a credential too (D17)', async (from, to) => {
    const method = from.startsWith('/inference') ? 'POST' : 'GET';
    for (const headers of [{}, { authorization: '' }]) {
      const response = await platform.fetch(from, { method, headers });
      expect(response.status).toBe(307);
      expect(response.headers.get('location')).toBe(to);
      expect(await response.text()).toBe('');
    }
  });

  it.each([
    '/',
    '/nope',
    '//',
    '//client-groups/',
    '/client-groups//',
    '/CLIENT-GROUPS/',
    '/messages/%00x/y/z',
    '/conventions/a%2Fb',
    '/%zz',
    '/client-groups/../client-groups/x/y',
  ])('%s is not found', async (target) => {
    const { port } = platform.gateway;
    const answer = await exchangeBytes(port, `GET ${target} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`);
    expect(answer).toMatch(/^HTTP\/1\.1 404 /);
    expect(answer).toContain('{"detail":"Not Found"}');
  });

  it('a method that a path does not have is refused with those it has', async () => {
    const response = await platform.fetch('/messages/', { method: 'PUT', headers: { authorization: '' } });
    expect(response.status).toBe(405);
    expect(response.headers.get('allow')).toBe('GET');
    expect(await response.json()).toEqual({ detail: 'Method Not Allowed' });
  });

  it('a refused method is answered with those of the very path, for each that the document knows', async () => {
    const { paths } = openApi(platformContract()) as { paths: Record<string, object> };
    const wrong: unknown[] = [];
    for (const [path, item] of Object.entries(paths)) {
      const verbs = Object.keys(item).map((verb) => verb.toUpperCase());
      const method = ['PUT', 'PATCH', 'DELETE', 'POST', 'GET'].find((verb) => !verbs.includes(verb));
      // Of a path with slashes in it what follows is a part: another operation takes it.
      if (method === undefined || path.includes('/{path}/')) continue;
      const { status, headers } = await platform.fetch(path.replaceAll(/\{\w+\}/g, ID), { method });
      const allowed = (headers.get('allow') ?? '').split(', ');
      if (status !== 405 || allowed.toSorted().join() !== verbs.toSorted().join())
        wrong.push([`${method} ${path}`, status, allowed]);
    }
    expect(wrong).toEqual([]);
  });

  it('an absolute target is the path in it', async () => {
    const answer = await exchangeBytes(
      platform.gateway.port,
      'GET http://gateway.example/client-groups/ HTTP/1.1\r\nHost: gateway.example\r\nConnection: close\r\n\r\n',
    );
    expect(answer).toMatch(/^HTTP\/1\.1 401 /);
  });

  it('HEAD is GET without its body', async () => {
    const [whole, headOnly] = [
      await platform.fetch('/client-groups/'),
      await platform.fetch('/client-groups/', { method: 'HEAD' }),
    ];
    expect(headOnly.status).toBe(200);
    expect(headOnly.headers.get('content-length')).toBe(whole.headers.get('content-length'));
    expect(await headOnly.text()).toBe('');
  });

  it('OPTIONS answers with the methods of a path, and lets pages of any origin in', async () => {
    const response = await platform.fetch('/client-groups/', {
      method: 'OPTIONS',
      headers: {
        authorization: '',
        origin: 'https://app.example',
        'access-control-request-method': 'POST',
        'access-control-request-headers': 'authorization,content-type',
      },
    });
    expect(response.status).toBe(204);
    expect(response.headers.get('access-control-allow-origin')).toBe('*');
    expect(response.headers.get('access-control-allow-methods')).toMatch(/POST.*OPTIONS/);
    expect(response.headers.get('access-control-allow-headers')).toBe('authorization,content-type');
    expect((await platform.fetch('/nope', { method: 'OPTIONS' })).status).toBe(404);
  });

  it.each(['/nope', '/client-groups'])(
    'lets a page ask before a request to %s, so that it sees what is answered',
    async (path) => {
      const headers = { origin: 'https://app.example', 'access-control-request-method': 'POST' };
      const response = await platform.fetch(path, { method: 'OPTIONS', headers });
      expect([response.status, response.headers.get('access-control-allow-origin')]).toEqual([204, '*']);
      expect(response.headers.get('access-control-allow-methods')).toMatch(/POST.*OPTIONS/);
    },
  );

  it('a page may read the answer and the headers that matter', async () => {
    const response = await platform.fetch('/nope', { headers: { origin: 'https://app.example' } });
    expect(response.headers.get('access-control-allow-origin')).toBe('*');
    expect(response.headers.get('access-control-expose-headers')).toContain('X-Request-Id');
  });

  it('a page of a list names the next one (D21)', async () => {
    const requests: { cursor: string; limit: number }[] = [];
    platform.identity.on('ClientGroupService/ListClientGroups', (request: { cursor: string; limit: number }) => {
      requests.push(request);
      return request.cursor === ''
        ? { clientGroups: [{ id: ID }], nextCursor: 'position 1', totalCount: 2 }
        : { clientGroups: [{ id: ID }] };
    });
    const first = await platform.fetch('/client-groups/?limit=1&include_total=true&search=a%20b');
    const cursor = first.headers.get('x-next-cursor') ?? '';
    expect(await first.json()).toHaveLength(1);
    expect(first.headers.get('x-total-count')).toBe('2');
    const next = `/client-groups/?limit=1&include_total=true&search=a%20b&cursor=${cursor}`;
    expect(first.headers.get('link')).toBe(`<${next}>; rel="next"`);
    expect(cursor).not.toContain('position');

    const last = await platform.fetch(next);
    expect(requests[1]).toMatchObject({ cursor: 'position 1', limit: 1 });
    expect(last.headers.get('link')).toBeNull();
    expect(last.headers.get('x-next-cursor')).toBeNull();
    expect((await platform.fetch(`/client-groups/?cursor=${cursor}x`)).status).toBe(422);
  });
});
