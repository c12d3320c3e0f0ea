import { status, type ServiceError } from '@grpc/grpc-js';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { callerAssertions, generateServiceKeys } from '@platform-backend/auth';
import {
  conflict,
  DomainError,
  fixedClock,
  invalid,
  newId,
  inRequest,
  notFound,
  rateLimited,
  unavailable,
} from '@platform-backend/core';
import { createMetrics } from '@platform-backend/core/metrics';
import { countCalls, type CallContext, type ObservedCall } from '@platform-backend/grpc';
import {
  ada,
  asAda,
  assertionHeader,
  assertionsOf,
  contract,
  keys,
  rawCall,
  recordedLog,
  thingClient,
  thingServer,
} from './thing-server.ts';

/** Ends every server and client that a test opened, newest first. */
const opened: (() => void | Promise<void>)[] = [];
async function serve(...settings: Parameters<typeof thingServer>) {
  const server = await thingServer(...settings);
  opened.push(() => server.drain());
  return server;
}
function connect(...settings: Parameters<typeof thingClient>) {
  const client = thingClient(...settings);
  opened.push(() => client.close());
  return client;
}
afterAll(async () => {
  for (const close of opened.reverse()) await close();
});

const [REQUEST_1, REQUEST_2, REQUEST_3] = [newId(), newId(), newId()];

const failing = (error: Error) => ({ getThing: () => Promise.reject(error) });

