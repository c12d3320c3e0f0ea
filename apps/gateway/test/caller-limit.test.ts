import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { setUpStreams } from '@platform-backend/events/set-up';
import { throwawayNats, waitFor, type ThrowawayNats } from '@platform-backend/testing';
import { startGatewayHere, type Gateway } from './gateway-here.ts';
import { startPlatform, type PlatformUnderTest } from './platform-under-test.ts';

let nats: ThrowawayNats;
let platform: PlatformUnderTest;
let second: Gateway;
beforeAll(async () => {
  nats = await throwawayNats();
  await setUpStreams({ servers: nats.url, signal: AbortSignal.timeout(240_000) });
  platform = await startPlatform({
    // So slowly that nothing is given back while a test runs.
    GATEWAY_CALLER_LIMIT: '1',
    GATEWAY_CALLER_BURST: '3',
    GATEWAY_DOCS: 'false',
    NATS_URL: nats.url,
  });
  second = await startGatewayHere(platform.env);
});
afterAll(async () => {
  await Promise.all([platform.stop(), second.stop()]);
  await nats.drop();
});

/** A member of an own organisation, with a token that was made for this call alone. */
async function member(sub: string, level: 'VIEWER' | 'ADMIN' = 'ADMIN'): Promise<Record<string, string>> {
  platform.identity.members.set(sub, [{ organisationId: `org_${sub}`, level }]);
  return { authorization: `Bearer ${await platform.issuer.token({ claims: { sub } })}` };
}

const statusOf = async (path: string, init: RequestInit): Promise<number> => (await platform.fetch(path, init)).status;

describe('the limit of a credential', () => {
  it('is 429 with the time to come back, whichever token a person brings, and nobody else is held', async () => {
    for (let request = 0; request < 3; request += 1) {
      expect(await statusOf('/client-groups/', { headers: await member('eager') })).toBe(200);
    }
    const refused = await platform.fetch('/client-groups/', { headers: await member('eager') });
    expect([refused.status, await refused.json()]).toEqual([
      429,
      { detail: 'Too many requests', code: 'credential_limit_reached' },
    ]);
    expect(refused.headers.get('x-error-code')).toBe('credential_limit_reached');
    const seconds = Number(refused.headers.get('retry-after'));
    expect(seconds).toBeGreaterThan(0);
    expect(refused.headers.get('ratelimit')).toBe(`"credential";r=0;t=${seconds}`);
    expect(refused.headers.get('ratelimit-policy')).toBe('"credential";q=1;w=60');
    expect(await statusOf('/client-groups/', { headers: await member('calm') })).toBe(200);
  });

  it('counts what a caller may not do, and not what needs no credential', async () => {
    const headers = await member('viewer', 'VIEWER');
    for (const path of ['/healthz', '/openapi.json', '/healthz', '/openapi.json']) {
      expect(await statusOf(path, { headers })).toBe(200);
    }
    const create = { method: 'POST', headers: { ...headers, 'content-type': 'application/json' }, body: '{}' };
    const statuses = [];
    for (let request = 0; request < 4; request += 1) statuses.push(await statusOf('/client-groups/', create));
    expect(statuses).toEqual([403, 403, 403, 429]);
  });

  it('is kept by several gateways together', async () => {
    // Each look is at whom the first gateway has served before the pause: nobody is asked about twice, for that would count.
    let served: Record<string, string> | undefined;
    let people = 0;
    await waitFor(async () => {
      const before = served;
      people += 1;
      served = await member(`nomad ${String(people)}`);
      for (let request = 0; request < 3; request += 1) {
        expect(await statusOf('/client-groups/', { headers: served })).toBe(200);
      }
      return before && (await fetch(`${second.url}/client-groups/`, { headers: before })).status === 429;
    });
  });

  it('is kept by each gateway alone where there is no NATS, and the gateway says so', async () => {
    const alone = await startGatewayHere({ ...platform.env, NATS_URL: undefined });
    try {
      expect(alone.log).toContainEqual(expect.objectContaining({ event: 'limits.counted_alone' }));
      const headers = await member('commuter');
      for (const { url } of [platform.gateway, alone]) {
        const ask = async () => (await fetch(`${url}/client-groups/`, { headers })).status;
        expect([await ask(), await ask(), await ask(), await ask()]).toEqual([200, 200, 200, 429]);
      }
    } finally {
      await alone.stop();
    }
  });

  it('is not touched by requests with a bad credential', async () => {
    const headers = await member('victim');
    for (let request = 0; request < 5; request += 1) {
      expect(await statusOf('/client-groups/', { headers: { authorization: 'Bearer wrong' } })).toBe(401);
    }
    expect(await statusOf('/client-groups/', { headers })).toBe(200);
  });
});

describe('a gateway without documentation', () => {
  it.each(['/docs', '/docs/swagger-ui-bundle.js', '/docs/guides/paging'])('has no %s', async (path) => {
    expect(await statusOf(path, {})).toBe(404);
  });
});
