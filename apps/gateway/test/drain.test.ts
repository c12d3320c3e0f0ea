import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { waitFor } from '@platform-backend/testing';
import { request as httpRequest, Agent } from 'node:http';
import { startPlatform, type PlatformUnderTest } from './platform-under-test.ts';
import { rawConnection } from './raw-connection.ts';

let platform: PlatformUnderTest;
beforeEach(async () => {
  platform = await startPlatform({ GATEWAY_DRAIN_LIMIT_MS: '5000' });
});
afterEach(() => platform.stop());

const GROUP = '/client-groups/0199c0de-0000-7000-8000-000000000001/';

/** Requests to the operation wait until the test lets them go. */
function holdRequests(): { waiting: () => number; letGo: () => void } {
  const go = Promise.withResolvers<undefined>();
  let waiting = 0;
  platform.identity.on('ClientGroupService/GetClientGroup', async () => {
    waiting += 1;
    await go.promise;
    return { id: 'x', name: 'answered while draining' };
  });
  return { waiting: () => waiting, letGo: () => go.resolve(undefined) };
}

describe('the gateway on SIGTERM', () => {
  it('lets every request in flight be answered, then ends with code 0', async () => {
    const { waiting, letGo } = holdRequests();
    const inFlight = Array.from({ length: 20 }, () => platform.fetch(GROUP));
    await waitFor(() => waiting() === 20);

    platform.gateway.kill('SIGTERM');
    await waitFor(() => platform.gateway.log.some(({ msg }) => String(msg).includes('drains')));
    letGo();

    for (const response of await Promise.all(inFlight)) {
      expect(response.status).toBe(200);
      expect(response.headers.get('connection')).toBe('close');
      expect(await response.json()).toMatchObject({ name: 'answered while draining' });
    }
    expect(await platform.gateway.ended).toBe(0);
  });

  it('takes no new connection, and ends after the last answer although clients keep theirs alive', async () => {
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
    expect(await get('/healthz')).toBe(200);
    const idle = await rawConnection(platform.gateway.port);

    const { waiting, letGo } = holdRequests();
    const inFlight = platform.fetch(GROUP);
    await waitFor(() => waiting() === 1);
    platform.gateway.kill('SIGTERM');
    await waitFor(async () => {
      await expect(get('/healthz')).rejects.toMatchObject({ code: 'ECONNREFUSED' });
      return true;
    });

    letGo();
    expect((await inFlight).status).toBe(200);
    await idle.closed;
    expect(await platform.gateway.ended).toBe(0);
    agent.destroy();
  });

  it('ends at the limit even when a request never finishes', async () => {
    const { waiting } = holdRequests();
    const stuck = platform.fetch(GROUP);
    stuck.catch(() => undefined);
    await waitFor(() => waiting() === 1);
    platform.gateway.kill('SIGTERM');
    await platform.gateway.ended;
    // Cut off, long before it would have been given up.
    await expect(stuck).rejects.toThrow();
  });
});

describe('readiness while draining', () => {
  it('says so before the door closes, for load balancers to look elsewhere', async () => {
    await platform.stop();
    platform = await startPlatform({ GATEWAY_DRAIN_DELAY_MS: '5000' });
    expect((await fetch(`${platform.gateway.url}/readyz`)).status).toBe(200);
    platform.gateway.kill('SIGTERM');
    const response = await waitFor(async () => {
      const answer = await fetch(`${platform.gateway.url}/readyz`);
      return answer.status === 503 ? answer : undefined;
    });
    expect(await response.json()).toEqual({ status: 'draining' });
    const served = await platform.fetch('/client-groups/');
    expect([served.status, served.headers.get('connection')]).toEqual([200, 'close']);
    expect(await platform.gateway.ended).toBe(0);
  });
});
