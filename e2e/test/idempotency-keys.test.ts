import { beforeAll, describe, expect, it } from '@jest/globals';
import { waitFor } from '@platform-backend/testing';
import { randomUUID } from 'node:crypto';
import type { Answer } from '../src/http.ts';
import { expectOk, newOrganisation, newPerson, type Person } from '../src/people.ts';
import { sharedPlatform } from '../src/platform.ts';
import type { CreatedApiKey, Invoice, Organisation } from '../src/resources.ts';

const platform = sharedPlatform();

/** One operation of each service that makes something, and another request of it. */
const creations = [
  { service: 'identity', path: '/client-groups/', body: { name: 'North' }, other: { name: 'South' } },
  { service: 'billing', path: '/credits/purchases/', body: { credits: 100 }, other: { credits: 200 } },
  {
    service: 'content',
    path: '/reports/',
    body: { title: 'Third quarter', markdown: 'Revenue' },
    other: { title: 'Fourth quarter', markdown: 'Revenue' },
  },
  {
    service: 'pipelines',
    path: '/task-templates/',
    body: { name: 'Weekly', instruction: 'Sum it up' },
    other: { name: 'Daily', instruction: 'Sum it up' },
  },
  { service: 'notebooks', path: '/notebooks/', body: { name: 'first' }, other: { name: 'second' } },
] as const;

describe('a POST with an Idempotency-Key', () => {
  let owner: Person;
  beforeAll(async () => {
    owner = await newPerson(platform, 'Iris');
    await newOrganisation(owner);
  });

  const post = <Body = unknown>(path: string, key: string, body?: unknown, person = owner): Promise<Answer<Body>> =>
    person.call<Body>('POST', path, { headers: { 'idempotency-key': key }, ...(body !== undefined && { body }) });
  const isInFlight = ({ status, headers }: Answer): boolean =>
    status === 409 && headers['x-error-code'] === 'request_in_flight';
  const untilAnswered = (path: string, key: string, body: unknown): Promise<Answer> =>
    waitFor(async () => {
      const answer = await post(path, key, body);
      return isInFlight(answer) ? undefined : answer;
    });

  it.each(creations)(
    'is carried out once by $service and answered as the first time',
    async ({ path, body, other }) => {
      const key = randomUUID();
      const first = await post<{ id: string }>(path, key, body);
      expect([first.status, first.text]).toEqual([200, expect.stringContaining('"id"')]);
      const again = await post(path, key, body);
      expect([again.status, again.text]).toEqual([200, first.text]);
      const refused = await post<{ detail: unknown[] }>(path, key, other);
      expect([refused.status, refused.body.detail]).toEqual([
        422,
        [expect.objectContaining({ type: 'value_error', loc: ['header', 'idempotency-key'] })],
      ]);
      const another = await post<{ id: string }>(path, randomUUID(), other);
      expect(expectOk(another).id).not.toBe(first.body.id);
    },
  );

  it('renews and charges a subscription once', async () => {
    const path = '/organisations/subscription/';
    const body = { seat_count: 3, subscription_tier: 'TEAM' };
    expectOk(await post(path, randomUUID(), body));
    const invoices = async () => expectOk(await owner.call<Invoice[]>('GET', '/invoices/'));
    const before = await invoices();

    const key = randomUUID();
    const renewing = { ...body, renew: true };
    const renewed = expectOk(await post<Organisation>(path, key, renewing));
    expect(await invoices()).toHaveLength(before.length + 1);
    expect(expectOk(await post<Organisation>(path, key, renewing))).toEqual(renewed);
    expect(await invoices()).toHaveLength(before.length + 1);
    expect(expectOk(await owner.call<Organisation>('GET', '/organisations/current/')).seats_expired_at).toBe(
      renewed.seats_expired_at,
    );
  });

  it('gives twins one answer, or sends one of them back while the other is being carried out', async () => {
    const key = randomUUID();
    const body = { name: 'Twins' };
    const twins = await Promise.all([1, 2, 3].map(() => post('/client-groups/', key, body)));
    const answered = twins.filter(({ status }) => status === 200);
    expect(new Set(answered.map(({ text }) => text)).size).toBe(1);
    for (const twin of twins.filter(({ status }) => status !== 200)) {
      expect(isInFlight(twin)).toBe(true);
      expect(twin.headers['retry-after']).toBe('1');
    }
    expect((await untilAnswered('/client-groups/', key, body)).text).toBe(answered[0]?.text);
  });

  it('does not use its key up when it is refused', async () => {
    const key = randomUUID();
    expect((await post('/client-groups/', key, { name: '' })).status).toBe(422);
    const unknown = '/client-groups/0199c0de-0000-7000-8000-000000000009/archive/';
    expect((await post(unknown, key)).status).toBe(404);
    expectOk(await post('/client-groups/', key, { name: 'Given a name' }));
  });

  it('founds one organisation, also for a person who was in none before', async () => {
    const founder = await newPerson(platform, 'Fay');
    const body = { email: founder.email, name: 'Fay Ltd', image_url: 'https://example.com/logo.png' };
    const key = randomUUID();
    const first = expectOk(await post<Organisation>('/organisations/', key, body, founder));
    expect(expectOk(await post<Organisation>('/organisations/', key, body, founder))).toEqual(first);
    expect(expectOk(await founder.call<Organisation[]>('GET', '/organisations/'))).toHaveLength(1);
  });

  it('is the caller’s own: another one with the same key makes something else', async () => {
    const key = randomUUID();
    const body = { name: 'Key', scopes: ['*:read'] };
    const first = expectOk(await post<CreatedApiKey>('/api-keys/', key, body));
    const stranger = await newPerson(platform, 'Sam');
    await newOrganisation(stranger);
    const theirs = expectOk(await post<CreatedApiKey>('/api-keys/', key, body, stranger));
    expect(theirs.api_key).not.toBe(first.api_key);
    expect(expectOk(await post<CreatedApiKey>('/api-keys/', key, body)).api_key).toBe(first.api_key);
  });

  it('is refused with a key of more than 255 characters', async () => {
    const body = { name: 'Long key' };
    expectOk(await post('/client-groups/', 'k'.repeat(255), body));
    const refused = await post<{ detail: unknown[] }>('/client-groups/', 'k'.repeat(256), body);
    expect([refused.status, refused.body.detail]).toEqual([
      422,
      [expect.objectContaining({ type: 'string_too_long', loc: ['header', 'idempotency-key'] })],
    ]);
  });
});
