import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { waitFor } from '@platform-backend/testing';
import { request as httpRequest, Agent } from 'node:http';
import { startGatewayProcess, type GatewayProcess } from './gateway-process.ts';
import { startPlatform, type PlatformUnderTest } from './platform-under-test.ts';
import { rawConnection, type RawConnection } from './raw-connection.ts';

const GROUP = '/client-groups/0199c0de-0000-7000-8000-000000000001/';

/** Requests to the operation wait until the test lets them go. */
function holdRequests({ identity }: PlatformUnderTest): { waiting: () => number; letGo: () => void } {
  const go = Promise.withResolvers<undefined>();
  let waiting = 0;
  identity.on('ClientGroupService/GetClientGroup', async () => {
    waiting += 1;
    await go.promise;
    return { id: 'x', name: 'answered while draining' };
  });
  return { waiting: () => waiting, letGo: () => go.resolve(undefined) };
}

/** One gateway, from the signal to its end: what is looked at is looked at in this order. */
describe('the gateway on SIGTERM', () => {
  let platform: PlatformUnderTest<GatewayProcess>;
  let idle: RawConnection;
  let held: ReturnType<typeof holdRequests>;
  let inFlight: Promise<Response>[];
  const agent = new Agent({ keepAlive: true });
  const get = (path: string): Promise<number | undefined> =>
    new Promise((resolve, reject) => {
      const { host, port } = platform.gateway;
      httpRequest({ host, port, path, agent }, (response) => {
        response.resume().on('end', () => resolve(response.statusCode));
      })
        .on('error', reject)
        .end();
    });

  beforeAll(async () => {
    const drain = { GATEWAY_DRAIN_DELAY_MS: '5000', GATEWAY_DRAIN_LIMIT_MS: '5000' };
    platform = await startPlatform(drain, startGatewayProcess);
    expect(await get('/healthz')).toBe(200);
    expect((await fetch(`${platform.gateway.url}/readyz`)).status).toBe(200);
    idle = await rawConnection(platform.gateway.port);
    held = holdRequests(platform);
    inFlight = Array.from({ length: 20 }, () => platform.fetch(GROUP));
    await waitFor(() => held.waiting() === 20);
    platform.gateway.kill('SIGTERM');
  });
  afterAll(async () => {
    agent.destroy();
    await platform.stop();
  });

  it('says so before the door closes, for load balancers to look elsewhere', async () => {
    const response = await waitFor(async () => {
      const answer = await fetch(`${platform.gateway.url}/readyz`);
      return answer.status === 503 ? answer : undefined;
    });
    expect(await response.json()).toEqual({ status: 'draining' });
    const served = await platform.fetch('/client-groups/');
    expect([served.status, served.headers.get('connection')]).toEqual([200, 'close']);
    // Its lines of a moment are written together, which may be after an answer.
    await waitFor(() => platform.gateway.log.some(({ msg }) => String(msg).includes('drains')));
  });

  it('takes no new connection, and lets every request in flight be answered', async () => {
    await waitFor(async () => {
      await expect(get('/healthz')).rejects.toMatchObject({ code: 'ECONNREFUSED' });
      return true;
    });
    held.letGo();
    for (const response of await Promise.all(inFlight)) {
      expect(response.status).toBe(200);
      expect(response.headers.get('connection')).toBe('close');
      expect(await response.json()).toMatchObject({ name: 'answered while draining' });
    }
  });

  it('ends with code 0 after the last answer, although clients keep their connections alive', async () => {
    await idle.closed;
    expect(await platform.gateway.ended).toBe(0);
  });
});

describe('the gateway on SIGTERM with a request that never finishes', () => {
  it('ends at the limit', async () => {
    const platform = await startPlatform({ GATEWAY_DRAIN_LIMIT_MS: '2000' }, startGatewayProcess);
    try {
      const { waiting } = holdRequests(platform);
      const stuck = platform.fetch(GROUP);
      stuck.catch(() => undefined);
      await waitFor(() => waiting() === 1);
      platform.gateway.kill('SIGTERM');
      await platform.gateway.ended;
      // Cut off, long before it would have been given up.
      await expect(stuck).rejects.toThrow();
    } finally {
      await platform.stop();
    }
  });
});
