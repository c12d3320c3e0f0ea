import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { newApiKey } from '@platform-backend/auth';
import { waitFor } from '@platform-backend/testing';
import { randomUUID } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
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
  platform = await startPlatform({ OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${port}` });
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
