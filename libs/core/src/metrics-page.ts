import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface MetricsPage {
  /** `host:port` as bound. */
  readonly address: string;
  readonly close: () => Promise<void>;
}

export interface MetricsText {
  readonly contentType: string;
  readonly text: () => Promise<string>;
  readonly readiness: () => Readiness | Promise<Readiness>;
}

export interface Readiness {
  /** Whether what is asked of this process now is answered. */
  readonly isReady: boolean;
  /** What it works with, and whether that answers; some of it a process can do without for a while. */
  readonly dependencies?: Readonly<Record<string, boolean>>;
}

/** Those who scrape are few; more of them are turned away. */
const MAX_CONNECTIONS = 20;
/** A request that takes longer to arrive is given up, in milliseconds. */
const REQUEST_LIMIT_MS = 10_000;

/**
 * Serves `GET /metrics` on a port of its own, so that it is never reachable where clients are. However many ask at once,
 * metrics are collected once. `GET /readyz` beside it is 200 or 503, and says which dependencies answer: a health check by HTTP costs whoever
 * asks next to nothing. `GET /healthz` is 200 as long as the process answers at all: whoever restarts it on a failure must not ask for more.
 *
 * @throws Error when the address cannot be bound.
 */
export async function serveMetrics(
  { contentType, text, readiness }: MetricsText,
  listen: string,
): Promise<MetricsPage> {
  let collecting: Promise<string> | undefined;
  const collected = (): Promise<string> => (collecting ??= text().finally(() => (collecting = undefined)));

  const limits = { requestTimeout: REQUEST_LIMIT_MS, headersTimeout: REQUEST_LIMIT_MS };
  const server = createServer(limits, (request, response) => {
    if (request.method === 'GET' && request.url === '/healthz') {
      response.writeHead(200).end();
      return;
    }
    if (request.method === 'GET' && request.url === '/readyz') {
      Promise.resolve(readiness()).then(
        ({ isReady, dependencies = {} }) => {
          const headers = { 'Content-Type': 'application/json', ...(!isReady && { 'Retry-After': '1' }) };
          response.writeHead(isReady ? 200 : 503, headers).end(JSON.stringify({ ready: isReady, dependencies }));
        },
        () => response.writeHead(500).end(),
      );
      return;
    }
    if (request.method !== 'GET' || request.url !== '/metrics') {
      response.writeHead(404).end();
      return;
    }
    collected().then(
      (page) => response.writeHead(200, { 'Content-Type': contentType }).end(page),
      () => response.writeHead(500).end(),
    );
  });
  server.maxConnections = MAX_CONNECTIONS;

  const [, host, port] = /^\[?(.*?)\]?:(\d+)$/.exec(listen) ?? [];
  server.listen({ host, port: Number(port) });
  await once(server, 'listening').catch((cause: unknown) => {
    throw new Error(`Cannot serve metrics on ${listen}: ${(cause as Error).message}`, { cause });
  });
  const bound = server.address() as AddressInfo;
  return {
    address: listen.replace(/\d+$/, String(bound.port)),
    close: async () => {
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}
