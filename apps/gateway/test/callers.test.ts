import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { newApiKey } from '@platform-backend/auth';
import type { TokenRequest } from '@platform-backend/testing';
import { startPlatform, type PlatformUnderTest } from './platform-under-test.ts';

let platform: PlatformUnderTest;
beforeAll(async () => {
  platform = await startPlatform();
});
afterAll(() => platform.stop());

const get = (headers: Record<string, string>, path = '/client-groups/'): Promise<Response> =>
  fetch(platform.gateway.url + path, { headers });
const bearer = (token: string): Record<string, string> => ({ authorization: `Bearer ${token}` });
const token = (request?: TokenRequest): Promise<string> => platform.issuer.token(request);

const createGroup = (headers: Record<string, string>): Promise<Response> =>
  fetch(`${platform.gateway.url}/client-groups/`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: '{"name":"Legal"}',
  });

describe('an API key (D11)', () => {
  const key = newApiKey();
  const foreign = newApiKey();
  beforeAll(() => {
    const common = { level: 'ADMIN', scopes: ['*:admin'] } as const;
    platform.identity.addKey(key, { id: 'key-1', userId: 'id of user-ada', organisationId: 'org_ada', ...common });
    platform.identity.addKey(foreign, { id: 'key-2', userId: 'someone', organisationId: 'org_other', ...common });
  });

  it('is a bearer like a token, and acts as the key', async () => {
    expect((await get(bearer(key))).status).toBe(200);
    expect(platform.identity.callers.at(-1)).toMatchObject({
      kind: 'api_key',
      service: 'gateway',
      apiKeyId: 'key-1',
      organisationId: 'org_ada',
      level: 'ADMIN',
      scopes: ['*:admin'],
    });
  });

  it('alone in the Api-key header creates a client group', async () => {
    expect((await createGroup({ 'api-key': key })).status).toBe(200);
    expect(platform.identity.callers.at(-1)?.apiKeyId).toBe('key-1');
  });

  it('beside a token of the same organisation is the caller', async () => {
    expect((await createGroup({ ...bearer(await token()), 'api-key': key })).status).toBe(200);
    expect(platform.identity.callers.at(-1)?.apiKeyId).toBe('key-1');
  });

  it('beside a token of another organisation is forbidden', async () => {
    const response = await createGroup({ ...bearer(await token()), 'api-key': foreign });
    expect(response.status).toBe(403);
    expect(await response.json()).toEqual({ detail: 'Not a member of this organisation', code: 'not_a_member' });
  });

  it('beside a bearer key of another organisation is forbidden', async () => {
    expect((await createGroup({ ...bearer(key), 'api-key': foreign })).status).toBe(403);
  });

  it('that is wrong never falls back to a good token', async () => {
    for (const wrong of [newApiKey(), 'pk_wrong', 'nonsense', await token()]) {
      const response = await createGroup({ ...bearer(await token()), 'api-key': wrong });
      expect(response.status).toBe(401);
      expect(await response.json()).toEqual({ detail: 'Invalid or expired token', code: 'invalid_api_key' });
    }
  });

  it('that is good does not excuse a bad token beside it', async () => {
    expect((await createGroup({ ...bearer('forged'), 'api-key': key })).status).toBe(401);
  });

  it('that is empty counts as absent', async () => {
    expect((await createGroup({ 'api-key': '' })).status).toBe(401);
    expect((await createGroup({ ...bearer(await token()), 'api-key': '' })).status).toBe(200);
    expect(platform.identity.callers.at(-1)?.kind).toBe('user');
  });

  it('in the Api-key header opens no other operation', async () => {
    expect((await get({ 'api-key': key })).status).toBe(401);
  });

  it("acts in its own organisation alone: with another one's X-Organisation-Id it is forbidden", async () => {
    const own = { 'x-organisation-id': 'org_ada' };
    const other = { 'x-organisation-id': 'org_other' };
    const nowhere = { 'x-organisation-id': 'org_nowhere' };
    const good = await token();
    const attempts: ((organisation: Record<string, string>) => Promise<Response>)[] = [
      (organisation) => get({ ...bearer(key), ...organisation }),
      (organisation) => createGroup({ ...bearer(key), ...organisation }),
      (organisation) => createGroup({ 'api-key': key, ...organisation }),
      (organisation) => createGroup({ ...bearer(key), 'api-key': key, ...organisation }),
      (organisation) => createGroup({ ...bearer(good), 'api-key': key, ...organisation }),
    ];
    for (const attempt of attempts) {
      expect((await attempt(own)).status).toBe(200);
      expect((await attempt({ 'x-organisation-id': '' })).status).toBe(200);
      // Whether there is such an organisation is not to be learnt here.
      for (const elsewhere of [other, nowhere]) {
        const response = await attempt(elsewhere);
        expect(response.status).toBe(403);
      }
    }
    const response = await get({ ...bearer(key), ...other });
    expect(response.headers.get('x-error-code')).toBe('not_a_member');
    expect(await response.json()).toEqual({ detail: 'Not a member of this organisation', code: 'not_a_member' });
  });

  it('that is wrong is not accepted, whatever organisation is named beside it', async () => {
    for (const wrong of [newApiKey(), 'pk_wrong']) {
      const organisation = { 'x-organisation-id': 'org_other' };
      expect((await get({ ...bearer(wrong), ...organisation })).status).toBe(401);
      expect((await createGroup({ 'api-key': wrong, ...organisation })).status).toBe(401);
      expect((await createGroup({ ...bearer(wrong), 'api-key': key, ...organisation })).status).toBe(401);
    }
  });

  it('counts for the client group that identity names, as a user does', async () => {
    const counted = newApiKey();
    platform.identity.addKey(counted, {
      id: 'key-4',
      userId: 'id of user-ada',
      organisationId: 'org_ada',
      clientGroupId: 'group-1',
      level: 'ADMIN',
      scopes: ['*:read'],
    });
    expect((await get(bearer(counted))).status).toBe(200);
    expect(platform.identity.callers.at(-1)).toMatchObject({ kind: 'api_key', clientGroupId: 'group-1' });
    platform.identity.members.set('user-cleo', [
      { organisationId: 'org_ada', level: 'VIEWER', clientGroupId: 'group-2' },
    ]);
    expect((await get(bearer(await token({ claims: { sub: 'user-cleo' } })))).status).toBe(200);
    expect(platform.identity.callers.at(-1)).toMatchObject({ kind: 'user', clientGroupId: 'group-2' });
  });

  it('with as many and as long scopes as there may be is accepted', async () => {
    const wide = newApiKey();
    const scopes = Array.from({ length: 64 }, (_, index) => `${'abcdefgh'.charAt(index % 8).repeat(40)}:admin`);
    platform.identity.addKey(wide, {
      id: 'key-5',
      userId: 'id of user-ada',
      userName: '\u{1f680}'.repeat(2_000),
      organisationId: 'org_ada',
      level: 'ADMIN',
      scopes: [...scopes.slice(1), 'client_groups:read'],
    });
    expect((await get(bearer(wide))).status).toBe(200);
  });

  it('never acts as an owner, and needs a scope for the area', async () => {
    const weak = newApiKey();
    platform.identity.addKey(weak, {
      id: 'key-3',
      userId: 'id of user-ada',
      organisationId: 'org_ada',
      level: 'OWNER',
      scopes: ['client_groups:read'],
    });
    expect((await get(bearer(weak))).status).toBe(200);
    const response = await createGroup(bearer(weak));
    expect(response.status).toBe(403);
    expect(await response.json()).toEqual({
      detail: 'Not enough permissions: this takes an API key with the scope client_groups:admin',
      code: 'scope_required',
    });
  });
});

