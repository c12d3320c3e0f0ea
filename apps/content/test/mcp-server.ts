import { createMcpHandler, McpServer } from '@modelcontextprotocol/server';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';

export interface McpDouble {
  readonly url: string;
  readonly host: string;
  /** The headers of each request. */
  readonly headers: readonly IncomingHttpHeaders[];
  readonly close: () => Promise<void>;
}

/** A server of the protocol's own authors, over HTTP, with the tools that a test registers. */
export async function mcpServer(register: (server: McpServer) => void): Promise<McpDouble> {
  const handler = createMcpHandler(() => {
    const server = new McpServer({ name: 'tests', version: '1.0.0' });
    register(server);
    return server;
  });
  const headers: IncomingHttpHeaders[] = [];
  const server = createServer((incoming, outgoing) => {
    void (async () => {
      headers.push(incoming.headers);
      const body = await buffer(incoming);
      const request = new Request(`http://${incoming.headers.host ?? ''}${incoming.url ?? ''}`, {
        method: incoming.method ?? 'GET',
        headers: new Headers(incoming.headers as Record<string, string>),
        ...(body.byteLength > 0 && { body: new Uint8Array(body) }),
      });
      const answer = await handler.fetch(request);
      outgoing.writeHead(answer.status, Object.fromEntries(answer.headers));
      if (answer.body)
        for await (const chunk of answer.body as unknown as AsyncIterable<Uint8Array>) outgoing.write(chunk);
      outgoing.end();
    })();
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  const host = `127.0.0.1:${String((server.address() as AddressInfo).port)}`;
  return {
    url: `http://${host}/mcp`,
    host,
    headers,
    async close() {
      server.closeAllConnections();
      await new Promise((closed) => server.close(closed));
    },
  };
}
