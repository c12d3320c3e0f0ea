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

/** One request with what it usually needs: bearer, organisation, a JSON body. */
export const send = <Body = unknown>(
  url: string,
  method: string,
  path: string,
  { token, apiKey, organisationId, headers, body }: RequestParts = {},
): Promise<Answer<Body>> => {
  const bearer = token ?? apiKey;
  const payload = body === undefined || Buffer.isBuffer(body) ? body : Buffer.from(JSON.stringify(body));
  return sendExactly(url, {
    method,
    target: path,
    body: payload,
    headers: {
      ...(bearer !== undefined && { authorization: `Bearer ${bearer}` }),
      ...(organisationId !== undefined && { 'x-organisation-id': organisationId }),
      ...(payload !== undefined && { 'content-type': 'application/json' }),
      ...headers,
    },
  });
};

export type ExactRequest = {
  method: string;
  /** Path and query as they go over the wire. */
  target: string;
  headers: Readonly<Record<string, string>>;
  body: Buffer | undefined;
};

/** One request as it is given: no redirect is followed and no path is made tidy, as `fetch` would do. */
export const sendExactly = <Body = unknown>(
  url: string,
  { method, target, headers, body }: ExactRequest,
): Promise<Answer<Body>> => {
  const { hostname, port } = new URL(url);
  const length = body === undefined ? {} : { 'content-length': String(body.length) };
  return new Promise((resolve, reject) => {
    const outgoing = request(
      { hostname, port, method, path: target, headers: { ...length, ...headers }, agent: false },
      (incoming) => {
        const chunks: Buffer[] = [];
        incoming.on('data', (chunk: Buffer) => chunks.push(chunk));
        incoming.on('error', reject);
        incoming.on('end', () => {
          const text = Buffer.concat(chunks).toString();
          const isJson = /json(?!l)/.test(incoming.headers['content-type'] ?? '');
          resolve({
            status: incoming.statusCode ?? 0,
            headers: incoming.headers as Record<string, string>,
            body: (isJson ? JSON.parse(text) : undefined) as Body,
            text,
          });
        });
      },
    );
    outgoing.on('error', reject);
    outgoing.end(body);
  });
};
