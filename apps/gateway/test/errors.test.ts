import { Server, ServerCredentials, status, type MethodDefinition, type sendUnaryData } from '@grpc/grpc-js';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { newApiKey } from '@platform-backend/auth';
import { loadPlatformContract } from '@platform-backend/contracts';
import { conflict, DomainError, notFound, paymentRequired, upstreamFailed } from '@platform-backend/core';
import type { GrpcServer } from '@platform-backend/grpc';
import { waitFor } from '@platform-backend/testing';
import { randomUUID } from 'node:crypto';
import { promisify } from 'node:util';
import { startGatewayHere, type Gateway } from './gateway-here.ts';
import { startGatewayProcess } from './gateway-process.ts';
import { startPlatform, type PlatformUnderTest } from './platform-under-test.ts';
import { startStandInService, type StandInHandler } from './stand-in-service.ts';

/** A defect to order, loaded into the gateway before its own code. */
const REJECTS_ON_SIGNAL = "process.on('SIGUSR2', () => { Promise.reject(new Error('stray')); })";

let platform: PlatformUnderTest;
/** Waits longer, and has services of notebooks and content beside identity. */
let patient: Gateway;
let foreign: ForeignService;
let content: GrpcServer;
const contentHandlers = new Map<string, StandInHandler>();
beforeAll(async () => {
  platform = await startPlatform({ GATEWAY_DEADLINE_MS: '700' });
  const { publicKeys, env } = platform;
  foreign = await startForeignService();
  content = await startStandInService({ domain: 'content', publicKeys, handlers: contentHandlers });
  const addresses = { NOTEBOOKS_ADDRESS: foreign.address, CONTENT_ADDRESS: content.address };
  patient = await startGatewayHere({ ...env, ...addresses, GATEWAY_DEADLINE_MS: '60000' });
});
afterAll(async () => {
  await patient.stop();
  foreign.stop();
  await Promise.all([content.drain(), platform.stop()]);
});

type ForeignService = Awaited<ReturnType<typeof startForeignService>>;

/** A gRPC server that is none of ours: it sets no limits to what it says, and its refusals carry no kind. */
async function startForeignService() {
  let answer: (respond: sendUnaryData<Buffer>) => void = () => undefined;
  const server = new Server({ 'grpc.max_send_message_length': -1 });
  const { ListRunningServices: rpc } = loadPlatformContract().serviceDefinition('platform.notebooks.v1.KernelService');
  server.addService(
    { call: { ...(rpc as MethodDefinition<unknown, Buffer>), responseSerialize: (bytes: Buffer) => bytes } },
    { call: (_call: unknown, respond: sendUnaryData<Buffer>) => answer(respond) },
  );
  const bind = promisify(server.bindAsync.bind(server));
  const port = await bind('127.0.0.1:0', ServerCredentials.createInsecure());
  return {
    address: `127.0.0.1:${port}`,
    answers: (given: typeof answer) => {
      answer = given;
    },
    stop: () => server.forceShutdown(),
  };
}

/** The id that a client gives its request. */
const CHOSEN = '0199c0de-0000-4000-8000-00000000abcd';

const GROUP = '/client-groups/0199c0de-0000-7000-8000-000000000001/';
const failWith = (error: Error): void =>
  platform.identity.on('ClientGroupService/GetClientGroup', () => Promise.reject(error));

