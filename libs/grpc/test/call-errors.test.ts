import { status, type ServiceError } from '@grpc/grpc-js';
import { afterAll, describe, expect, it } from '@jest/globals';
import { conflict, DomainError, invalid, notFound, rateLimited, unavailable } from '@platform-backend/core';
import { ada, asAda, assertionHeader, rawCall, openThings } from './thing-server.ts';

const { serve, connect, close } = openThings();
afterAll(close);

const failing = (error: Error) => ({ getThing: () => Promise.reject(error) });

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
