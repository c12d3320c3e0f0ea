import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export type HubAnswer = (request: IncomingMessage, response: ServerResponse, count: number) => void;

export interface ModelHub {
  readonly url: string;
  /** What was asked for: path and range. */
  readonly requests: readonly string[];
  readonly close: () => Promise<void>;
}

/** A hub that answers as the test says. */
export async function modelHub(answer: HubAnswer): Promise<ModelHub> {
  const requests: string[] = [];
  const server = createServer((request, response) => {
    requests.push(`${request.url ?? ''} ${request.headers.range ?? 'whole'}`);
    answer(request, response, requests.length);
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    async close() {
      server.closeAllConnections();
      await new Promise((closed) => server.close(closed));
    },
  };
}

/** Serves the bytes from where it is asked to, as the hub does. */
export function serve(bytes: Buffer, request: IncomingMessage, response: ServerResponse, upTo = bytes.length): void {
  const [, from] = /^bytes=(\d+)-$/.exec(request.headers.range ?? '') ?? [];
  const start = Number(from ?? 0);
  response.writeHead(from === undefined ? 200 : 206, {
    'content-length': bytes.length - start,
    ...(from !== undefined && { 'content-range': `bytes ${start}-${bytes.length - 1}/${bytes.length}` }),
  });
  if (upTo >= bytes.length) response.end(bytes.subarray(start));
  else response.write(bytes.subarray(start, upTo), () => setImmediate(() => response.destroy()));
}