describe('the organisation of a token (D12, D13)', () => {
  beforeAll(() => {
    platform.identity.members.set('user-bob', [
      { organisationId: 'org_one', level: 'VIEWER' },
      { organisationId: 'org_two', level: 'ADMIN' },
    ]);
  });
  const bob = (claims: Record<string, unknown> = {}): Promise<string> =>
    token({ claims: { sub: 'user-bob', ...claims } });
  const lastOrganisation = (): string | undefined => platform.identity.callers.at(-1)?.organisationId;

  it('is the claim, which no header may contradict', async () => {
    const claimed = bearer(await bob({ org_id: 'org_two' }));
    for (const headers of [claimed, { ...claimed, 'x-organisation-id': 'org_two' }]) {
      expect((await get(headers)).status).toBe(200);
      expect(lastOrganisation()).toBe('org_two');
    }
    const response = await get({ ...claimed, 'x-organisation-id': 'org_one' });
    expect(response.status).toBe(403);
    expect(await response.json()).toEqual({ detail: 'Not a member of this organisation', code: 'not_a_member' });
  });

  it('is the header without a claim, request by request', async () => {
    const headers = bearer(await bob());
    for (const organisation of ['org_one', 'org_two', 'org_one']) {
      expect((await get({ ...headers, 'x-organisation-id': organisation })).status).toBe(200);
      expect(lastOrganisation()).toBe(organisation);
    }
  });

  it('is the only one of a user who has one', async () => {
    expect((await get(bearer(await token()))).status).toBe(200);
    expect(lastOrganisation()).toBe('org_ada');
  });

  it('has to be named by a user of several, except where none is needed', async () => {
    const response = await get(bearer(await bob()));
    expect(response.status).toBe(403);
    expect(response.headers.get('x-error-code')).toBe('organisation_required');
    expect(await response.json()).toEqual({
      detail: 'Name an organisation in X-Organisation-Id',
      code: 'organisation_required',
    });
    expect((await get(bearer(await bob()), '/organisations/')).status).toBe(200);
    const founding = await fetch(`${platform.gateway.url}/organisations/`, {
      method: 'POST',
      headers: { ...bearer(await bob()), 'content-type': 'application/json' },
      body: JSON.stringify({ email: 'hello@three.example', name: 'Three', image_url: '' }),
    });
    expect(founding.status).toBe(200);
  });

  it('must be one of which the user is a member', async () => {
    const response = await get({ ...bearer(await bob()), 'x-organisation-id': 'org_ada' });
    expect(response.status).toBe(403);
    expect(await response.json()).toEqual({ detail: 'Not a member of this organisation', code: 'not_a_member' });
  });

  it('is none where the user is suspended, which is what they are told', async () => {
    platform.identity.members.set('user-suspended', [{ membershipSuspended: true }]);
    const suspended = bearer(await token({ claims: { sub: 'user-suspended' } }));
    const response = await get(suspended, '/client-groups/');
    expect([response.status, await response.json()]).toEqual([
      403,
      {
        detail: expect.stringMatching(/^Your membership .* is suspended: ask one of its owners/),
        code: 'membership_suspended',
      },
    ]);
    expect((await get(suspended, '/organisations/')).status).toBe(200);
  });

  it('decides the level', async () => {
    const headers = bearer(await bob());
    expect((await createGroup({ ...headers, 'x-organisation-id': 'org_one' })).status).toBe(403);
    expect((await createGroup({ ...headers, 'x-organisation-id': 'org_two' })).status).toBe(200);
  });

  it('is not needed to list and create organisations, and nothing else is open without one', async () => {
    const nobody = bearer(await token({ claims: { sub: 'user-new' } }));
    expect((await get(nobody, '/organisations/')).status).toBe(200);
    for (const path of ['/client-groups/', '/organisations/current/', '/messages/', '/api-keys/']) {
      const response = await get(nobody, path);
      expect(response.status).toBe(403);
      expect(await response.json()).toMatchObject({
        detail: expect.stringMatching(/^No organisation: create one /),
        code: 'no_organisation',
      });
    }
  });
});