describe('a call between services', () => {
  it('brings the request to the handler and its answer back', async () => {
    const server = await serve({
      getThing: ({ id }, { caller }) =>
        Promise.resolve({ id, owner: caller.userId ?? '', shape: { name: 'square', corners: 4 } }),
    });
    const thing = await connect(server.address).getThing({ id: 't1' }, asAda);
    expect(thing).toMatchObject({ id: 't1', owner: 'user_1', shape: { name: 'square', corners: 4 } });
  });

  it('gives the handler the verified caller, the organisation, the request id, a deadline and a logger', async () => {
    let seen: CallContext | undefined;
    let seenAt = 0;
    const server = await serve({
      getThing: (request, context) => {
        seen = context;
        seenAt = Date.now();
        context.logger.info('inside');
        return Promise.resolve(request);
      },
    });
    const before = Date.now();
    await connect(server.address).getThing({ id: 't1' }, { ...asAda, requestId: REQUEST_1, timeoutMs: 5_000 });
    expect(seen?.caller).toEqual(ada);
    expect(seen?.organisationId()).toBe('org_1');
    expect(seen?.requestId).toBe(REQUEST_1);
    const deadlineMs = seen?.deadline?.getTime() ?? 0;
    expect(deadlineMs).toBeGreaterThan(before + 4_500);
    expect(deadlineMs).toBeLessThanOrEqual(seenAt + 5_000);
    expect(server.log.lines).toContainEqual(expect.objectContaining({ msg: 'inside', requestId: REQUEST_1 }));
  });

  it.each([['a b"c'], ['pk_live'], ['eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.c2ln']])(
    'replaces a request id that is none, for it would land in every log: %s',
    async (id) => {
      const server = await serve({ getThing: (_, { requestId }) => Promise.resolve({ id: requestId }) });
      const headers = { ...(await assertionHeader(ada)), 'request-id': id };
      const thing = await rawCall(server.address, 'getThing', headers);
      expect(thing).toMatchObject({ id: expect.stringMatching(/^[0-9a-f-]{36}$/) });
    },
  );

  it('is logged in one line with names and ids, and nothing of its content', async () => {
    const server = await serve({
      getThing: (request) => Promise.resolve({ ...request, owner: 'confidential-answer' }),
    });
    await connect(server.address).getThing({ id: 'confidential-request' }, { ...asAda, requestId: REQUEST_2 });
    expect(server.log.lines).toEqual([
      expect.objectContaining({
        level: 'info',
        method: '/kit.things.v1.ThingService/GetThing',
        status: 'OK',
        ms: expect.any(Number),
        requestId: REQUEST_2,
        caller: { service: 'gateway', kind: 'user', organisationId: 'org_1', userId: 'user_1' },
      }),
    ]);
    expect(server.log.text()).not.toContain('confidential');
    expect(server.log.text()).not.toContain('eyJ');
  });

  it('has its line in the access log, unless an error came with it, which may say anything', async () => {
    const accessLog = recordedLog();
    const server = await serve(failing(notFound('Thing')), { accessLog: accessLog.logger });
    await rawCall(server.address, 'getThing', await assertionHeader(ada));
    expect(accessLog.lines).toEqual([expect.objectContaining({ msg: 'call', status: 'NOT_FOUND' })]);
    expect(server.log.lines).toEqual([]);

    const broken = await serve(failing(new Error('unforeseen')), { accessLog: accessLog.logger });
    await rawCall(broken.address, 'getThing', await assertionHeader(ada));
    expect(accessLog.lines).toHaveLength(1);
    expect(broken.log.lines).toEqual([expect.objectContaining({ msg: 'call', status: 'INTERNAL' })]);
  });

  it('is reported to the observers of both sides', async () => {
    const calls: (ObservedCall & { side: string })[] = [];
    const server = await serve(failing(notFound('Thing')), {
      onCall: (call) => calls.push({ ...call, side: 'server' }),
    });
    const client = connect(server.address, { onCall: (call) => calls.push({ ...call, side: 'client' }) });
    await expect(client.getThing({ id: 't1' }, asAda)).rejects.toThrow('Thing not found');
    const call = {
      method: '/kit.things.v1.ThingService/GetThing',
      code: status.NOT_FOUND,
      durationMs: expect.any(Number),
    };
    expect(calls).toEqual([
      { ...call, side: 'server' },
      { ...call, side: 'client' },
    ]);
  });

  it('is counted in the metrics of the server, by method and status', async () => {
    const metrics = createMetrics();
    const page = await metrics.serve('127.0.0.1:0');
    const server = await serve(failing(notFound('Thing')), { onCall: countCalls(metrics) });
    const client = connect(server.address);
    for (let call = 0; call < 2; call += 1)
      await expect(client.getThing({ id: 't1' }, asAda)).rejects.toThrow('Thing not found');
    const shown = await (await fetch(`http://${page.address}/metrics`)).text();
    await page.close();
    expect(shown.split('\n')).toContain(
      'grpc_server_handled_total{method="/kit.things.v1.ThingService/GetThing",status="NOT_FOUND"} 2',
    );
  });

  it('carries a message of 25 MiB', async () => {
    const server = await serve({
      getThing: ({ id }) => Promise.resolve({ id, content: Buffer.alloc(Number(id) * 1024 * 1024) }),
    });
    const client = connect(server.address);
    const large = await client.getThing({ id: '25' }, asAda);
    expect(large.content?.length).toBe(25 * 1024 * 1024);
  });

  it.each([
    ['an answer', { id: '33' }],
    ['a request', { id: 'x'.repeat(33 * 1024 * 1024) }],
  ])('calls %s above the limit a defect of ours, for nobody outside can mend it', async (_what, request) => {
    const server = await serve({
      getThing: ({ id }) => Promise.resolve({ id, content: Buffer.alloc(Number(id) * 1024 * 1024) }),
    });
    await expect(connect(server.address).getThing(request, asAda)).rejects.toMatchObject({
      kind: 'internal',
      message: 'Internal Server Error',
    });
  });

  it('logs an answer above the limit with its operation and its size', async () => {
    const server = await serve({
      getThing: () => Promise.resolve({ id: '', content: Buffer.alloc(33 * 1024 * 1024) }),
    });
    await rawCall(server.address, 'getThing', await assertionHeader(ada));
    expect(server.log.lines).toEqual([
      expect.objectContaining({
        level: 'error',
        method: '/kit.things.v1.ThingService/GetThing',
        status: 'INTERNAL',
        err: expect.objectContaining({ message: expect.stringMatching(/34603\d{3} bytes/) }),
      }),
    ]);
  });
});