describe('an error of a service (D20)', () => {
  it('is logged by the service that knows the reason, and here no more than as a request', async () => {
    failWith(new Error('secret table name'));
    const id = '0199c0de-0000-4000-8000-00000000dead';
    expect((await platform.fetch(GROUP, { headers: { 'x-request-id': id } })).status).toBe(500);
    const lines = () => platform.gateway.log.filter(({ requestId }) => requestId === id);
    await waitFor(() => lines().length > 0, { what: 'the line of the request' });
    expect(lines()).toMatchObject([{ level: 'info', status: 500, code: 'internal' }]);
  });

  it.each([
    [notFound('Client group'), 404, 'Client group not found', 'client_group_not_found'],
    [
      conflict('group_is_default', 'The default group cannot be archived'),
      409,
      'The default group cannot be archived',
      'group_is_default',
    ],
    [paymentRequired(), 402, 'Credit limit reached', 'payment_required'],
    [upstreamFailed(new Error('secret upstream address')), 502, 'Bad Gateway', 'upstream_failed'],
    [new Error('secret table name'), 500, 'Internal Server Error', 'internal'],
    [new DomainError({ kind: 'rate_limited', retryAfterSeconds: 7 }), 429, 'Too many requests', 'rate_limited'],
  ] as const)('becomes its status, its public text and its code: %s', async (error, status, detail, code) => {
    failWith(error);
    const response = await platform.fetch(GROUP);
    expect(response.status).toBe(status);
    expect(await response.json()).toEqual({ detail, code });
    expect(response.headers.get('x-error-code')).toBe(code);
    expect(response.headers.get('content-type')).toBe('application/json');
    expect(response.headers.get('x-request-id')).toMatch(/^[0-9a-f-]{36}$/);
    expect(response.headers.get('x-api-version')).toBe('0.13.96');
    if (status === 429) expect(response.headers.get('retry-after')).toBe('7');
  });

  it('keeps the broken rules of a 422', async () => {
    const violations = [{ type: 'value_error', loc: ['body', 'name'], msg: 'Already taken', input: 'Legal' }];
    failWith(new DomainError({ kind: 'invalid', violations }));
    const response = await platform.fetch(GROUP);
    expect(response.status).toBe(422);
    expect(await response.json()).toEqual({ detail: violations });
  });

  it('shows the value of a broken rule as it was sent, and not as the service has read it', async () => {
    const found = (field: string, input: unknown) => ({ type: 'value_error', loc: ['body', field], msg: 'No', input });
    const violations = [found('expires_at', '2025-12-31T23:00:00.000Z'), found('name', 'Legal'), found('other', null)];
    platform.identity.on('ApiKeyService/CreateApiKey', () =>
      Promise.reject(new DomainError({ kind: 'invalid', code: 'validation_failed', violations })),
    );
    const response = await platform.fetch('/api-keys/', {
      ...{ method: 'POST', headers: { 'content-type': 'application/json' } },
      body: JSON.stringify({ name: 'Legal', scopes: ['*:read'], expires_at: '2026-01-01 00:00:00+01:00' }),
    });
    expect([response.status, await response.json()]).toEqual([
      422,
      { detail: [found('expires_at', '2026-01-01 00:00:00+01:00'), ...violations.slice(1)] },
    ]);
    expect(response.headers.get('x-error-code')).toBe('validation_failed');
  });

  it('is 500 when its answer is too large to be passed on: the client did nothing wrong', async () => {
    platform.identity.on('ClientGroupService/GetClientGroup', () => ({ description: 'x'.repeat(33 * 1024 * 1024) }));
    const headers = { authorization: `Bearer ${await platform.issuer.token()}` };
    // So many bytes may take longer than other answers here.
    const response = await fetch(patient.url + GROUP, { headers });
    expect([response.status, await response.json()]).toEqual([
      500,
      { detail: 'Internal Server Error', code: 'internal' },
    ]);
    expect(response.headers.get('x-error-code')).toBe('internal');
  });

  it.each<[string, (respond: sendUnaryData<Buffer>) => void]>([
    ['that this side does not take', (respond) => respond(null, Buffer.alloc(34_603_012))],
    [
      'that the other side does not send',
      (respond) => respond({ code: status.RESOURCE_EXHAUSTED, details: 'Sent message larger than max (34603012)' }),
    ],
  ])('is 500, logged with its operation and its size, when it has a size %s', async (_what, answer) => {
    foreign.answers(answer);
    const requestId = randomUUID();
    const headers = { authorization: `Bearer ${await platform.issuer.token()}`, 'x-request-id': requestId };
    const response = await fetch(`${patient.url}/notebooks/services/running`, { headers });
    expect([response.status, await response.json()]).toEqual([
      500,
      { detail: 'Internal Server Error', code: 'internal' },
    ]);
    const line = await waitFor(() =>
      patient.log.find((each) => each['requestId'] === requestId && String(each['cause']).includes('34603012')),
    );
    expect(line).toMatchObject({ level: 'error', route: '/notebooks/services/running', code: 'internal' });
  });

  it('is a problem document with the same facts for who asks for one', async () => {
    failWith(notFound('Client group'));
    const response = await platform.fetch(GROUP, {
      headers: { accept: 'application/problem+json', 'x-request-id': CHOSEN },
    });
    expect(response.status).toBe(404);
    expect(response.headers.get('content-type')).toBe('application/problem+json');
    expect(response.headers.get('x-request-id')).toBe(CHOSEN);
    expect(await response.json()).toEqual({
      type: 'urn:platform:error:client_group_not_found',
      title: 'Not Found',
      status: 404,
      detail: 'Client group not found',
      code: 'client_group_not_found',
      request_id: CHOSEN,
    });
  });

  it('is 504 when no answer comes before the deadline, and the service is told to stop', async () => {
    const stopped = Promise.withResolvers<undefined>();
    platform.identity.on('ClientGroupService/GetClientGroup', (_request, { signal }) => {
      signal.addEventListener('abort', () => stopped.resolve(undefined));
      return new Promise(() => undefined);
    });
    const response = await platform.fetch(GROUP);
    expect(response.status).toBe(504);
    expect(await response.json()).toEqual({ detail: 'Gateway Timeout', code: 'deadline_exceeded' });
    await stopped.promise;
  });

  it('is waited for as long as the contract says of an operation, where that is longer', async () => {
    let deadline: Date | undefined;
    const getReportPdf: StandInHandler = (_request, context) => {
      deadline = context.deadline;
      return { content: Buffer.from('%PDF-') };
    };
    contentHandlers.set('ReportService/GetReportPdf', getReportPdf);
    const hasty = await startGatewayHere({ ...platform.env, CONTENT_ADDRESS: content.address });
    try {
      const headers = { authorization: `Bearer ${await platform.issuer.token()}` };
      const asked = Date.now();
      const response = await fetch(`${hasty.url}/reports/0199c0de-0000-7000-8000-000000000001/pdf/`, { headers });
      expect([response.status, await response.text()]).toEqual([200, '%PDF-']);
      expect(deadline?.getTime()).toBeGreaterThanOrEqual(asked + 20_000);
    } finally {
      await hasty.stop();
    }
  });
});

