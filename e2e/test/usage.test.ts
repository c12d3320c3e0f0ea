import { beforeAll, describe, expect, it } from '@jest/globals';
import { waitFor } from '@platform-backend/testing';
import { send, type Answer } from '../src/http.ts';
import { expectOk, join, newOrganisation, newPerson, type Person } from '../src/people.ts';
import { sharedPlatform } from '../src/platform.ts';
import type { ClientGroup, CreatedApiKey, Organisation, UsageRow } from '../src/resources.ts';

const platform = sharedPlatform();

/** A changed policy holds from the next lease on, and usage is reported every few seconds. */
type Policy = {
  ai_credit_limit: number | null;
  infrastructure_credit_limit: number | null;
  request_limit: number | null;
  hard_stop: boolean;
};
const noLimits = { ai_credit_limit: null, infrastructure_credit_limit: null, request_limit: null, hard_stop: true };

const setPolicy = async (admin: Person, groupId: string, policy: Partial<Policy>): Promise<void> => {
  const body = { period_days: 30, ...noLimits, ...policy };
  expectOk(await admin.call('PUT', `/client-groups/${groupId}/policy/`, { body }));
};

const newGroup = async (admin: Person, policy: Partial<Policy>): Promise<ClientGroup> => {
  const group = expectOk(
    await admin.call<ClientGroup>('POST', '/client-groups/', { body: { name: 'Northern region' } }),
  );
  await setPolicy(admin, group.id, policy);
  return group;
};

const newKey = async (admin: Person, groupId: string | null): Promise<CreatedApiKey> => {
  const body = { name: 'Importer', client_group_id: groupId };
  return expectOk(await admin.call<CreatedApiKey>('POST', '/api-keys/', { body }));
};

/** A read, the cheapest request that counts. */
const read = ({ api_key }: CreatedApiKey) => send(platform.url, 'GET', '/client-groups/', { apiKey: api_key });

const submit = (apiKey: string) =>
  send(platform.url, 'POST', '/agents/submit-to-assistant/', {
    apiKey,
    body: { assistant_name: 'default', new_message: 'Hello', conversation_id: '', conversation_ctx: { entities: [] } },
  });

const statusesOf = (answers: readonly Answer[]): Record<string, number> => {
  const counts: Record<string, number> = {};
  for (const { status } of answers) counts[status] = (counts[status] ?? 0) + 1;
  return counts;
};

let ada: Person;
let organisation: Organisation;
beforeAll(async () => {
  ada = await newPerson(platform, 'Ada');
  organisation = await newOrganisation(ada);
});

describe('a hard limit of requests', () => {
  it('lets exactly so many through, also when they all come at once, and then answers 429', async () => {
    const group = await newGroup(ada, { request_limit: 25 });
    const [one, other] = [await newKey(ada, group.id), await newKey(ada, group.id)];
    const answers = await Promise.all(Array.from({ length: 60 }, (_, n) => read(n % 2 === 0 ? one : other)));
    expect(statusesOf(answers)).toEqual({ 200: 25, 429: 35 });
    const refused = answers.find(({ status }) => status === 429);
    expect(refused?.body).toEqual({ detail: 'Too many requests', code: 'request_limit_reached' });
    expect(refused?.headers['x-error-code']).toBe('request_limit_reached');
    expect(Number(refused?.headers['retry-after'])).toBeGreaterThan(0);
    expect(refused?.headers['ratelimit']).toMatch(/r=0/);

    const elsewhere = await newKey(ada, null);
    expect((await read(elsewhere)).status).toBe(200);

    await setPolicy(ada, group.id, { request_limit: 1_000 });
    await waitFor(async () => (await read(one)).status === 200, { what: 'the raised limit to hold' });
  });

  it('stops the people of a client group, but never those who can raise it', async () => {
    const [viewer, admin] = [await newPerson(platform, 'Vi'), await newPerson(platform, 'Al')];
    await join(ada, organisation, viewer, 'VIEWER');
    await join(ada, organisation, admin, 'ADMIN');
    const group = await newGroup(ada, { request_limit: 0 });
    for (const { email, name } of [viewer, admin]) {
      const body = { email, name };
      expectOk(await ada.call('POST', `/client-groups/${group.id}/members/`, { body }));
    }
    const path = '/organisations/current/';
    await waitFor(async () => (await viewer.call('GET', path)).status === 429, { what: 'the viewer to stop' });
    const administering = await admin.call('GET', path);
    expect([administering.status, administering.headers['x-credit-warning']]).toEqual([
      200,
      expect.stringContaining('requests'),
    ]);
    await setPolicy(admin, group.id, { request_limit: 1_000 });
    await waitFor(async () => (await viewer.call('GET', path)).status === 200, {
      what: 'the viewer to go on',
    });
  });
});