describe('the request of a call', () => {
  it('reaches the handler as the check leaves it', async () => {
    const server = await serve({ getThing: (request) => Promise.resolve(request) });
    expect(await connect(server.address).getThing({ id: 'default' }, asAda)).toMatchObject({ id: 'given' });
  });

  it('that breaks a rule is refused with what is wrong, and never reaches the handler', async () => {
    const server = await serve();
    await expect(connect(server.address).getThing({ id: 'wrong' }, asAda)).rejects.toMatchObject({
      kind: 'invalid',
      code: 'validation_failed',
      violations: [{ type: 'wrong_id', loc: ['path', 'id'], msg: 'Wrong', input: 'wrong' }],
    });
    expect(server.log.lines).toEqual([expect.objectContaining({ level: 'info', status: 'INVALID_ARGUMENT' })]);
  });

  it('is of no interest when the caller may not call', async () => {
    const server = await serve();
    const viewer = { ...ada, level: 'VIEWER' as const };
    await expect(connect(server.address).getThing({ id: 'wrong' }, { caller: viewer })).rejects.toMatchObject({
      kind: 'forbidden',
    });
  });
});

describe('an error of a handler', () => {
  const refuse = (): never => {
    throw new TypeError('nobody may look');
  };
  const violation = { type: 'missing', loc: ['body', 'name', 0], msg: 'Field required', input: null };
  it.each([
    ['not found', notFound('Thing'), { kind: 'not_found', code: 'thing_not_found', message: 'Thing not found' }],
    [
      'conflict',
      conflict('name_taken', 'Such a name – “Ünï” – exists'),
      { kind: 'conflict', code: 'name_taken', message: 'Such a name – “Ünï” – exists' },
    ],
    ['invalid', invalid([violation]), { kind: 'invalid', violations: [violation] }],
    ['rate limited', rateLimited(7), { kind: 'rate_limited', retryAfterSeconds: 7, message: 'Too many requests' }],
    [
      'payment required',
      new DomainError({ kind: 'payment_required' }),
      { kind: 'payment_required', message: 'Credit limit reached' },
    ],
    ['unsupported media', new DomainError({ kind: 'unsupported_media' }), { kind: 'unsupported_media' }],
    ['upstream failed', new DomainError({ kind: 'upstream_failed' }), { kind: 'upstream_failed' }],
    [
      'unavailable',
      unavailable(new Error('db.internal:5432 is down'), 3),
      { kind: 'unavailable', retryAfterSeconds: 3, message: 'Service Unavailable' },
    ],
  ])('arrives as it was thrown: %s', async (_, thrown, expected) => {
    const server = await serve(failing(thrown));
    await expect(connect(server.address).getThing({ id: 't1' }, asAda)).rejects.toMatchObject(expected);
  });

  it('keeps the first violations when all of them would not fit into the trailers', async () => {
    const violations = Array.from({ length: 500 }, (_, index) => ({
      ...violation,
      loc: ['body', index],
      input: 'x'.repeat(100),
    }));
    const server = await serve(failing(invalid(violations)));
    const error = await connect(server.address)
      .getThing({ id: 't1' }, asAda)
      .catch((caught: unknown) => caught as DomainError);
    const arrived = (error as DomainError).violations ?? [];
    expect(arrived.length).toBeGreaterThan(20);
    expect(arrived[0]).toEqual(violations[0]);
  });

  it('is hidden from the caller and logged once when nobody expected it', async () => {
    const server = await serve(failing(new Error('column "secret_column" does not exist')));
    const raw = (await rawCall(server.address, 'getThing', await assertionHeader(ada))) as ServiceError;
    expect(raw).toMatchObject({ code: status.INTERNAL, details: 'Internal Server Error' });
    expect(JSON.stringify(raw.metadata.getMap())).not.toContain('secret_column');
    expect(server.log.lines).toEqual([
      expect.objectContaining({
        level: 'error',
        status: 'INTERNAL',
        err: expect.objectContaining({
          message: 'column "secret_column" does not exist',
          stack: expect.any(String),
        }),
      }),
    ]);
  });

  it('is no defect where the disk is full, and the path stays inside', async () => {
    const full = Object.assign(new Error("ENOSPC: no space left on device, write '/files/x'"), { code: 'ENOSPC' });
    const server = await serve(failing(full));
    await expect(connect(server.address).getThing({ id: 't1' }, asAda)).rejects.toMatchObject({
      kind: 'unavailable',
      code: 'storage_full',
      message: 'There is no room to store anything at the moment; try again later',
    });
    expect(server.log.lines).toEqual([expect.objectContaining({ level: 'warn', status: 'UNAVAILABLE' })]);
  });

  it.each([
    ['nothing', () => undefined],
    ['a symbol', () => Symbol('no')],
    ['a proxy that refuses', () => new Proxy({}, { get: refuse, getPrototypeOf: refuse })],
    ['an error with bytes', () => Object.assign(new Error('no'), { payload: Buffer.from('{}'), header: 'x' })],
    ['an error that cannot be read', () => Object.defineProperty(new Error('no'), 'message', { get: refuse })],
    ['violations that cannot travel', () => invalid([{ ...violation, input: 1n }])],
    ['a text that cannot travel', () => conflict('no', '\u0000\ud800\n')],
    ['a code that cannot travel', () => conflict('no\n\u0000é', 'no')],
  ])('never ends the process, whatever is thrown: %s', async (_, thrown) => {
    const server = await serve({
      getThing: () => {
        throw thrown() as Error;
      },
    });
    const client = connect(server.address);
    await expect(client.getThing({ id: 't1' }, asAda)).rejects.toMatchObject({ name: 'DomainError' });
    await expect(client.getThing({ id: 't1' }, asAda)).rejects.toMatchObject({ name: 'DomainError' });
    expect(server.log.lines).toHaveLength(2);
  });

  it('hides an answer that cannot be written', async () => {
    const server = await serve({ getThing: () => Promise.resolve({ id: 't1', shape: 'round' as never }) });
    await expect(connect(server.address).getThing({ id: 't1' }, asAda)).rejects.toMatchObject({
      kind: 'internal',
      message: 'Internal Server Error',
    });
  });
});