describe('a client that goes away', () => {
  it('cancels the call that was made for it', async () => {
    const started = Promise.withResolvers<undefined>();
    const timeLeftMs = Promise.withResolvers<number>();
    platform.identity.on('ClientGroupService/GetClientGroup', (_request, { signal, deadline }) => {
      started.resolve(undefined);
      signal.addEventListener('abort', () => timeLeftMs.resolve((deadline?.getTime() ?? 0) - Date.now()));
      return new Promise(() => undefined);
    });
    const leaving = new AbortController();
    const headers = { authorization: `Bearer ${await platform.issuer.token()}` };
    const asked = fetch(patient.url + GROUP, { signal: leaving.signal, headers });
    asked.catch(() => undefined);
    await started.promise;
    leaving.abort();
    expect(await timeLeftMs.promise).toBeGreaterThan(0);
  });
});

describe('an error of the interface for clients of OpenAI', () => {
  const error = (message: unknown, code: string, param: string | null = null) => ({
    error: { message, type: 'invalid_request_error', param, code },
  });
  const post = (body: string, type = 'application/json') => ({
    ...{ method: 'POST', body },
    headers: { 'content-type': type },
  });
  const chat = '/v1/chat/completions';
  it.each<[string, RequestInit, number, unknown]>([
    ['/v1/nothing', {}, 404, error('Not Found', 'not_found')],
    ['/v1', {}, 404, error('Not Found', 'not_found')],
    ['/v1/models/one/two', post('{}'), 404, error('Not Found', 'not_found')],
    [chat, { method: 'DELETE' }, 405, error('Method Not Allowed', 'method_not_allowed')],
    ['/v1/models/one', post('{}'), 405, error('Method Not Allowed', 'method_not_allowed')],
    [chat, post('{"model": '), 400, error(expect.stringContaining('JSON'), 'invalid_value')],
    [chat, post('model=x', 'text/plain'), 400, error(expect.any(String), 'invalid_value')],
    ['/v1/embeddings', post('no JSON'), 400, error(expect.stringContaining('JSON'), 'invalid_value')],
    ['/v1/files', post('no form'), 400, error(expect.any(String), 'missing_required_parameter', 'file')],
  ])('is in their form, also where no operation is reached: %s %j', async (path, init, status, body) => {
    const response = await platform.fetch(path, init);
    expect([response.status, await response.json()]).toEqual([status, body]);
    expect(response.headers.get('content-type')).toBe('application/json');
  });

  it('is so of no other path', async () => {
    for (const path of ['/v1nothing', '/v2/models', '/nothing'])
      expect(await (await platform.fetch(path)).json()).toEqual({ detail: 'Not Found' });
  });
});

