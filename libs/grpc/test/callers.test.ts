import { status } from '@grpc/grpc-js';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { callerAssertions, generateServiceKeys } from '@platform-backend/auth';
import { DomainError, fixedClock, newId, inRequest, notFound, unavailable } from '@platform-backend/core';
import type { CallContext } from '@platform-backend/grpc';
import { ada, asAda, assertionHeader, assertionsOf, keys, rawCall, openThings } from './thing-server.ts';

const { serve, connect, close } = openThings();
afterAll(close);

const [REQUEST_1, REQUEST_3] = [newId(), newId()];

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
