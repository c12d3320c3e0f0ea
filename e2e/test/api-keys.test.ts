import { beforeAll, describe, expect, it } from '@jest/globals';
import { lastPass, waitFor } from '@platform-backend/testing';
import { send, type RequestParts } from '../src/http.ts';
import { buyCredits, expectOk, join, newOrganisation, newPerson, type Person } from '../src/people.ts';
import { sharedPlatform } from '../src/platform.ts';
import type { ApiKey, ClientGroup, ClientGroupSummary, CreatedApiKey, Organisation } from '../src/resources.ts';

const platform = sharedPlatform();

/** The bound of the specification's decisions: a revoked key is refused within this time. */
const REVOCATION_LIMIT_MS = 2_000;

/** What is made later than the limit after now is refused; until then it may pass. */
async function refusedInTime(isRefused: () => Promise<boolean>): Promise<void> {
  const revokedAt = performance.now();
  expect((await lastPass(isRefused)) - revokedAt).toBeLessThan(REVOCATION_LIMIT_MS);
}

describe('API keys', () => {
  let ada: Person;
  const create = async (body: object): Promise<CreatedApiKey> =>
    expectOk(await ada.call<CreatedApiKey>('POST', '/api-keys/', { body }));
  const withKey = (key: string) => send<ClientGroupSummary[]>(platform.url, 'GET', '/client-groups/', { apiKey: key });

  beforeAll(async () => {
    ada = await newPerson(platform, 'Ada');
    await newOrganisation(ada);
  });

  it('lead from an access token to a client group made with a key, and end at once when revoked', async () => {
    const group = expectOk(
      await ada.call<ClientGroup>('POST', '/client-groups/', { body: { name: 'Northern region' } }),
    );
    const policy = {
      period_days: 30,
      ai_credit_limit: 1000,
      infrastructure_credit_limit: null,
      request_limit: null,
      hard_stop: true,
    };
    expectOk(await ada.call('PUT', `/client-groups/${group.id}/policy/`, { body: policy }));
    expect(expectOk(await ada.call<ClientGroup>('GET', `/client-groups/${group.id}/`)).policy).toEqual(policy);

    const key = await create({ name: 'Importer', scopes: ['client_groups:admin'] });
    expect(key.api_key.startsWith(key.key_prefix)).toBe(true);

    const headers = { 'api-key': key.api_key };
    const made = expectOk(
      await send<ClientGroup>(platform.url, 'POST', '/client-groups/', { headers, body: { name: 'Made with a key' } }),
    );
    const listed = expectOk(await withKey(key.api_key));
    expect(listed.map(({ id }) => id)).toEqual(expect.arrayContaining([group.id, made.id]));

    expect(expectOk(await ada.call('DELETE', `/api-keys/${key.id}/`))).toEqual({ id: key.id, deleted: true });
    await refusedInTime(async () => (await withKey(key.api_key)).status === 401);
    const refused = await send(platform.url, 'POST', '/client-groups/', { headers, body: { name: 'Too late' } });
    expect([refused.status, refused.body]).toEqual([
      401,
      { detail: 'Invalid or expired token', code: 'invalid_api_key' },
    ]);
    expect((await ada.call('DELETE', `/api-keys/${key.id}/`)).status).toBe(404);
  });

  it('show their secret once and never again', async () => {
    const key = await create({ name: 'Once' });
    const { text } = await ada.call('GET', `/api-keys/${key.id}/`);
    const list = await ada.call('GET', '/api-keys/');
    for (const answer of [text, list.text]) expect(answer).not.toContain(key.api_key);
    expect(JSON.parse(text)).toMatchObject({ id: key.id, name: 'Once', key_prefix: key.key_prefix });
  });

  it('may do no more than their scopes say', async () => {
    const { api_key: apiKey } = await create({ name: 'Reader', scopes: ['client_groups:read'] });
    expect((await withKey(apiKey)).status).toBe(200);
    const refused = await send(platform.url, 'POST', '/client-groups/', { apiKey, body: { name: 'No' } });
    const detail = 'Not enough permissions: this takes an API key with the scope client_groups:admin';
    expect([refused.status, refused.headers['x-error-code'], refused.body]).toEqual([
      403,
      'scope_required',
      { detail, code: 'scope_required' },
    ]);
    expect((await send(platform.url, 'GET', '/organisations/members/', { apiKey })).status).toBe(403);
  });

  it('change nothing and spend nothing when they only read, also where that is for readers', async () => {
    await buyCredits(ada);
    const { message } = expectOk(
      await ada.call<{ message: { id: string; conversation_id: string } }>('POST', '/agents/submit-to-assistant/', {
        body: { assistant_name: 'general', new_message: 'What is 6 times 7?' },
      }),
    );
    const { api_key: apiKey } = await create({ name: 'Onlooker', scopes: ['*:read'] });
    expect((await send(platform.url, 'GET', '/messages/', { apiKey })).status).toBe(200);
    const search = await send(platform.url, 'POST', '/search/', { apiKey, body: { query: 'seven' } });
    expect(search.headers['x-error-code']).not.toBe('scope_required');
    const conversation = `/conversations/${message.conversation_id}/`;
    const refused = [
      [
        'POST',
        '/agents/submit-to-assistant/',
        { assistant_name: 'general', new_message: 'And 7 times 8?' },
        'assistants',
      ],
      ['POST', `/messages/${message.id}/regenerate/`, {}, 'assistants'],
      ['POST', `/messages/${message.id}/feedback/`, { rating: 'UP' }, 'messages'],
      ['PATCH', conversation, { title: 'Sums' }, 'messages'],
      ['POST', `${conversation}share/`, {}, 'messages'],
      ['DELETE', conversation, undefined, 'messages'],
    ] as const;
    for (const [method, path, body, area] of refused) {
      const answer = await send(platform.url, method, path, { apiKey, body });
      expect([path, answer.status, answer.body]).toEqual([
        path,
        403,
        {
          detail: `Not enough permissions: this takes an API key with the scope ${area}:write`,
          code: 'scope_required',
        },
      ]);
    }
    expectOk(await ada.call('GET', conversation));
  });

  it('without scopes do what the specification lets keys do, and leave people, keys, money and the audit log alone', async () => {
    const { api_key: apiKey, scopes } = await create({ name: 'Plain' });
    expect(scopes).toContain('client_groups:admin');
    const headers = { 'api-key': apiKey };
    expect((await send(platform.url, 'POST', '/client-groups/', { headers, body: { name: 'Theirs' } })).status).toBe(
      200,
    );
    expect((await send(platform.url, 'POST', '/task-templates/', { apiKey, body: {} })).status).toBe(422);
    for (const [method, path] of [
      ['GET', '/audit-log/'],
      ['GET', '/credits/balance/'],
      ['POST', '/organisations/members/'],
    ] as const) {
      const { status, headers: told } = await send(platform.url, method, path, {
        apiKey,
        body: method === 'POST' ? {} : undefined,
      });
      expect([path, status, told['x-error-code']]).toEqual([path, 403, 'scope_required']);
    }
    for (const [method, path] of [
      ['POST', '/api-keys/'],
      ['POST', '/credits/purchases/'],
    ] as const) {
      const { status, body } = await send(platform.url, method, path, { apiKey, body: {} });
      expect([path, status, body]).toEqual([
        path,
        403,
        { detail: 'Not enough permissions: this takes the token of a person, and no API key', code: 'token_required' },
      ]);
    }
  });

  it('are widened and rotated by nobody but their creator; an ADMIN may lower and revoke them', async () => {
    const organisation = expectOk(await ada.call<Organisation>('GET', '/organisations/current/'));
    const admin = await newPerson(platform, 'Abby');
    await join(ada, organisation, admin, 'ADMIN');
    const { id, api_key: apiKey } = await create({ name: 'Careful', scopes: ['client_groups:write'] });
    const change = (body: object) => admin.call<ApiKey>('PATCH', `/api-keys/${id}/`, { body });
    const refusal = {
      detail:
        'Only its creator may rename, widen, prolong or rotate an API key; others may narrow its scopes, end it earlier or revoke it',
      code: 'not_your_api_key',
    };
    const rotated = await admin.call('POST', `/api-keys/${id}/rotate/`, { body: {} });
    expect([rotated.status, rotated.body]).toEqual([403, refusal]);
    const widened = await change({ scopes: ['*:admin'] });
    expect([widened.status, widened.body]).toEqual([403, refusal]);
    expect(expectOk(await change({ scopes: ['client_groups:read'] })).scopes).toEqual(['client_groups:read']);
    expect((await withKey(apiKey)).status).toBe(200);
    expect(expectOk(await admin.call('DELETE', `/api-keys/${id}/`))).toEqual({ id, deleted: true });
  });

  it('make nobody an ADMIN, and are named in the audit log together with the user they act for', async () => {
    const { id, api_key: apiKey } = await create({ name: 'Inviter', scopes: ['members:admin'] });
    const invite = (permission_level: string) =>
      send(platform.url, 'POST', '/organisations/members/', {
        apiKey,
        body: { email: 'outsider@example.org', permission_level },
      });
    const refused = await invite('ADMIN');
    expect([refused.status, refused.body]).toEqual([
      403,
      {
        detail: 'An API key invites and promotes up to EDITOR; sign in to make somebody an ADMIN',
        code: 'person_required',
      },
    ]);
    expectOk(await invite('EDITOR'));
    const [entry] = expectOk(await ada.call<Record<string, unknown>[]>('GET', `/audit-log/?actor_id=${id}`));
    expect(entry).toMatchObject({
      actor_type: 'api_key',
      actor_name: 'Inviter',
      on_behalf_of_user_id: expect.any(String),
      on_behalf_of_user_name: 'Ada',
      action: 'member.invited',
    });
  });

  it('cannot make other keys', async () => {
    const { api_key: apiKey } = await create({ name: 'Ambitious', scopes: ['*:admin'] });
    expect((await send(platform.url, 'POST', '/api-keys/', { apiKey, body: { name: 'Child' } })).status).toBe(403);
  });

  it('keep working for the overlap after a rotation, and the new secret works at once', async () => {
    const old = await create({ name: 'Rotated' });
    const fresh = expectOk(
      await ada.call<CreatedApiKey>('POST', `/api-keys/${old.id}/rotate/`, { body: { overlap_seconds: 3600 } }),
    );
    expect(fresh.id).toBe(old.id);
    expect((await withKey(fresh.api_key)).status).toBe(200);
    expect((await withKey(old.api_key)).status).toBe(200);

    const again = expectOk(
      await ada.call<CreatedApiKey>('POST', `/api-keys/${old.id}/rotate/`, { body: { overlap_seconds: 0 } }),
    );
    await refusedInTime(async () => (await withKey(fresh.api_key)).status === 401);
    expect((await withKey(again.api_key)).status).toBe(200);
  });

  it('never fall back to the bearer when the Api-key header is wrong', async () => {
    const { api_key: good } = await create({ name: 'Good', scopes: ['client_groups:admin'] });
    const wrong = `${good.slice(0, -1)}${good.endsWith('a') ? 'b' : 'a'}`;
    const attempt = (headers: Record<string, string>) =>
      ada.call('POST', '/client-groups/', { headers, body: { name: 'Mixed' } });
    expect((await attempt({ 'api-key': wrong })).status).toBe(401);
    expect((await attempt({ 'api-key': '' })).status).toBe(200);
    expect((await attempt({ 'api-key': good })).status).toBe(200);
  });

  it('do not mix with a bearer of another organisation', async () => {
    const { api_key: apiKey } = await create({ name: 'Ours', scopes: ['client_groups:admin'] });
    const eve = await newPerson(platform, 'Eve');
    await newOrganisation(eve, 'Another Ltd');
    const refused = await eve.call('POST', '/client-groups/', {
      headers: { 'api-key': apiKey },
      body: { name: 'Mixed' },
    });
    expect(refused.status).toBe(403);
  });

  it('act in their own organisation alone, whoever their creator is elsewhere', async () => {
    const own = expectOk(await ada.call<{ id: string }>('GET', '/organisations/current/')).id;
    const dan = await newPerson(platform, 'Dan');
    const elsewhere = await newOrganisation(dan, 'Elsewhere Ltd');
    const { api_key: apiKey } = await create({ name: 'Faithful' });
    const read = (organisationId: string) => send(platform.url, 'GET', '/client-groups/', { apiKey, organisationId });
    expect((await read(own)).status).toBe(200);
    const refused = await read(elsewhere.id);
    expect(refused).toMatchObject({ status: 403, body: { detail: 'Not a member of this organisation' } });
    expect((await read('org_00000000000000000000000000')).text).toBe(refused.text);
  });

  it('lose their access with their creator’s membership', async () => {
    const ben = await newPerson(platform, 'Ben');
    const organisation = expectOk(await ada.call<{ id: string }>('GET', '/organisations/current/'));
    const invited = expectOk(
      await ada.call<{ id: string }>('POST', '/organisations/members/', {
        body: { email: ben.email, permission_level: 'EDITOR' },
      }),
    );
    expectOk(await ben.call('POST', `/invitations/${invited.id}/accept/`));
    const { api_key: apiKey } = expectOk(
      await ben.call<CreatedApiKey>('POST', '/api-keys/', { body: { name: 'Ben’s' }, organisationId: organisation.id }),
    );
    expect((await withKey(apiKey)).status).toBe(200);
    expectOk(await ada.call('DELETE', `/organisations/members/${invited.id}/`));
    await Promise.all([
      refusedInTime(async () => (await withKey(apiKey)).status === 401),
      refusedInTime(async () => (await ben.call('GET', '/client-groups/')).status === 403),
    ]);
  });

  it('are listed newest first', async () => {
    const first = await create({ name: 'First' });
    const second = await create({ name: 'Second' });
    const [newest, next] = expectOk(await ada.call<ApiKey[]>('GET', '/api-keys/'));
    expect([newest?.id, next?.id]).toEqual([second.id, first.id]);
  });

  it('are told whom they act for, where and with which rights, and people where else they could', async () => {
    const organisation = expectOk(await ada.call<Organisation>('GET', '/organisations/current/'));
    const bob = await newPerson(platform, 'Bob');
    await newOrganisation(bob, 'Bob Ltd');
    await join(ada, organisation, bob, 'EDITOR');
    const me = async (parts: RequestParts) => expectOk(await send<CurrentUser>(platform.url, 'GET', '/me/', parts));
    // Until then what was known of Bob a second ago is good enough.
    const undecided = await waitFor(async () => {
      const told = await me({ token: bob.token });
      return told.organisation_id === null ? told : undefined;
    });
    expect(undecided).toMatchObject({ name: 'Bob', organisation_id: null, permission_level: null, api_key_id: null });
    expect(undecided.organisations.map(({ name, permission_level: level }) => [name, level])).toEqual([
      ['Bob Ltd', 'OWNER'],
      [organisation.name, 'EDITOR'],
    ]);
    const decided = await me({ token: bob.token, organisationId: organisation.id });
    expect(decided).toMatchObject({ organisation_id: organisation.id, permission_level: 'EDITOR', scopes: [] });
    const key = expectOk(
      await bob.call<CreatedApiKey>('POST', '/api-keys/', {
        body: { name: 'Bob’s', scopes: ['*:read'] },
        organisationId: organisation.id,
      }),
    );
    const ofOwner = expectOk(await ada.call<CreatedApiKey>('POST', '/api-keys/', { body: { name: 'Ada’s' } }));
    expect(await me({ apiKey: ofOwner.api_key })).toMatchObject({ permission_level: 'ADMIN' });
    expect(await me({ apiKey: key.api_key })).toMatchObject({
      id: undecided.id,
      organisation_id: organisation.id,
      permission_level: 'EDITOR',
      api_key_id: key.id,
      scopes: ['*:read'],
      organisations: [{ id: organisation.id, name: organisation.name, permission_level: 'EDITOR' }],
    });
  });
});

interface CurrentUser {
  id: string;
  name: string;
  organisation_id: string | null;
  permission_level: string | null;
  api_key_id: string | null;
  scopes: string[];
  organisations: { id: string; name: string; permission_level: string }[];
}
