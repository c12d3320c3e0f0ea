import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { newApiKey } from '@platform-backend/auth';
import { waitFor } from '@platform-backend/testing';
import { randomUUID } from 'node:crypto';
import { readdirSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { GUIDES, GUIDES_PATH } from '../src/documentation/guides.ts';
import { startGatewayProcess } from './gateway-process.ts';
import { startPlatform, type PlatformUnderTest } from './platform-under-test.ts';

let platform: PlatformUnderTest;
const traces: string[] = [];
const collector = createServer((request, response) => {
  request.on('data', (chunk: Buffer) => traces.push(chunk.toString('latin1')));
  request.on('end', () => response.end('{}'));
});
beforeAll(async () => {
  await new Promise<void>((resolve) => collector.listen(0, '127.0.0.1', resolve));
  const { port } = collector.address() as AddressInfo;
  const observed = { OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${port}`, GATEWAY_DOCS_CLIENT_ID: 'platform-web' };
  // What it writes, measures and traces is that of a process.
  platform = await startPlatform(observed, startGatewayProcess);
});
afterAll(async () => {
  await platform.stop();
  collector.close();
  collector.closeAllConnections();
});

describe('the gateway about itself', () => {
  it('is alive, and ready while identity is', async () => {
    const alive = await fetch(`${platform.gateway.url}/healthz`);
    expect([alive.status, await alive.json()]).toEqual([200, { status: 'ok' }]);
    expect(alive.headers.get('x-api-version')).toBe('0.13.96');
    const ready = await fetch(`${platform.gateway.url}/readyz`);
    expect([ready.status, await ready.json()]).toEqual([200, { status: 'ready' }]);
  });

  it('shows the contract as OpenAPI, and only again when it has changed', async () => {
    const page = await fetch(`${platform.gateway.url}/openapi.json`);
    expect(page.status).toBe(200);
    const document = (await page.json()) as { openapi: string; info: { version: string }; paths: object };
    expect(document.openapi).toMatch(/^3\.1\./);
    expect(document.info.version).toBe('0.13.96');
    expect(Object.keys(document.paths)).toContain('/client-groups/');
    const again = await fetch(`${platform.gateway.url}/openapi.json`, {
      headers: { 'if-none-match': page.headers.get('etag') ?? '' },
    });
    expect(again.status).toBe(304);
    expect(await again.text()).toBe('');
  });

  it('shows its events as AsyncAPI, under the same conditions', async () => {
    const [operations, events] = await Promise.all(
      ['/openapi.json', '/asyncapi.json'].map((path) => fetch(platform.gateway.url + path)),
    );
    const document = (await events?.json()) as { asyncapi: string; channels: Record<string, { address: string }> };
    expect(document.asyncapi).toBe('3.0.0');
    const type = 'platform.v1.identity.client_group.updated';
    expect(document.channels[type]?.address).toBe(type);
    for (const name of ['content-type', 'cache-control', 'access-control-allow-origin', 'x-api-version']) {
      expect([name, events?.headers.get(name)]).toEqual([name, operations?.headers.get(name)]);
    }
    const etag = events?.headers.get('etag') ?? '';
    const again = await fetch(`${platform.gateway.url}/asyncapi.json`, { headers: { 'if-none-match': etag } });
    expect(again.status).toBe(304);
  });

  it('only says something, and takes no other method', async () => {
    for (const path of ['/openapi.json', '/asyncapi.json', '/healthz', '/readyz']) {
      const response = await fetch(platform.gateway.url + path, { method: 'POST', body: '{}' });
      expect([response.status, await response.json()]).toEqual([405, { detail: 'Method Not Allowed' }]);
      expect(response.headers.get('allow')).toBe('GET, HEAD');
      expect(response.headers.get('x-request-id')).toMatch(/./);
    }
  });

  it('has no admin API and shows nothing of express-gateway', async () => {
    for (const path of ['/users', '/apps', '/credentials', '/api-endpoints', '/login', '/metrics']) {
      const response = await fetch(platform.gateway.url + path);
      expect(response.status).toBe(404);
      expect(response.headers.get('x-powered-by')).toBeNull();
    }
  });
});

describe('the documentation', () => {
  const get = (path: string, headers: Record<string, string> = {}) => fetch(platform.gateway.url + path, { headers });
  /** What a page loads by itself, and where its links lead. */
  const references = (html: string): string[] =>
    [...html.matchAll(/\s(?:src|href)="([^"]*)"/g)].flatMap(([, address]) => address ?? []);

  it('is one page with all that it needs from this server', async () => {
    const page = await get('/docs');
    expect([page.status, page.headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8']);
    const html = await page.text();
    const local = references(html).filter((address) => address !== 'data:,');
    expect(local.length).toBeGreaterThan(15);
    expect(local.filter((address) => !/^\/[^/]/.test(address))).toEqual([]);
    const answers = await Promise.all(local.map(async (address) => [address, (await get(address)).status]));
    expect(answers).toEqual(local.map((address) => [address, 200]));
    // What is not referred to, and is loaded all the same.
    for (const address of ['/docs/oauth2-redirect.html', '/docs/oauth2-redirect.js']) {
      expect((await get(address)).status).toBe(200);
    }
    expect(html).toContain(`data-issuer="${platform.issuer.issuer}" data-client-id="platform-web"`);
    expect(references(await (await get('/docs/oauth2-redirect.html')).text())).toEqual(['oauth2-redirect.js']);
  });

  it('lets pages speak to this server and to the issuer, and to nobody else', async () => {
    for (const path of ['/docs', '/docs/oauth2-redirect.html', '/docs/guides/paging']) {
      const policy = (await get(path)).headers.get('content-security-policy')?.split('; ');
      expect(policy).toEqual([
        "default-src 'none'",
        "script-src 'self'",
        "style-src 'self' 'unsafe-inline'",
        "img-src 'self' data:",
        `connect-src 'self' ${platform.issuer.issuer}`,
        "base-uri 'none'",
        "form-action 'none'",
        "frame-ancestors 'none'",
      ]);
    }
  });

  it('is compressed for who takes it, and not sent again to who has it', async () => {
    const sizes = await Promise.all(
      ['gzip, br', 'identity'].map(async (coding) => {
        const answer = await get('/docs/swagger-ui-bundle.js', { 'accept-encoding': coding });
        expect(answer.headers.get('vary')).toBe('Accept-Encoding');
        const text = await answer.text();
        return {
          coding: answer.headers.get('content-encoding'),
          length: Number(answer.headers.get('content-length')),
          text,
        };
      }),
    );
    const [small, whole] = sizes;
    expect([small?.coding, whole?.coding]).toEqual(['gzip', null]);
    expect(small?.text).toBe(whole?.text);
    expect(small?.length).toBeLessThan((whole?.length ?? 0) / 3);

    const etag = (await get('/docs')).headers.get('etag') ?? '';
    expect((await get('/docs', { 'if-none-match': `"other", ${etag}` })).status).toBe(304);
    expect((await get('/docs', { 'if-none-match': '"other"' })).status).toBe(200);
  });

  it('shows the guides, whose links lead on', async () => {
    for (const { name, title } of GUIDES) {
      const page = await get(GUIDES_PATH + name);
      expect([name, page.status]).toEqual([name, 200]);
      const html = await page.text();
      expect(html).toContain(`<title>${title}</title>`);
      expect(html).toMatch(/<article><h1 id="[\w-]+">/);
      const guides = references(html).filter((address) => address.startsWith('/'));
      for (const address of guides) {
        const [path = '', heading] = address.split('#');
        const target = await get(path);
        expect([name, address, target.status]).toEqual([name, address, 200]);
        if (heading !== undefined) expect(await target.text()).toContain(`id="${heading}"`);
      }
    }
  });

  it('has every guide that there is', () => {
    const there = readdirSync(path.join(import.meta.dirname, '../../../docs/guides')).map((name) => `guides/${name}`);
    expect(
      GUIDES.map(({ file }) => file)
        .filter((file) => file.startsWith('guides/'))
        .toSorted(),
    ).toEqual(there.toSorted());
  });
});

describe('the metrics of the gateway', () => {
  it('are on a port of their own and count by route, never by path', async () => {
    await platform.fetch('/client-groups/0199c0de-0000-7000-8000-000000000001/');
    await platform.fetch('/nope/secret-in-a-path');
    const text = await waitFor(async () => {
      const answer = await (await fetch(platform.gateway.metricsUrl)).text();
      return answer.includes('route="unmatched"') ? answer : undefined;
    });
    expect(text).toMatch(
      /gateway_http_request_duration_seconds_count\{method="GET",route="\/client-groups\/\{group_id\}\/",status="200"\} \d+/,
    );
    expect(text).toContain('gateway_caller_lookups_total{outcome="resolved"}');
    expect(text).toContain('process_cpu_seconds_total');
    expect(text).not.toContain('secret-in-a-path');
    expect((await fetch(platform.gateway.metricsUrl.replace('/metrics', '/'))).status).toBe(404);
  });
});

describe('the access log', () => {
  it('says who did what and how it went, without a body, a credential or a query', async () => {
    const key = newApiKey();
    const [first, second] = [randomUUID(), randomUUID()];
    await platform.fetch('/client-groups/', { headers: { 'x-request-id': key, 'user-agent': key, traceparent: key } });
    await platform.fetch('/client-groups/?search=secret-in-a-query', {
      method: 'POST',
      headers: { 'x-request-id': first, 'content-type': 'application/json', 'api-key': key },
      body: '{"name":"secret-in-a-body"}',
    });
    await platform.fetch('/client-groups/', { headers: { 'x-request-id': second } });
    const line = await waitFor(() => platform.gateway.log.find(({ requestId }) => requestId === second));
    expect(line).toMatchObject({
      level: 'info',
      service: 'gateway',
      method: 'GET',
      route: '/client-groups/',
      status: 200,
      organisationId: 'org_ada',
      userId: 'id of user-ada',
    });
    expect(typeof line['ms']).toBe('number');
    const refused = platform.gateway.log.find(({ requestId }) => requestId === first);
    expect(refused).toMatchObject({ method: 'POST', status: 401, code: 'invalid_api_key' });

    const written = JSON.stringify(platform.gateway.log);
    for (const secret of ['secret-in', key, 'Bearer', 'eyJ']) expect(written).not.toContain(secret);
  });

  it('is JSON from the first line to the last, also what express-gateway says', () => {
    const modules = platform.gateway.log.map(({ module }) => module);
    expect(modules).toContain('express-gateway gateway');
    expect(JSON.stringify(platform.gateway.log)).not.toContain('\\u001b');
  });
});

describe('the traces of the gateway', () => {
  it('go to the collector and continue the trace of the client', async () => {
    await platform.fetch('/client-groups/', {
      headers: { traceparent: '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01' },
    });
    await waitFor(() => traces.some((sent) => sent.includes('0af7651916cd43dd8448eb211c80319c')));
    expect(traces.join()).toContain('GET /client-groups/');
  });

  it('hold nothing of a client but the ids of its trace', async () => {
    const key = newApiKey();
    const ids = '4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7';
    const seen = (): string => traces.join();
    await platform.fetch('/client-groups/', {
      headers: { traceparent: `01-${ids}-01-${key}`, tracestate: `a=${key}` },
    });
    await platform.fetch('/client-groups/', { headers: { traceparent: `00-${ids}-01`, tracestate: `a=${key}` } });
    await waitFor(() => seen().includes('4bf92f3577b34da6a3ce929d0e0e4736'));
    expect(seen()).not.toContain(key);
  });
});
