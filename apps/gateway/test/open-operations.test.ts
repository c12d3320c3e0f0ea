import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import type { Caller } from '@platform-backend/auth';
import type { GrpcServer } from '@platform-backend/grpc';
import { startGatewayHere, type Gateway } from './gateway-here.ts';
import { startPlatform, type PlatformUnderTest } from './platform-under-test.ts';
import { startStandInService } from './stand-in-service.ts';

const CREATE = 'billing.PaymentMethodService/CreateSetupIntent';
const path = '/payment-methods/create-setup-intent/';

let platform: PlatformUnderTest;
let billing: GrpcServer;
/** Who reached billing. */
let callers: Caller[] = [];
let gateway: Gateway | undefined;

beforeAll(async () => {
  platform = await startPlatform();
  billing = await startStandInService({
    publicKeys: platform.publicKeys,
    domain: 'billing',
    handlers: new Map([['PaymentMethodService/CreateSetupIntent', () => ({ clientSecret: 'a secret' })]]),
    called: ({ caller }) => {
      if (caller.kind !== 'service') callers.push(caller);
    },
  });
});
afterEach(async () => {
  await gateway?.stop();
  callers = [];
});
afterAll(async () => {
  await billing.drain();
  await platform.stop();
});

async function start(env: Readonly<Record<string, string>>): Promise<Gateway> {
  gateway = await startGatewayHere({ ...platform.env, BILLING_ADDRESS: billing.address, ...env });
  return gateway;
}

/** One request without a credential, unless `headers` have one. */
const post = (headers: Readonly<Record<string, string>> = {}): Promise<Response> =>
  fetch(`${gateway?.url}${path}`, { method: 'POST', headers });

async function statusesOf(requests: readonly Readonly<Record<string, string>>[]): Promise<number[]> {
  const statuses = [];
  for (const headers of requests) statuses.push((await post(headers)).status);
  return statuses;
}

const from = (...addresses: string[]): Record<string, string>[] =>
  addresses.map((address) => ({ 'x-forwarded-for': address }));

describe('an operation that may be opened', () => {
  it('takes a credential unless this deployment opens it', async () => {
    await start({});
    const response = await post();
    expect(response.status).toBe(401);
    expect(await response.json()).toEqual({ detail: 'Not authenticated' });
    expect(callers).toEqual([]);
  });

  it('opened, is called by nobody in particular, five times an hour', async () => {
    await start({ GATEWAY_OPEN_OPERATIONS: CREATE });
    const first = await post();
    expect(first.status).toBe(200);
    expect(await first.json()).toEqual({ client_secret: 'a secret' });
    expect(callers).toEqual([expect.objectContaining({ kind: 'anonymous' })]);
    expect(await statusesOf(from('192.0.2.1', '192.0.2.2', '192.0.2.3', '192.0.2.4'))).toEqual([200, 200, 200, 200]);

    const refused = await post({ 'x-forwarded-for': '192.0.2.5' });
    expect(refused.status).toBe(429);
    expect(await refused.json()).toEqual({ detail: 'Too many requests', code: 'address_limit_reached' });
    expect(refused.headers.get('x-error-code')).toBe('address_limit_reached');
    const seconds = Number(refused.headers.get('retry-after'));
    expect(seconds).toBeGreaterThan(3500);
    expect(refused.headers.get('ratelimit')).toBe(`"address";r=0;t=${seconds}`);
    expect(refused.headers.get('ratelimit-policy')).toBe('"address";q=5;w=3600');
    expect(callers).toHaveLength(5);
  });

  it('opened, refuses a bad credential and does not count a good one', async () => {
    const { url } = await start({ GATEWAY_OPEN_OPERATIONS: CREATE, GATEWAY_OPEN_ADDRESS_LIMIT: '1' });
    const bad = { authorization: 'Bearer wrong' };
    expect(await statusesOf([bad, {}, {}, bad])).toEqual([401, 200, 429, 401]);
    const authorization = `Bearer ${await platform.issuer.token()}`;
    expect(await statusesOf([{ authorization }, { authorization }, {}])).toEqual([200, 200, 429]);
    expect((await fetch(`${url}/client-groups/`)).status).toBe(401);
  });

  it('opened behind a trusted proxy, counts for the address nearest to it', async () => {
    await start({
      GATEWAY_OPEN_OPERATIONS: CREATE,
      GATEWAY_OPEN_ADDRESS_LIMIT: '1',
      GATEWAY_TRUSTED_PROXIES: '127.0.0.0/8, 10.0.0.0/8',
    });
    expect(await statusesOf(from('192.0.2.1', '192.0.2.1', '192.0.2.2'))).toEqual([200, 429, 200]);
    expect(await statusesOf(from('203.0.113.1, 192.0.2.1', '203.0.113.2, 192.0.2.2, 10.0.0.1'))).toEqual([429, 429]);
    expect(await statusesOf(from('2001:db8::1', '2001:db8::2', '2001:db8:0:1::1'))).toEqual([200, 429, 200]);
  });

  it('opened, is limited for all addresses together', async () => {
    await start({
      GATEWAY_OPEN_OPERATIONS: CREATE,
      GATEWAY_OPEN_TOTAL_LIMIT: '2',
      GATEWAY_TRUSTED_PROXIES: '127.0.0.1',
    });
    expect(await statusesOf(from('192.0.2.1', '192.0.2.2'))).toEqual([200, 200]);
    const refused = await post({ 'x-forwarded-for': '192.0.2.3' });
    expect(refused.status).toBe(429);
    expect(refused.headers.get('ratelimit-policy')).toBe('"total";q=2;w=3600');
  });
});

describe('a gateway told to open what it must not', () => {
  it('does not start, and says which operation and why', async () => {
    const wrong = 'billing.PaymentMethodService/Nonsense,identity.OrganisationService/CreateOrganisation';
    await expect(start({ GATEWAY_OPEN_OPERATIONS: wrong })).rejects.toThrow(
      /Nonsense, which is no operation.*CreateOrganisation, which must not be opened.*CreateSetupIntent/,
    );
  });
});
