/**
 * The yardstick: the same answers as the platform's gateway, written by hand with `node:http`,
 * jose, ws and one grpc-js call, and nothing that a hand-written server could leave out.
 * It has no access log, no metrics and no limits, so a ratio of 1.0 means that the platform's
 * gateway does all of those for free.
 */
import { randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { resolveCallers, Unauthenticated } from './callers.ts';
import { connectIdentity, RemoteFailure } from './identity-client.ts';
import { clientGroupJson, createGroupRequest, groupId, Invalid, organisationJson } from './shapes.ts';
import { connectStreams } from './streams.ts';

/** The largest JSON body read, in bytes, as on the platform (D24). */
const MAX_BODY_BYTES = 1_048_576;

const environment = (name: string): string => {
  const value = process.env[name];
  if (value === undefined || value === '') throw new Error(`${name} is not set`);
  return value;
};

const identity = connectIdentity(environment('IDENTITY_ADDRESS'));
const streams = connectStreams(environment('STREAMS_ADDRESS'));
const { assertionFor, assertionOfNobody } = resolveCallers({
  issuer: environment('OIDC_ISSUER'),
  audience: environment('OIDC_AUDIENCE'),
  jwksUrl: environment('OIDC_JWKS_URL'),
  servicePrivateKey: environment('SERVICE_PRIVATE_KEY'),
  identity,
});

const send = (response: ServerResponse, requestId: string, status: number, body: string): void => {
  response.writeHead(status, {
    'content-type': 'application/json',
    'content-length': Buffer.byteLength(body),
    'x-request-id': requestId,
    'x-api-version': '0.13.96',
  });
  response.end(body);
};

const readBody = async (request: IncomingMessage): Promise<Buffer> => {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > MAX_BODY_BYTES) throw new RemoteFailure(413, 'Request body too large');
    chunks.push(chunk);
  }
  return chunks.length === 1 ? (chunks[0] as Buffer) : Buffer.concat(chunks);
};

const GROUP_PATH = /^\/client-groups\/([^/]+)\/$/;

const TURN_PATH = /^\/agents\/turns\/([^/]+)\/events\/$/;
const UPLOAD_PATH = /^\/uploads\/([^/]+)\/$/;
const KERNEL_PATH = /^\/notebooks\/services\/session\/api\/kernels\/([^/]+)\/channels$/;

const pathOf = (request: IncomingMessage): string => (request.url ?? '/').split('?', 1)[0] ?? '/';

const assertionOf = ({ headers }: IncomingMessage): Promise<string> =>
  assertionFor(headers.authorization, headers['x-organisation-id'] as string | undefined);

/** The body of an answer, unless it is a stream, which has been written by then. */
const answer = async (
  request: IncomingMessage,
  response: ServerResponse,
  requestId: string,
): Promise<string | undefined> => {
  const path = pathOf(request);
  const upload = request.method === 'PUT' ? UPLOAD_PATH.exec(path) : null;
  // Its ticket is the credential, and for the service to judge.
  if (upload) return streams.upload(upload[1] as string, { assertion: await assertionOfNobody(), requestId }, request);
  const assertion = await assertionOf(request);
  const turn = request.method === 'GET' ? TURN_PATH.exec(path) : null;
  if (turn) {
    const last = request.headers['last-event-id'];
    await streams.events(turn[1] as string, typeof last === 'string' ? last : '', { assertion, requestId }, response);
    return undefined;
  }
  if (request.method === 'POST' && path === '/client-groups/') {
    const group = createGroupRequest(request.headers['content-type'], await readBody(request));
    return JSON.stringify(clientGroupJson(await identity.createClientGroup(group, assertion, requestId)));
  }
  if (request.method === 'GET' && path === '/organisations/current/') {
    return JSON.stringify(organisationJson(await identity.getCurrentOrganisation({}, assertion, requestId)));
  }
  const group = request.method === 'GET' ? GROUP_PATH.exec(path) : null;
  if (group) {
    return JSON.stringify(
      clientGroupJson(await identity.getClientGroup({ group_id: groupId(group[1] as string) }, assertion, requestId)),
    );
  }
  throw new RemoteFailure(404, 'Not Found');
};

const server = createServer((request, response) => {
  const requestId = randomUUID();
  answer(request, response, requestId).then(
    (body) => {
      if (body !== undefined) send(response, requestId, 200, body);
    },
    (error: unknown) => {
      if (response.headersSent) return;
      if (error instanceof Invalid) send(response, requestId, 422, JSON.stringify({ detail: error.items }));
      else if (error instanceof Unauthenticated) send(response, requestId, 401, '{"detail":"Not authenticated"}');
      else if (error instanceof RemoteFailure)
        send(response, requestId, error.status, JSON.stringify({ detail: error.message }));
      else send(response, requestId, 500, '{"detail":"Internal Server Error"}');
    },
  );
});

server.on('upgrade', (request: IncomingMessage, socket, head: Buffer) => {
  const kernel = KERNEL_PATH.exec(pathOf(request));
  assertionOf(request).then(
    (assertion) => {
      if (kernel) streams.channels(request, head, kernel[1] as string, { assertion, requestId: randomUUID() });
      else socket.end('HTTP/1.1 404 Not Found\r\n\r\n');
    },
    () => socket.end('HTTP/1.1 401 Unauthorized\r\n\r\n'),
  );
});

server.keepAliveTimeout = 65_000;
server.listen(0, '127.0.0.1', () => {
  const { port } = server.address() as AddressInfo;
  process.stdout.write(`${JSON.stringify({ ready: true, address: `127.0.0.1:${port}` })}\n`);
});
process.on('SIGTERM', () => process.exit(0));