describe('a request id', () => {
  it('travels to the service and back', async () => {
    let seen: string | undefined;
    platform.identity.on('ClientGroupService/GetClientGroup', (_request, context) => {
      seen = context.requestId;
      return {};
    });
    const response = await platform.fetch(GROUP, { headers: { 'x-request-id': CHOSEN } });
    expect(response.headers.get('x-request-id')).toBe(CHOSEN);
    expect(seen).toBe(CHOSEN);
  });

  it('that could break a log line, or be a credential, is replaced', async () => {
    for (const bad of ['a b', '"', 'x'.repeat(129), '{}', newApiKey(), await platform.issuer.token()]) {
      const response = await platform.fetch('/nope', { headers: { 'x-request-id': bad } });
      expect(response.headers.get('x-request-id')).toMatch(/^[0-9a-f-]{36}$/);
    }
  });
});

describe('a service that is down', () => {
  it('gives 503 with Retry-After before the deadline, and works again without a restart of the gateway', async () => {
    platform.identity.on('ClientGroupService/GetClientGroup', () => ({ id: 'x' }));
    expect((await platform.fetch(GROUP)).status).toBe(200);

    await platform.identity.stop();
    for (let round = 0; round < 5; round++) {
      const response = await platform.fetch(GROUP);
      expect(response.status).toBe(503);
      expect(await response.json()).toEqual({ detail: 'Service Unavailable', code: 'unavailable' });
      expect(Number(response.headers.get('retry-after'))).toBeGreaterThan(0);
    }
    expect((await fetch(`${platform.gateway.url}/readyz`)).status).toBe(503);
    expect((await fetch(`${platform.gateway.url}/healthz`)).status).toBe(200);

    const identity = await platform.restartIdentity();
    identity.on('ClientGroupService/GetClientGroup', () => ({ id: 'x' }));
    await waitFor(async () => (await platform.fetch(GROUP)).status === 200, { what: 'identity to be found again' });
    expect((await fetch(`${platform.gateway.url}/readyz`)).status).toBe(200);
  });

  it('names clocks that differ where identity has another time, and readiness does so too', async () => {
    await platform.identity.stop();
    let aheadMs = 3_600_000;
    const clock = { now: () => new Date(Date.now() + aheadMs) };
    const identity = await platform.restartIdentity({ clock });
    identity.on('ClientGroupService/GetClientGroup', () => ({ id: 'x' }));
    const told = await waitFor(async () => {
      const response = await platform.fetch(GROUP);
      const body: unknown = await response.json();
      return JSON.stringify(body).includes('clock')
        ? { status: response.status, headers: response.headers, body }
        : null;
    });
    expect([told.status, told.headers.get('retry-after')]).toEqual([503, '10']);
    expect(told.body).toEqual({
      detail: 'The clock of gateway and that of the service that it calls are more than 60 seconds apart',
      code: expect.stringMatching(/clock/),
    });
    const readiness = () => fetch(`${platform.gateway.url}/readyz`);
    expect(await (await readiness()).json()).toEqual({ status: 'clocks_differ' });
    aheadMs = 50_000;
    expect(await (await readiness()).json()).toEqual({ status: 'ready' });
    expect((await platform.fetch(GROUP)).status).toBe(200);
  });

  it('is 503 for an operation whose service has no address, once its input is valid', async () => {
    const id = '0199c0de-0000-7000-8000-000000000001';
    const response = await platform.fetch(`/documents/${id}/`);
    expect(response.status).toBe(503);
    expect(response.headers.get('retry-after')).toBe('1');
    expect((await platform.fetch('/documents/not-a-uuid/')).status).toBe(422);
  });
});

describe('a rejected promise that nobody handles', () => {
  it('is logged, and the gateway goes on serving', async () => {
    const defect = `--import=data:text/javascript,${encodeURIComponent(REJECTS_ON_SIGNAL)}`;
    const gateway = await startGatewayProcess({ ...platform.env, NODE_OPTIONS: defect });
    try {
      gateway.kill('SIGUSR2');
      const said = await waitFor(() => gateway.log.find(({ msg }) => String(msg).includes('not handled')));
      expect(said).toMatchObject({ level: 'error', err: { message: 'stray' } });
      expect((await fetch(`${gateway.url}/healthz`)).status).toBe(200);
      expect(gateway.running).toBe(true);
    } finally {
      await gateway.stop();
    }
  });
});