describe('the caller of a call', () => {
  let address: string;
  beforeAll(async () => {
    const answer = (request: { id: string }) => Promise.resolve({ id: request.id || 'answered' });
    ({ address } = await serve({
      getThing: answer,
      showThing: answer,
      offerThing: answer,
      countThings: () => Promise.resolve({ count: 1 }),
    }));
  });
  const codeOf = async (...call: Parameters<typeof rawCall>) => {
    const result = await rawCall(...call);
    return 'code' in result ? status[result.code] : 'OK';
  };

  it('is unauthenticated without an assertion', async () => {
    expect(await codeOf(address, 'getThing', {})).toBe('UNAUTHENTICATED');
    expect(await codeOf(address, 'showThing', {})).toBe('UNAUTHENTICATED');
    expect(await codeOf(address, 'getThing', { 'caller-assertion': 'not-a-token' })).toBe('UNAUTHENTICATED');
  });

  it('is unauthenticated with a forged or foreign assertion', async () => {
    const stranger = await generateServiceKeys(['gateway', 'intruder']);
    const forged = await callerAssertions({ service: 'gateway', privateKey: stranger.privateKeys.gateway }).issue(ada);
    const unknown = await callerAssertions({ service: 'intruder', privateKey: stranger.privateKeys.intruder }).issue(
      ada,
    );
    for (const assertion of [forged, unknown]) {
      expect(await codeOf(address, 'getThing', { 'caller-assertion': assertion })).toBe('UNAUTHENTICATED');
    }
  });

  it('is unavailable, and hears why, when its clock and ours differ', async () => {
    const clock = fixedClock(new Date(Date.now() - 600_000));
    const assertions = callerAssertions({ service: 'gateway', privateKey: keys.privateKeys.gateway, clock });
    await expect(connect(address, { assertions }).getThing({ id: 't1' }, asAda)).rejects.toMatchObject({
      kind: 'unavailable',
      code: 'clocks_differ',
      retryAfterSeconds: 10,
    });
  });

  it('may come through the gateway to every operation with an HTTP binding, and to no other', async () => {
    expect(await codeOf(address, 'getThing', await assertionHeader(ada))).toBe('OK');
    expect(await codeOf(address, 'countThings', await assertionHeader(ada))).toBe('PERMISSION_DENIED');
  });

  it('may come through another service only where the operation names it', async () => {
    const asBilling = { kind: 'service', service: 'billing', scopes: [] } as const;
    expect(await codeOf(address, 'countThings', await assertionHeader(asBilling, 'billing'))).toBe('OK');
    expect(await codeOf(address, 'getThing', await assertionHeader(ada, 'billing'))).toBe('OK');
    expect(await codeOf(address, 'countThings', await assertionHeader(asBilling, 'content'))).toBe('PERMISSION_DENIED');
    expect(await codeOf(address, 'getThing', await assertionHeader(ada, 'content'))).toBe('PERMISSION_DENIED');
    expect(await codeOf(address, 'showThing', await assertionHeader(ada, 'billing'))).toBe('PERMISSION_DENIED');
  });

  it('needs the level that the operation asks for', async () => {
    expect(await codeOf(address, 'getThing', await assertionHeader({ ...ada, level: 'VIEWER' }))).toBe(
      'PERMISSION_DENIED',
    );
    expect(await codeOf(address, 'getThing', await assertionHeader({ ...ada, level: 'OWNER' }))).toBe('OK');
  });

  it('is told "No organisation" where one is needed', async () => {
    const { organisationId: _, level: __, ...homeless } = ada;
    expect(await rawCall(address, 'getThing', await assertionHeader(homeless))).toMatchObject({
      code: status.PERMISSION_DENIED,
      details: expect.stringMatching(/^No organisation: create one .* or join one that has invited you/),
    });
    expect(await codeOf(address, 'showThing', await assertionHeader(homeless))).toBe('OK');
  });

  it('is told to name an organisation when there are several to act in', async () => {
    const { organisationId: _, level: __, ...homeless } = ada;
    const undecided = await assertionHeader({ ...homeless, organisationRequired: true });
    expect(await rawCall(address, 'getThing', undecided)).toMatchObject({
      code: status.PERMISSION_DENIED,
      details: 'Name an organisation in X-Organisation-Id',
    });
    expect(await codeOf(address, 'showThing', undecided)).toBe('OK');
  });

  it('may be nobody only where the operation says so', async () => {
    const nobody = { kind: 'anonymous', service: 'gateway', scopes: [] } as const;
    expect(await codeOf(address, 'showThing', await assertionHeader(nobody))).toBe('OK');
    expect(await codeOf(address, 'offerThing', await assertionHeader(nobody))).toBe('OK');
    expect(await rawCall(address, 'getThing', await assertionHeader(nobody))).toMatchObject({
      code: status.UNAUTHENTICATED,
      details: 'Not authenticated',
    });
  });

  it('is not blamed when our own assertion was refused', async () => {
    const stranger = await generateServiceKeys(['gateway']);
    const assertions = callerAssertions({ service: 'gateway', privateKey: stranger.privateKeys.gateway });
    await expect(connect(address, { assertions }).getThing({ id: 't1' }, asAda)).rejects.toMatchObject({
      kind: 'internal',
    });
  });

  it('is the service itself when nobody else is named', async () => {
    const client = connect(address, { assertions: assertionsOf('billing') });
    expect(await client.countThings({})).toEqual({ count: 1 });
  });
});

