import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { TEST_QUESTION } from '../src/turns/domain/language-model.ts';

export interface ApiRequest {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
}

export interface ApiAnswer {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** JSON unless it is a text, or one that comes in pieces; null: no answer ever comes. */
  readonly body: unknown;
}

export interface OpenAiDouble {
  readonly baseUrl: string;
  readonly requests: readonly ApiRequest[];
  readonly close: () => Promise<void>;
}

export interface OpenAiDoubleOptions {
  /** What a service asks at its start to see whether a model answers is refused, and no test hears of it, unless it is about that. */
  readonly hearsTestQuestions?: boolean;
}

/** A server that speaks OpenAI's protocol and answers what the test says. */
export async function openAiDouble(
  answer: (request: ApiRequest, count: number) => ApiAnswer | Promise<ApiAnswer>,
  { hearsTestQuestions = false }: OpenAiDoubleOptions = {},
): Promise<OpenAiDouble> {
  const requests: ApiRequest[] = [];
  const server = createServer((incoming, outgoing) => {
    void (async () => {
      const parts: Buffer[] = [];
      for await (const part of incoming) parts.push(part as Buffer);
      const request = { path: incoming.url ?? '', headers: incoming.headers, body: Buffer.concat(parts) };
      if (!hearsTestQuestions && request.body.includes(TEST_QUESTION)) {
        outgoing.writeHead(503).end();
        return;
      }
      requests.push(request);
      const { status = 200, headers, body } = await answer(request, requests.length);
      if (body === null) return;
      outgoing.writeHead(status, { 'content-type': 'application/json', ...headers });
      if (typeof body === 'object' && Symbol.asyncIterator in body) {
        for await (const piece of body as AsyncIterable<string>) outgoing.write(piece);
        outgoing.end();
        return;
      }
      outgoing.end(typeof body === 'string' ? body : JSON.stringify(body));
    })();
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  return {
    baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
    requests,
    async close() {
      server.closeAllConnections();
      await new Promise((closed) => server.close(closed));
    },
  };
}
