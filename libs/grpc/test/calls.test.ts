import { status } from '@grpc/grpc-js';
import { afterAll, describe, expect, it } from '@jest/globals';
import { DomainError, newId, notFound } from '@platform-backend/core';
import { createMetrics } from '@platform-backend/core/metrics';
import { countCalls, type CallContext, type ObservedCall } from '@platform-backend/grpc';
import { ada, asAda, assertionHeader, contract, rawCall, recordedLog, openThings } from './thing-server.ts';

const { serve, connect, close } = openThings();
afterAll(close);

const [REQUEST_1, REQUEST_2] = [newId(), newId()];
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