describe('a call inside a call', () => {
  it('hands on caller, request id and what is left of the deadline', async () => {
    let inner: CallContext | undefined;
    let seenAt = 0;
    const back = await serve({
      getThing: (request, context) => {
        inner = context;
        seenAt = Date.now();
        return Promise.resolve(request);
      },
    });
    const backClient = connect(back.address, { assertions: assertionsOf('billing') });
    const front = await serve({ getThing: (request, context) => backClient.getThing(request, { context }) });
    await connect(front.address).getThing({ id: 't1' }, { ...asAda, requestId: REQUEST_3, timeoutMs: 3_000 });
    expect(inner?.caller).toEqual({ ...ada, service: 'billing' });
    expect(inner?.requestId).toBe(REQUEST_3);
    expect(inner?.deadline?.getTime()).toBeLessThanOrEqual(seenAt + 3_000);
  });

  it('goes on with the request id of what it comes of, whoever does not hand it on', async () => {
    let inner: CallContext | undefined;
    const back = await serve({
      getThing: (request, context) => {
        inner = context;
        return Promise.resolve(request);
      },
    });
    const backClient = connect(back.address, { assertions: assertionsOf('billing') });
    const front = await serve({ getThing: (request) => backClient.getThing(request, { caller: ada }) });
    await connect(front.address).getThing({ id: 't1' }, { ...asAda, requestId: REQUEST_3 });
    expect(inner?.requestId).toBe(REQUEST_3);
    await inRequest(REQUEST_1, () => connect(back.address).getThing({ id: 't1' }, asAda));
    expect(inner?.requestId).toBe(REQUEST_1);
  });

  it.each([
    [new Error('column "secret_column" does not exist'), 'error', 'INTERNAL'],
    [unavailable(new Error('the disk is away')), 'warn', 'UNAVAILABLE'],
  ])('that fails is logged once, where it fails: %s', async (failure, level, code) => {
    const back = await serve({ getThing: () => Promise.reject(failure) });
    const backClient = connect(back.address, { assertions: assertionsOf('billing') });
    const front = await serve({ getThing: (request, context) => backClient.getThing(request, { context }) });
    const call = connect(front.address).getThing({ id: 't1' }, { ...asAda, requestId: REQUEST_3 });
    await expect(call).rejects.toMatchObject({ kind: code.toLowerCase() });
    expect(back.log.lines).toEqual([
      expect.objectContaining({ level, status: code, requestId: REQUEST_3, err: expect.anything() }),
    ]);
    expect(front.log.lines).toEqual([expect.objectContaining({ level: 'info', status: code, requestId: REQUEST_3 })]);
    expect(front.log.text()).not.toContain('"err"');
  });

  it('that fails is logged where it was made, where the other service has answered something that it does not log', async () => {
    const stranger = await generateServiceKeys(['billing']);
    const back = await serve({ getThing: () => Promise.reject(notFound('Thing')) });
    const refused = connect(back.address, {
      assertions: callerAssertions({ service: 'billing', privateKey: stranger.privateKeys.billing }),
    });
    const allowed = connect(back.address, { assertions: assertionsOf('billing') });
    const front = await serve({
      // Our keys do not fit.
      getThing: (request, context) => refused.getThing(request, { context }),
      showThing: (request, context) =>
        allowed.getThing(request, { context }).catch((cause: unknown) => {
          throw new DomainError({ kind: 'upstream_failed', cause });
        }),
    });
    await expect(connect(front.address).getThing({ id: 't1' }, asAda)).rejects.toMatchObject({ kind: 'internal' });
    await expect(connect(front.address).showThing({ id: 't1' }, asAda)).rejects.toMatchObject({
      kind: 'upstream_failed',
    });
    expect(front.log.lines).toEqual([
      expect.objectContaining({ level: 'error', status: 'INTERNAL', err: expect.anything() }),
      expect.objectContaining({ level: 'warn', status: 'UNKNOWN', err: expect.anything() }),
    ]);
  });

  it('made on the own authority of a service is for the organisation that it names', async () => {
    let inner: CallContext | undefined;
    const back = await serve({
      countThings: (_, context) => {
        inner = context;
        return Promise.resolve({ count: 2 });
      },
    });
    const backClient = connect(back.address, { assertions: assertionsOf('billing') });
    const front = await serve({
      getThing: async (request, context) => {
        const { count } = await backClient.countThings({}, { context, caller: { organisationId: 'org_2' } });
        return { ...request, owner: String(count) };
      },
    });
    expect(await connect(front.address).getThing({ id: 't1' }, asAda)).toMatchObject({ owner: '2' });
    expect(inner?.caller).toEqual({ kind: 'service', service: 'billing', organisationId: 'org_2', scopes: [] });
  });

  it('is not even tried when no time is left', async () => {
    const client = connect('127.0.0.1:1');
    const context = { caller: ada, requestId: 'r', deadline: new Date(Date.now() + 10) } as CallContext;
    await expect(client.getThing({ id: 't1' }, { context })).rejects.toMatchObject({ kind: 'deadline_exceeded' });
  });
});

