import { request } from 'node:http';

/** What to send beside method and path. */
export type RequestParts = {
  token?: string;
  /** Sent as `Authorization: Bearer`, like a token. */
  apiKey?: string;
  organisationId?: string;
  headers?: Record<string, string>;
  /** Sent as JSON, unless it is a Buffer, which is sent as it is. */
  body?: unknown;
};

export type Answer<Body = unknown> = {
  status: number;
  headers: Record<string, string>;
  body: Body;
  text: string;
};

/**
 * One request, byte for byte as given: no redirect is followed and no path is made tidy, as `fetch`
 * would do.
 */
export const send = <Body = unknown>(
  url: string,
  method: string,
  path: string,
  parts: RequestParts = {},
): Promise<Answer<Body>> => {
  const bearer = parts.token ?? parts.apiKey;
  const payload =
    parts.body === undefined || Buffer.isBuffer(parts.body) ? parts.body : Buffer.from(JSON.stringify(parts.body));
  const headers = {
    ...(bearer !== undefined && { authorization: `Bearer ${bearer}` }),
    ...(parts.organisationId !== undefined && { 'x-organisation-id': parts.organisationId }),
    ...(payload !== undefined && { 'content-type': 'application/json', 'content-length': String(payload.length) }),
    ...parts.headers,
  };
  const { hostname, port } = new URL(url);
  return new Promise((resolve, reject) => {
    const outgoing = request({ hostname, port, method, path, headers, agent: false }, (incoming) => {
      const chunks: Buffer[] = [];
      incoming.on('data', (chunk: Buffer) => chunks.push(chunk));
      incoming.on('error', reject);
      incoming.on('end', () => {
        const text = Buffer.concat(chunks).toString();
        const isJson = /json/.test(incoming.headers['content-type'] ?? '');
        resolve({
          status: incoming.statusCode ?? 0,
          headers: incoming.headers as Record<string, string>,
          body: (isJson ? JSON.parse(text) : undefined) as Body,
          text,
        });
      });
    });
    outgoing.on('error', reject);
    outgoing.end(payload);
  });
};
