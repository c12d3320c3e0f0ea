/**
 * The yardstick: the same answers as the platform's gateway, written by hand with `node:http`,
 * jose and one grpc-js call, and nothing that a hand-written server could leave out.
 * It has no access log, no metrics and no limits, so a ratio of 1.0 means that the platform's
 * gateway does all of those for free.
 */
import { randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { resolveCallers, Unauthenticated } from './callers.ts';
import { connectIdentity, RemoteFailure } from './identity-client.ts';
import { clientGroupJson, createGroupRequest, groupId, Invalid, organisationJson } from './shapes.ts';

/** The largest JSON body read, in bytes, as on the platform (D24). */
const MAX_BODY_BYTES = 1_048_576;

const environment = (name: string): string => {
  const value = process.env[name];
  if (value === undefined || value === '') throw new Error(`${name} is not set`);
  return value;
};

const identity = connectIdentity(environment('IDENTITY_ADDRESS'));
const assertionFor = resolveCallers({
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

const answer = async (request: IncomingMessage, requestId: string): Promise<string> => {
  const assertion = await assertionFor(
    request.headers.authorization,
    request.headers['x-organisation-id'] as string | undefined,
  );
  const path = (request.url ?? '/').split('?', 1)[0] ?? '/';
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
  answer(request, requestId).then(
    (body) => send(response, requestId, 200, body),
    (error: unknown) => {
      if (error instanceof Invalid) send(response, requestId, 422, JSON.stringify({ detail: error.items }));
      else if (error instanceof Unauthenticated) send(response, requestId, 401, '{"detail":"Not authenticated"}');
      else if (error instanceof RemoteFailure)
        send(response, requestId, error.status, JSON.stringify({ detail: error.message }));
      else send(response, requestId, 500, '{"detail":"Internal Server Error"}');
    },
  );
});

server.keepAliveTimeout = 65_000;
server.listen(0, '127.0.0.1', () => {
  const { port } = server.address() as AddressInfo;
  process.stdout.write(`${JSON.stringify({ ready: true, address: `127.0.0.1:${port}` })}\n`);
});
process.on('SIGTERM', () => process.exit(0));
