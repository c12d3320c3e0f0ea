import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import type { Exchange } from '../exchange/exchange.ts';
import { addressLimit } from './address-limit.ts';

const HOUR_MS = 3_600_000;

/** Requests of an address against one limit: their headers if they were refused, else undefined. */
function limited(perAddress: number, total: number) {
  const limit = addressLimit({ clientAddressOf: ({ headers }) => String(headers.from), perAddress, total });
  const ask = async (from: string) => {
    const headers: string[] = [];
    const exchange = { request: { headers: { from } }, headers } as unknown as Exchange;
    return limit.admit(exchange).then(
      () => undefined,
      (error: unknown) => ({ error, headers }),
    );
  };
  return Object.assign(ask, { countElsewhere: limit.countElsewhere });
}

beforeEach(() => {
  jest.useFakeTimers({ now: 0 });
});
afterEach(() => {
  jest.useRealTimers();
});

describe('the limit of an address', () => {
  it('lets as many requests pass within an hour and refuses the next, saying when to come back', async () => {
    const ask = limited(2, 10);
    expect(await ask('192.0.2.1')).toBeUndefined();
    expect(await ask('192.0.2.1')).toBeUndefined();
    jest.advanceTimersByTime(HOUR_MS / 2);
    expect(await ask('192.0.2.1')).toEqual({
      error: expect.objectContaining({ kind: 'rate_limited', code: 'address_limit_reached', retryAfterSeconds: 1800 }),
      headers: ['RateLimit', '"address";r=0;t=1800', 'RateLimit-Policy', '"address";q=2;w=3600'],
    });
    jest.advanceTimersByTime(HOUR_MS / 2);
    expect(await ask('192.0.2.1')).toBeUndefined();
  });

  it('is no longer by trying again meanwhile', async () => {
    const ask = limited(1, 10);
    await ask('192.0.2.1');
    for (let n = 0; n < 20; n += 1) await ask('192.0.2.1');
    jest.advanceTimersByTime(HOUR_MS);
    expect(await ask('192.0.2.1')).toBeUndefined();
  });

  it('is shared by all addresses of an IPv6 network, and by no other', async () => {
    const ask = limited(1, 10);
    expect(await ask('2001:db8:0:1::1')).toBeUndefined();
    expect(await ask('2001:db8:0:1::2')).toBeDefined();
    expect(await ask('2001:db8:0:2::1')).toBeUndefined();
  });
});

describe('the limit of all addresses together', () => {
  it('refuses further ones, in the same form', async () => {
    const ask = limited(2, 3);
    for (const address of ['192.0.2.1', '192.0.2.2', '192.0.2.3']) expect(await ask(address)).toBeUndefined();
    expect(await ask('192.0.2.4')).toMatchObject({
      error: { code: 'address_limit_reached', retryAfterSeconds: 3600 },
      headers: ['RateLimit', '"total";r=0;t=3600', 'RateLimit-Policy', '"total";q=3;w=3600'],
    });
    expect(await ask('192.0.2.1')).toBeDefined();
    jest.advanceTimersByTime(HOUR_MS);
    expect(await ask('192.0.2.4')).toBeUndefined();
  });

  it('is not used up by an address that is beyond its own', async () => {
    const ask = limited(1, 2);
    for (let n = 0; n < 20; n += 1) await ask('192.0.2.1');
    expect(await ask('192.0.2.2')).toBeUndefined();
  });

  it('holds for requests that come at the same time', async () => {
    const ask = limited(1, 5);
    const answers = await Promise.all(Array.from({ length: 50 }, (_, n) => ask(`192.0.2.${n}`)));
    expect(answers.filter((answer) => answer === undefined)).toHaveLength(5);
  });

  it('remembers no further addresses once it is used up', async () => {
    const ask = limited(1, 3);
    for (let n = 0; n < 200; n += 1) await ask(`192.0.2.${n}`);
    // One timer for each that is remembered, and one for all together.
    expect(jest.getTimerCount()).toBe(4);
  });

  it('counts what another gateway has let through, for the address and for all together', async () => {
    const ask = limited(2, 5);
    ask.countElsewhere('192.0.2.1', 2);
    expect(await ask('192.0.2.1')).toMatchObject({ headers: expect.arrayContaining(['"address";q=2;w=3600']) });
    for (const address of ['192.0.2.2', '192.0.2.3', '192.0.2.4']) expect(await ask(address)).toBeUndefined();
    expect(await ask('192.0.2.5')).toMatchObject({ headers: expect.arrayContaining(['"total";q=5;w=3600']) });
    ask.countElsewhere('192.0.2.6', 100);
    expect(jest.getTimerCount()).toBe(5);
  });
});