describe('a soft limit of requests', () => {
  it('warns from four fifths on and refuses nothing', async () => {
    const group = await newGroup(ada, { request_limit: 10, hard_stop: false });
    const key = await newKey(ada, group.id);
    const answers = [];
    for (let n = 0; n < 15; n += 1) answers.push(await read(key));
    expect(statusesOf(answers)).toEqual({ 200: 15 });
    const warnings = answers.map(({ headers }) => headers['x-credit-warning']);
    expect(warnings.slice(0, 8)).toEqual(Array.from({ length: 8 }, () => undefined));
    expect(warnings).toContain('80 % of the limit of requests are used');
    expect(warnings.at(-1)).toBe('The limit of requests is reached');
  });
});

describe('a hard limit of AI credits', () => {
  it('answers 402 for what would spend them, and lets everything else through with a warning', async () => {
    const key = await newKey(ada, (await newGroup(ada, { ai_credit_limit: 0 })).id);
    expect(await submit(key.api_key)).toMatchObject({
      status: 402,
      body: { detail: 'Credit limit reached' },
      headers: { 'x-error-code': 'credit_limit_reached' },
    });
    const reading = await read(key);
    expect([reading.status, reading.headers['x-credit-warning']]).toEqual([200, 'The limit of AI credits is reached']);
  });

  it('of infrastructure stops no assistant', async () => {
    const key = await newKey(ada, (await newGroup(ada, { infrastructure_credit_limit: 0 })).id);
    expect((await submit(key.api_key)).status).not.toBe(402);
  });
});

describe('the usage of an organisation', () => {
  it('shows how many requests each key, group and day had, also in the client group', async () => {
    const group = await newGroup(ada, { request_limit: 1_000 });
    const key = await newKey(ada, group.id);
    for (let n = 0; n < 7; n += 1) expectOk(await read(key));
    const usage = async (query: string) => expectOk(await ada.call<UsageRow[]>('GET', `/usage/?${query}`));
    const ofKey = () => usage(`group_by=api_key&api_key_id=${key.id}`);
    await waitFor(async () => (await ofKey())[0]?.requests === 7, { what: 'the requests to be counted' });
    expect(await ofKey()).toMatchObject([{ key: key.id, requests: 7 }]);
    expect(await usage(`group_by=client_group&client_group_id=${group.id}`)).toMatchObject([
      { key: group.id, requests: 7 },
    ]);
    const [today] = await usage(`client_group_id=${group.id}`);
    expect(today).toMatchObject({ requests: 7, key: expect.stringMatching(/^\d{4}-\d\d-\d\d$/) });
    const [hour] = await usage(`group_by=hour&client_group_id=${group.id}`);
    expect(hour).toMatchObject({ key: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:00:00Z$/) });
    expect((await ada.call('GET', '/usage/?group_by=hour&created_after=2026-01-01T00:00:00Z')).status).toBe(422);
    const shown = async () => expectOk(await ada.call<ClientGroup>('GET', `/client-groups/${group.id}/`)).usage;
    await waitFor(async () => (await shown())['requests'] === 7, { what: 'the client group to show them' });
  });

  it('is for administrators, and of their own organisation', async () => {
    const group = await newGroup(ada, {});
    const eve = await newPerson(platform, 'Eve');
    await newOrganisation(eve);
    expect(expectOk(await eve.call('GET', `/usage/?client_group_id=${group.id}`))).toEqual([]);
    const editor = await newPerson(platform, 'Ed');
    await join(ada, organisation, editor, 'EDITOR');
    expect((await editor.call('GET', '/usage/')).status).toBe(403);
    const body = { name: 'Importer', client_group_id: group.id };
    expect((await editor.call('POST', '/api-keys/', { body })).status).toBe(403);
    expect((await eve.call('POST', '/api-keys/', { body })).body).toEqual({
      detail: 'Client group not found',
      code: 'client_group_not_found',
    });
  });
});

