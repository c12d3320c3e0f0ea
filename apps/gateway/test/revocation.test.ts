import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { newApiKey } from '@platform-backend/auth';
import { setUpStreams } from '@platform-backend/events/set-up';
import { lastPass, throwawayNats, waitFor, type ThrowawayNats } from '@platform-backend/testing';
import { eventPublisher, type EventPublisher } from './event-publisher.ts';
import { startGatewayProcess, type GatewayProcess } from './gateway-process.ts';
import { startPlatform, type PlatformUnderTest } from './platform-under-test.ts';

let platform: PlatformUnderTest;
let replica: GatewayProcess;
beforeAll(async () => {
  platform = await startPlatform();
  replica = await startGatewayProcess(platform.env);
});
afterAll(async () => {
  await replica.stop();
  await platform.stop();
});

/** Asks both replicas until both refuse, and answers when the last request that was let through had been made. */
async function lastLetThroughAt(headers: Record<string, string>, status: number): Promise<number> {
  const times = await Promise.all(
    [platform.gateway.url, replica.url].map((url) =>
      lastPass(async () => (await fetch(`${url}/client-groups/`, { headers })).status === status),
    ),
  );
  return Math.max(...times);
}

describe('without any event bus', () => {
  it('a revoked key is refused on every replica within 2 s, although it is in use all the time', async () => {
    const key = newApiKey();
    platform.identity.addKey(key, {
      id: 'key-1',
      userId: 'u',
      organisationId: 'org_ada',
      level: 'ADMIN',
      scopes: ['*:admin'],
    });
    const headers = { authorization: `Bearer ${key}` };
    for (const { url } of [platform.gateway, replica]) {
      expect((await fetch(`${url}/client-groups/`, { headers })).status).toBe(200);
    }
    platform.identity.revokeKey(key);
    const revokedAt = performance.now();
    expect((await lastLetThroughAt(headers, 401)) - revokedAt).toBeLessThan(2_000);
  });

  it('a removed member is refused on every replica within 2 s', async () => {
    const headers = { authorization: `Bearer ${await platform.issuer.token({ claims: { sub: 'user-eve' } })}` };
    platform.identity.members.set('user-eve', [{ organisationId: 'org_ada', level: 'VIEWER' }]);
    for (const { url } of [platform.gateway, replica]) {
      expect((await fetch(`${url}/client-groups/`, { headers })).status).toBe(200);
    }
    platform.identity.members.delete('user-eve');
    const removedAt = performance.now();
    expect((await lastLetThroughAt(headers, 403)) - removedAt).toBeLessThan(2_000);
  });
});

describe('with an event bus', () => {
  let nats: ThrowawayNats;
  let events: EventPublisher;
  let listening: PlatformUnderTest;
  beforeAll(async () => {
    nats = await throwawayNats();
    await setUpStreams({ servers: nats.url, signal: AbortSignal.timeout(20_000) });
    events = eventPublisher(nats.url);
    listening = await startPlatform({ NATS_URL: nats.url });
  });
  afterAll(async () => {
    await events.stop();
    await listening.stop();
    await nats.drop();
  });

  const revokedCallers = async (): Promise<number> => {
    const text = await (await fetch(listening.gateway.metricsUrl)).text();
    return Number(/gateway_caller_revocations_total (\d+)/.exec(text)?.[1]);
  };
  const publishRemoval = (): void =>
    events.publish({
      type: 'platform.v1.identity.member.removed',
      organisationId: 'org_ada',
      subject: 'member-1',
      time: new Date(),
      data: { member_id: 'member-1', user_id: 'u', reason: 'removed' },
    });

  it('a caller is forgotten as soon as the event has arrived', async () => {
    // The first event that arrives proves that the gateway listens; none is on its way when the next one is published.
    await waitFor(async () => {
      publishRemoval();
      return waitFor(async () => (await revokedCallers()) > 0, { timeout: 5_000 });
    });
    const headers = { authorization: `Bearer ${await listening.issuer.token({ claims: { sub: 'user-eve' } })}` };
    const ask = async (): Promise<number> =>
      (await fetch(`${listening.gateway.url}/client-groups/`, { headers })).status;
    listening.identity.members.set('user-eve', [{ organisationId: 'org_ada', level: 'VIEWER' }]);
    expect(await ask()).toBe(200);

    const before = await revokedCallers();
    listening.identity.members.delete('user-eve');
    publishRemoval();
    await waitFor(async () => (await revokedCallers()) > before, { what: 'the event to arrive' });
    expect(await ask()).toBe(403);
  });

  it('a user who joins a second organisation no longer acts in the only one of before', async () => {
    const headers = { authorization: `Bearer ${await listening.issuer.token({ claims: { sub: 'user-fay' } })}` };
    const ask = async (): Promise<number> =>
      (await fetch(`${listening.gateway.url}/client-groups/`, { headers })).status;
    listening.identity.members.set('user-fay', [{ organisationId: 'org_first', level: 'VIEWER' }]);
    expect(await ask()).toBe(200);

    const before = await revokedCallers();
    listening.identity.members.get('user-fay')?.push({ organisationId: 'org_second', level: 'VIEWER' });
    events.publish({
      type: 'platform.v1.identity.member.added',
      organisationId: 'org_second',
      subject: 'member-2',
      time: new Date(),
      data: { member_id: 'member-2', user_id: 'id of user-fay', permission_level: 'VIEWER' },
    });
    await waitFor(async () => (await revokedCallers()) > before, { what: 'the event to arrive' });
    expect(await ask()).toBe(403);
  });

  it('that goes away and comes back, the gateway serves on and listens again', async () => {
    await nats.kill();
    expect((await listening.fetch('/client-groups/')).status).toBe(200);
    await nats.start();
    const before = await revokedCallers();
    publishRemoval();
    await waitFor(async () => (await revokedCallers()) > before);
  });
});
