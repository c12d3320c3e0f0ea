import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { inspect } from 'node:util';
import type { ToolServer } from '../domain/tool-server.ts';
import { httpTools } from './http-tools.ts';
import { mcpTools } from './mcp-tools.ts';

const headers = { 'x-key': 'hunter2-hunter2' };

let server: Server;
const asked: string[] = [];
beforeAll(async () => {
  server = createServer((request, response) => {
    asked.push(`${request.method ?? ''} ${request.url ?? ''}`);
    if (request.url === '/echo') response.writeHead(500).end(JSON.stringify(request.headers));
    else if (request.url === '/cut') response.end(`${'x'.repeat(255)}€`);
    else if (request.url === '/paged') void answerInPages(request, response);
    else if (request.url !== '/silent') response.end('{}');
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
});
afterAll(() => {
  server.close().closeAllConnections();
});

/** A server of the protocol's first revision, which has three tools on each of fifty pages. */
async function answerInPages(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const text = (await buffer(request)).toString();
  const { id, method, params } = JSON.parse(text === '' ? '{}' : text) as {
    readonly id?: number;
    readonly method?: string;
    readonly params?: { readonly cursor?: string };
  };
  const page = Number(params?.cursor ?? 0);
  const tools = [0, 1, 2].map((at) => ({ name: `tool_${String(page * 3 + at)}`, inputSchema: { type: 'object' } }));
  const results: Readonly<Record<string, object>> = {
    initialize: {
      ...{ protocolVersion: '2025-06-18', capabilities: { tools: {} }, serverInfo: { name: 's', version: '1' } },
    },
    'tools/list': { tools, ...(page < 49 && { nextCursor: String(page + 1) }) },
  };
  if (id === undefined) return void response.writeHead(request.method === 'POST' ? 202 : 405).end();
  const result = results[method ?? ''];
  const answer = result ? { result } : { error: { code: -32_601, message: 'Method not found' } };
  response.setHeader('content-type', 'application/json').end(JSON.stringify({ jsonrpc: '2.0', id, ...answer }));
}

const parameters = { type: 'object', properties: { customer: {}, order: {} } };
const toolServer = (path: string, tool = '') =>
  ({
    ...{ name: 'crm', kind: 'http', timeoutSeconds: 5, maxResultBytes: 256 },
    url: `http://127.0.0.1:${String((server.address() as AddressInfo).port)}${path}`,
    tools: [{ name: 't', approval: 'none', description: 'T', method: 'DELETE', path: tool, parameters }],
  }) as unknown as ToolServer;
const options = () => ({ callId: 'c', signal: new AbortController().signal });

describe('a tool that is a plain request', () => {
  it.each([
    [{ customer: '..', order: '..' }, 'customer'],
    [{ customer: '.', order: '7' }, 'customer'],
    [{ customer: '3', order: '' }, 'order'],
    [{ customer: '3' }, 'order'],
    [{ customer: '3', order: null }, 'order'],
  ])('asks nothing of another path: %j', async (given, wrong) => {
    const tools = httpTools(toolServer('/v1', '/customers/{customer}/orders/{order}'), {}, fetch);
    const before = asked.length;
    expect(await tools.call('t', given, options())).toEqual({ text: expect.stringContaining(wrong), isError: true });
    expect(asked).toHaveLength(before);
    await tools.call('t', { customer: '...', order: '%2e%2e' }, options());
    expect(asked.at(-1)).toBe('DELETE /v1/customers/.../orders/%252e%252e');
  });

  it('says that there is more than a model reads, also where a character is cut', async () => {
    const { text } = await httpTools(toolServer('/cut'), {}, fetch).call('t', {}, options());
    expect(text).toMatch(/^x{255}\n\[The rest of the answer is left out/);
  });
});

describe('a tool server by the protocol', () => {
  it('has nothing of what it sends in the log where it fails, as that may repeat headers', async () => {
    const tools = mcpTools(toolServer('/echo'), headers, fetch);
    const failure: unknown = await tools.list(options().signal).catch((error: unknown) => error);
    expect(failure).toMatchObject({ code: 'tool_server_failed', cause: { status: 500 } });
    expect(inspect(failure, { depth: 10 })).not.toContain('hunter2');
    await tools.close();
  });

  it('shows the first hundred of its tools, on however many pages they are', async () => {
    const tools = mcpTools(toolServer('/paged'), headers, fetch);
    const names = (await tools.list(options().signal)).map(({ name }) => name);
    expect(names).toEqual(Array.from({ length: 100 }, (_, at) => `tool_${String(at)}`));
    await tools.close();
  });

  it('says why it cannot be reached', async () => {
    const gone = createServer();
    await new Promise<void>((listening) => gone.listen(0, '127.0.0.1', listening));
    const { port } = gone.address() as AddressInfo;
    await new Promise((closed) => gone.close(closed));
    const tools = mcpTools({ ...toolServer('/'), url: `http://127.0.0.1:${String(port)}/` }, headers, fetch);
    await expect(tools.list(options().signal)).rejects.toThrow('it cannot be reached (ECONNREFUSED)');
  });

  it('is not waited for at the end where it has never answered', async () => {
    const tools = mcpTools(toolServer('/silent'), headers, fetch);
    await expect(tools.list(AbortSignal.timeout(100))).rejects.toMatchObject({ code: 'tool_server_failed' });
    const begun = performance.now();
    await tools.close();
    expect(performance.now() - begun).toBeLessThan(2_000);
  });
});
