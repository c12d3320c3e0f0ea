import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { newApiKey } from '@platform-backend/auth';
import { setUpStreams } from '@platform-backend/events/set-up';
import { lastPass, throwawayNats, waitFor, type ThrowawayNats, type TokenRequest } from '@platform-backend/testing';
import { randomUUID } from 'node:crypto';
import { eventPublisher, type EventPublisher } from './event-publisher.ts';
import { startGatewayHere, type Gateway } from './gateway-here.ts';
import { startPlatform, type PlatformUnderTest } from './platform-under-test.ts';

let platform: PlatformUnderTest;
let replica: Gateway;
beforeAll(async () => {
  platform = await startPlatform({ OIDC_LOGOUT_CLIENTS: 'web,mobile' });
  replica = await startGatewayHere(platform.env);
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

describe('the gateway without any event bus', () => {
  it('refuses a revoked key on every replica within 2 s, although it is in use all the time', async () => {
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

  it('refuses a removed member on every replica within 2 s', async () => {
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

describe('a logout that the issuer tells of', () => {
  const logoutEvent = { 'http://schemas.openid.net/event/backchannel-logout': {} };
  /** A good logout token; `undefined` leaves a claim of it out. */
  const logoutToken = (claims: Record<string, unknown>, { header = {}, key }: Omit<TokenRequest, 'claims'> = {}) => {
    const none = { email: undefined, email_verified: undefined, name: undefined, nbf: undefined };
    const good = { aud: 'web', jti: randomUUID(), events: logoutEvent, ...none, ...claims };
    return platform.issuer.token({ claims: good, header: { typ: 'logout+jwt', ...header }, ...(key && { key }) });
  };
  const tell = async (token: string, gateway = platform.gateway) => {
    const response = await fetch(`${gateway.url}/openid/back-channel-logout`, {
      method: 'POST',
      body: new URLSearchParams({ logout_token: token }),
    });
    return { status: response.status, code: response.headers.get('x-error-code') };
  };
  const signIn = async (claims: Record<string, unknown>) => ({
    authorization: `Bearer ${await platform.issuer.token({ claims })}`,
  });
  const statuses = (headers: Record<string, string>) =>
    Promise.all(
      [platform.gateway, replica].map(async ({ url }) => (await fetch(`${url}/client-groups/`, { headers })).status),
    );

  it('ends the tokens of its session on every replica within 2 s, and no others of the same person', async () => {
    const [ended, other] = [await signIn({ sid: 'one' }), await signIn({ sid: 'two' })];
    await waitFor(async () => (await statuses(ended)).every((status) => status === 200));
    const token = await logoutToken({ sid: 'one' });
    const toldAt = performance.now();
    expect(await tell(token)).toEqual({ status: 200, code: null });
    expect((await lastLetThroughAt(ended, 401)) - toldAt).toBeLessThan(2_000);
    expect(await statuses(other)).toEqual([200, 200]);
    expect(await tell(token, replica)).toEqual({ status: 400, code: 'invalid_logout_token' });
  });

  it('has nobody else asked about anew, however many come', async () => {
    const other = await signIn({ sid: 'beside' });
    const ask = async () => (await fetch(`${replica.url}/client-groups/`, { headers: other })).status;
    const tokens = await Promise.all(Array.from({ length: 20 }, () => logoutToken({ sid: randomUUID() })));
    expect(await ask()).toBe(200);
    const [before, begunAt] = [platform.identity.lookUps, performance.now()];
    for (const token of tokens) {
      expect((await tell(token, replica)).status).toBe(200);
      expect(await ask()).toBe(200);
    }
    // About once a second each, as ever.
    const seconds = Math.ceil((performance.now() - begunAt) / 1_000);
    expect(platform.identity.lookUps - before).toBeLessThanOrEqual(seconds);
  });

  it('ends all tokens that its subject was given until then, and a new one is good', async () => {
    platform.identity.members.set('user-mary', [{ organisationId: 'org_ada', level: 'VIEWER' }]);
    const now = Math.floor(Date.now() / 1000);
    const [first, second] = [
      await signIn({ sub: 'user-mary', iat: now - 20, sid: 'a' }),
      await signIn({ sub: 'user-mary', iat: now - 10 }),
    ];
    for (const headers of [first, second]) expect(await statuses(headers)).toEqual([200, 200]);
    expect((await tell(await logoutToken({ sub: 'user-mary', iat: now - 5 }), replica)).status).toBe(200);
    for (const headers of [first, second]) await lastLetThroughAt(headers, 401);
    expect(await statuses(await signIn({ sub: 'user-mary', iat: now, sid: 'b' }))).toEqual([200, 200]);
  });

  const inAnHour = (): number => Math.floor(Date.now() / 1000) + 3_600;
  it.each<readonly [string, Record<string, unknown>]>([
    ['is for another client', { aud: 'else' }],
    ['is for the API, as access tokens are', { aud: 'platform' }],
    ['is of another issuer', { iss: 'https://else.example' }],
    ['is over', { exp: 1 }],
    ['has no end', { exp: undefined }],
    ['was issued in the future', { iat: inAnHour() }],
    ['does not say when it was issued', { iat: undefined }],
    ['has no id', { jti: undefined }],
    ['has a nonce', { nonce: 'n' }],
    ['tells of no event', { events: undefined }],
    ['tells of another event', { events: { 'http://schemas.example/other': {} } }],
    ['tells of the event without its object', { events: { 'http://schemas.openid.net/event/backchannel-logout': 1 } }],
    ['names nobody', { sub: undefined, sid: undefined }],
  ])('is refused, and ends nothing, where its token %s', async (_, claims) => {
    const headers = await signIn({ sid: 'kept' });
    const refused = { status: 400, code: 'invalid_logout_token' };
    expect(await tell(await logoutToken({ sid: 'kept', ...claims }))).toEqual(refused);
    expect(await statuses(headers)).toEqual([200, 200]);
  });

  it('is refused where its token says that it is an access token', async () => {
    expect((await tell(await logoutToken({ sid: 'kept' }, { header: { typ: 'at+jwt' } }))).status).toBe(400);
  });

  it('is refused where nobody whom we trust has signed it, or where there is no token', async () => {
    const key = await platform.issuer.newKey();
    expect((await tell(await logoutToken({ sid: 'kept' }, { key }))).status).toBe(400);
    for (const token of ['', 'a.b.c', 'x'.repeat(9_000)]) expect((await tell(token)).status).toBe(400);
    expect((await tell('x'.repeat(40_000))).status).toBe(413);
    const read = await fetch(`${replica.url}/openid/back-channel-logout`);
    expect([read.status, read.headers.get('allow')]).toEqual([405, 'POST']);
  });
});

describe('the gateway with an event bus', () => {
  let nats: ThrowawayNats;
  let events: EventPublisher;
  let listening: PlatformUnderTest;
  beforeAll(async () => {
    nats = await throwawayNats();
    await setUpStreams({ servers: nats.url, signal: AbortSignal.timeout(240_000) });
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
      data: { member_id: 'member-1', user_id: 'id of user-eve', reason: 'removed' },
    });

  it('forgets a caller as soon as the event has arrived', async () => {
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

  it('no longer lets a user who joins a second organisation act in the only one of before', async () => {
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

  it('serves on when the bus goes away, and listens again when it comes back', async () => {
    await nats.kill();
    expect((await listening.fetch('/client-groups/')).status).toBe(200);
    await nats.start();
    const before = await revokedCallers();
    publishRemoval();
    await waitFor(async () => (await revokedCallers()) > before);
  });
});