describe('a meter of an organisation', () => {
  it('counts the CloudEvents that it reports, one alone or many, each once', async () => {
    const owner = await newPerson(platform, 'Olga');
    await newOrganisation(owner);
    const meter = expectOk(
      await owner.call<{ id: string }>('POST', '/meters/', {
        body: {
          ...{ slug: 'tokens', name: 'Tokens', event_type: 'prompt', aggregation: 'SUM' },
          ...{ value_property: '$.tokens', group_by: { model: '$.model' } },
        },
      }),
    );
    const event = (id: string, tokens: number, model: string) => ({
      ...{
        specversion: '1.0',
        id,
        source: 'shop',
        type: 'prompt',
        subject: 'customer-1',
        time: new Date().toISOString(),
      },
      data: { tokens, model },
    });
    const report = (type: string, body: unknown) =>
      owner.call<{ accepted: number; duplicates: number }>('POST', '/usage/events/', {
        headers: { 'content-type': type },
        body,
      });
    const [one, two, three] = [event('1', 1.5, 'a'), event('2', 2, 'b'), event('3', 4, 'a')];
    expect(expectOk(await report('application/cloudevents+json', one))).toEqual({ accepted: 1, duplicates: 0 });
    expect(expectOk(await report('application/cloudevents-batch+json', [one, two]))).toEqual({
      accepted: 1,
      duplicates: 1,
    });
    expect(expectOk(await report('application/json', three))).toEqual({ accepted: 1, duplicates: 0 });
    const refused = await report('application/cloudevents-batch+json', [
      event('4', 1, 'a'),
      { ...event('5', 1, 'a'), id: undefined },
      { ...event('6', 1, 'a'), specversion: '0.3' },
    ]);
    const { detail } = refused.body as unknown as { detail: { loc: unknown[] }[] };
    expect([refused.status, detail.map(({ loc }) => loc)]).toEqual([
      422,
      [
        ['body', 1, 'id'],
        ['body', 2, 'specversion'],
      ],
    ]);
    const query = async (asked: string) =>
      expectOk(
        await owner.call<{ value: string; group_by: Record<string, string> }[]>(
          'GET',
          `/meters/${meter.id}/query/?to=${new Date(Date.now() + 7_200_000).toISOString()}&${asked}`,
        ),
      );
    expect(await query('window_size=MONTH')).toMatchObject([{ value: '7.5', group_by: {} }]);
    const byModel = (await query('group_by=model')).map(({ group_by: { model }, value }) => `${model ?? ''} ${value}`);
    expect(byModel.toSorted()).toEqual(['a 5.5', 'b 2']);
    expect(await query('filter=model%3Da&group_by=subject')).toMatchObject([
      { value: '5.5', group_by: { subject: 'customer-1' } },
    ]);
    expectOk(await owner.call('POST', `/meters/${meter.id}/archive/`));
    expect(expectOk(await owner.call<unknown[]>('GET', '/meters/'))).toEqual([]);
  });

  it('is fed by keys that may write, and defined by administrators', async () => {
    const owner = await newPerson(platform, 'Olga');
    await newOrganisation(owner);
    const body = { name: 'Reporter', scopes: ['billing:write'] };
    const { api_key: apiKey } = expectOk(await owner.call<CreatedApiKey>('POST', '/api-keys/', { body }));
    const event = { specversion: '1.0', id: '1', source: 'shop', type: 'nobody counts it' };
    expect((await send(platform.url, 'POST', '/usage/events/', { apiKey, body: event })).status).toBe(200);
    expect((await send(platform.url, 'GET', '/meters/', { apiKey })).status).toBe(403);
  });
});
