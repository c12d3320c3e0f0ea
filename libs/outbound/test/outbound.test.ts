import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { isPublicAddress } from '../src/address-policy.ts';
import { addressPolicy, outboundFetch, ResponseTooLarge, type OutboundOptions } from '../src/index.ts';

const refused = (message: string | RegExp) => ({ name: 'AddressRefused', message: expect.stringMatching(message) });

describe('addresses', () => {
  it.each([
    ...[
      '127.0.0.1',
      '10.1.2.3',
      '172.16.0.1',
      '192.168.1.1',
      '169.254.169.254',
      '168.63.129.16',
      '100.64.0.1',
      '0.0.0.0',
      '224.0.0.1',
    ],
    ...['255.255.255.255', '198.18.0.1', '192.0.2.1', '::1', '::', 'fe80::1', 'fd00::1', 'ff02::1'],
    ...['::ffff:10.0.0.1', '64:ff9b::a00:1', '2002:a00:1::', '2001::1', '2001:db8::1', 'x'],
    ...['::127.0.0.1', '::a00:1', '4000::1'],
  ])('%s is not public', (address) => {
    expect(isPublicAddress(address)).toBe(false);
  });

  it.each(['1.1.1.1', '93.184.216.34', '2606:4700:4700::1111'])('%s is public', (address) => {
    expect(isPublicAddress(address)).toBe(true);
  });

  it.each([
    ['http://example.com/', 'https'],
    ['ftp://example.com/', 'https'],
    ['https://ada:secret@example.com/', 'headers'],
    ['https://127.0.0.1/', 'not a public'],
    // As URLs write the same address.
    ['https://2130706433/', 'not a public'],
    ['https://0x7f.1/', 'not a public'],
    ['https://[::ffff:7f00:1]/', 'not a public'],
    ['https://localhost/', 'not a public'],
    ['https://metadata.google.internal/', 'not a public'],
  ])('%s is refused before anything is asked', (url, reason) => {
    expect(() => addressPolicy('').requireUrl(new URL(url))).toThrow(expect.objectContaining(refused(reason)));
  });

  it('that operators allow by name are called, by http too, and with their port alone where it is named', () => {
    const { requireUrl } = addressPolicy('crm.internal, 127.0.0.1:8080');
    for (const url of ['http://crm.internal:1/', 'https://crm.internal/', 'http://127.0.0.1:8080/'])
      expect(() => requireUrl(new URL(url))).not.toThrow();
    for (const url of ['http://127.0.0.1:8081/', 'http://erp.internal/'])
      expect(() => requireUrl(new URL(url))).toThrow();
    const usual = addressPolicy('crm.internal:443, ERP.internal:80, [fd00::1]:8080');
    for (const url of ['https://crm.internal/', 'http://erp.internal/', 'http://[fd00::1]:8080/'])
      expect(() => usual.requireUrl(new URL(url))).not.toThrow();
    for (const url of ['http://crm.internal/', 'https://erp.internal/', 'http://[fd00::1]/'])
      expect(() => usual.requireUrl(new URL(url))).toThrow();
  });
});