describe('the time a call may take', () => {
  /** A handler that ends only when its signal says so. */
  const waiting = () => {
    const state = { aborted: undefined as unknown };
    const started = Promise.withResolvers<undefined>();
    const ended = Promise.withResolvers<undefined>();
    const getThing = (request: { id: string }, { signal }: CallContext) => {
      started.resolve(undefined);
      return new Promise<{ id: string }>((_, reject) => {
        signal.addEventListener('abort', () => {
          state.aborted = signal.reason;
          ended.resolve(undefined);
          reject(new Error(`interrupted ${request.id}`));
        });
      });
    };
    return { getThing, state, started: started.promise, ended: ended.promise };
  };

  it('ends at the deadline for the caller and for the handler', async () => {
    const handler = waiting();
    const server = await serve({ getThing: handler.getThing });
    const call = connect(server.address).getThing({ id: 't1' }, { ...asAda, timeoutMs: 150 });
    await expect(call).rejects.toMatchObject({ kind: 'deadline_exceeded', message: 'Gateway Timeout' });
    await handler.ended;
    expect(handler.state.aborted).toBeInstanceOf(DomainError);
  });

  it('ends when the caller hangs up, and that is no error of ours', async () => {
    const handler = waiting();
    const server = await serve({ getThing: handler.getThing });
    const hangUp = new AbortController();
    const call = connect(server.address).getThing({ id: 't1' }, { ...asAda, signal: hangUp.signal });
    const outcome = expect(call).rejects.toMatchObject({ name: 'DomainError' });
    await handler.started;
    hangUp.abort();
    await outcome;
    await handler.ended;
    await new Promise(setImmediate);
    expect(server.log.lines).toEqual([expect.objectContaining({ level: 'info', status: 'CANCELLED' })]);
  });

  it('does not abort what the handler started when the call ends well', async () => {
    let signal: AbortSignal | undefined;
    const server = await serve({
      getThing: (request, context) => {
        signal = context.signal;
        return Promise.resolve(request);
      },
    });
    await connect(server.address).getThing({ id: 't1' }, asAda);
    await server.drain();
    expect(signal?.aborted).toBe(false);
  });

  it('is over before it began when the caller had already hung up', async () => {
    const server = await serve();
    const call = connect(server.address).getThing({ id: 't1' }, { ...asAda, signal: AbortSignal.abort() });
    await expect(call).rejects.toMatchObject({ kind: 'unavailable', code: 'cancelled' });
    expect(server.log.lines).toEqual([]);
  });
});

describe('starting a server', () => {
  it('refuses a handler that is missing or too many, and a service nobody knows', async () => {
    await expect(serve({ getThing: undefined as never })).rejects.toThrow(
      'kit.things.v1.ThingService has no handler "getThing".',
    );
    await expect(serve({ paintThing: () => undefined } as never)).rejects.toThrow(
      'no rpc for the handler "paintThing"',
    );
    await expect(serve({}, { services: [{ name: 'kit.Nothing', handlers: {} }] })).rejects.toThrow(
      'There is no service kit.Nothing.',
    );
  });

  it('refuses an operation without an access rule', async () => {
    await expect(serve({}, { contract: { ...contract, operations: [] } })).rejects.toThrow(
      'is not an operation of the contract',
    );
  });

  it('says in one sentence that a port is taken', async () => {
    const { address } = await serve();
    await expect(serve({}, { listen: address })).rejects.toThrow(`Cannot listen on ${address}`);
  });
});