describe('requests', () => {
  let [server, other]: Server[] = [];
  const received: IncomingMessage[] = [];
  const portOf = (one: Server | undefined) => (one?.address() as AddressInfo | undefined)?.port ?? 0;
  const addressOf = (one: Server | undefined) => `127.0.0.1:${String(portOf(one))}`;

  beforeAll(async () => {
    const listen = async (one: Server) => {
      await new Promise<void>((listening) => one.listen(0, '127.0.0.1', listening));
      return one;
    };
    other = await listen(
      createServer((request, response) => {
        received.push(request);
        response.end('other');
      }),
    );
    server = await listen(
      createServer((request, response) => {
        received.push(request);
        const { pathname, searchParams } = new URL(request.url ?? '', 'http://x');
        const to = searchParams.get('to');
        if (pathname === '/late') return;
        if (to !== null) response.writeHead(Number(searchParams.get('status') ?? 302), { location: to }).end();
        else response.end(pathname === '/large' ? 'x'.repeat(2_000) : `${request.method ?? ''} ${pathname}`);
      }),
    );
  });
  afterAll(() => {
    for (const one of [server, other]) one?.close().closeAllConnections();
  });

  const fetcher = (options: Partial<OutboundOptions> = {}) =>
    outboundFetch({ policy: addressPolicy(`${addressOf(server)}, ${addressOf(other)}`), maxBytes: 1_000, ...options });
  const at = (path: string, query: Record<string, string> = {}) =>
    `http://${addressOf(server)}${path}?${new URLSearchParams(query).toString()}`;

  it('are answered, and follow redirects of the same host with what they had', async () => {
    const headers = { authorization: 'Bearer secret' };
    const answer = await fetcher()(at('/a', { to: '/b' }), { headers });
    expect(await answer.text()).toBe('GET /b');
    expect(received.at(-1)?.headers.authorization).toBe('Bearer secret');
    const sent = await fetcher()(at('/a', { to: '/b', status: '307' }), { method: 'POST', body: 'x' });
    expect(await sent.text()).toBe('POST /b');
    const seeOther = await fetcher()(at('/a', { to: '/b', status: '303' }), { method: 'POST', body: 'x' });
    expect(await seeOther.text()).toBe('GET /b');
  });

  it('take no secret along to another host, and send nothing on to one', async () => {
    const to = `http://${addressOf(other)}/`;
    const headers = { authorization: 'Bearer secret', 'x-key': 'secret', accept: 'text/plain' };
    expect(await (await fetcher()(at('/a', { to }), { headers })).text()).toBe('other');
    expect(received.at(-1)?.headers).toMatchObject({ accept: 'text/plain' });
    expect(JSON.stringify(received.at(-1)?.headers)).not.toContain('secret');
    const count = received.length;
    await expect(fetcher()(at('/a', { to, status: '307' }), { method: 'POST', body: 'x' })).rejects.toMatchObject(
      refused('redirects to another host'),
    );
    expect(received).toHaveLength(count + 1);
  });

  it.each(['http://169.254.169.254/latest/', 'https://10.0.0.1/', 'file:///etc/passwd'])(
    'are not led to %s by a redirect',
    async (to) => {
      await expect(fetcher()(at('/a', { to }))).rejects.toMatchObject({ name: 'AddressRefused' });
    },
  );

  it('have the status that was answered, also one that no standard knows', async () => {
    const answer = await fetcher()(at('/a', { to: '/b', status: '999' }));
    expect({ status: answer.status, isOk: answer.ok, text: await answer.text() }).toEqual({
      ...{ status: 999, isOk: false, text: '' },
    });
  });

  it('end after some redirects', async () => {
    await expect(
      fetcher()(at('/a', { to: at('/a', { to: at('/a', { to: at('/a', { to: '/a' }) }) }) })),
    ).rejects.toMatchObject(refused('too often'));
  });

  it('go to no name that has an address which is not public, and resolve it once', async () => {
    const resolved: string[] = [];
    const answers = [
      [
        { address: '93.184.216.34', family: 4 },
        { address: '127.0.0.1', family: 4 },
      ],
    ];
    const resolve = (hostname: string) => {
      resolved.push(hostname);
      return Promise.resolve(answers[0] ?? []);
    };
    await expect(fetcher({ resolve })('https://rebound.example.com/')).rejects.toMatchObject(refused('not a public'));
    expect(resolved).toEqual(['rebound.example.com']);
  });

  it('go to one port of a name that is allowed, where an operator names it, and to no other one of its network', async () => {
    const resolve = () => Promise.resolve([{ address: '127.0.0.1', family: 4 }]);
    const policy = addressPolicy(`tools.example.com:${String(portOf(server))}`);
    const to = (one: Server | undefined, protocol: string) =>
      fetcher({ policy, resolve })(`${protocol}://tools.example.com:${String(portOf(one))}/`);
    expect(await (await to(server, 'http')).text()).toBe('GET /');
    await expect(to(other, 'https')).rejects.toMatchObject(refused('not a public'));
  });

  it('go to the addresses that were checked, whatever a name means to the system', async () => {
    const policy = { ...addressPolicy(''), requireUrl: () => undefined, requireAddresses: () => undefined };
    const resolve = () => Promise.resolve([{ address: '127.0.0.1', family: 4 }]);
    const port = portOf(server);
    const answer = await fetcher({ policy, resolve })(`http://nowhere.invalid:${String(port)}/pinned`);
    expect(await answer.text()).toBe('GET /pinned');
  });

  it('wait for an answer that is silent as long as they are told to', async () => {
    await expect(fetcher({ silenceMs: 1 })(at('/late'))).rejects.toMatchObject({ code: 'UND_ERR_HEADERS_TIMEOUT' });
    const asked = once(server as Server, 'request') as Promise<[IncomingMessage, ServerResponse]>;
    const answer = fetcher({ silenceMs: 0 })(at('/late'));
    const [, response] = await asked;
    response.end('late');
    expect(await (await answer).text()).toBe('late');
  });

  it('read no more of an answer than they may', async () => {
    const answer = await fetcher()(at('/large'));
    await expect(answer.text()).rejects.toThrow(ResponseTooLarge);
  });
});
