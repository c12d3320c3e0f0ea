import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { apiKeyHash, isWellFormedApiKey, newApiKey } from '@platform-backend/auth';
import { fixedClock } from '@platform-backend/core';
import { refusalOf } from '@platform-backend/service/testing';
import { waitFor } from '@platform-backend/testing';
import { startTestIdentity, type TestIdentity } from '../../../test/test-identity.ts';

const clock = fixedClock(new Date());
let identity: TestIdentity;
beforeAll(async () => {
  identity = await startTestIdentity({ clock, environment: { IDENTITY_KEY_USE_FLUSH_SECONDS: '1' } });
});
afterAll(() => identity.stop());

const invalidToken = { kind: 'unauthenticated', code: 'invalid_token', message: 'Invalid or expired token' };

describe('making an API key', () => {
  it('answers the key once and stores only its hash', async () => {
    const founder = await identity.found('Ada');
    const created = await identity.apiKeys.createApiKey({ name: 'Nightly', scopes: ['*:read'] }, founder);
    expect(isWellFormedApiKey(created.apiKey)).toBe(true);
    expect(created.apiKey.startsWith(created.keyPrefix)).toBe(true);
    expect(created.keyPrefix).toHaveLength(11);
    const read = await identity.apiKeys.getApiKey({ keyId: created.id }, founder);
    expect(read).toEqual({
      name: 'Nightly',
      id: created.id,
      keyPrefix: created.keyPrefix,
      createdAt: created.createdAt,
      scopes: ['*:read'],
      expiresAt: null,
      lastUsedAt: null,
      createdBy: founder.caller.userId,
      clientGroupId: null,
    });
    expect(await everythingStored()).not.toContain(created.apiKey);
  });

  it('is refused below EDITOR, with a key, and when it would end in the past', async () => {
    const founder = await identity.found('Bea');
    const viewer = await identity.join(founder, 'Cy');
    expect(await refusalOf(identity.apiKeys.createApiKey({ name: 'k' }, { caller: viewer }))).toMatchObject({
      kind: 'forbidden',
    });
    const { apiKey } = await identity.apiKeys.createApiKey({ name: 'k', scopes: ['*:admin'] }, founder);
    const key = await identity.withKey(apiKey);
    expect(await refusalOf(identity.apiKeys.createApiKey({ name: 'k' }, { caller: key }))).toMatchObject({
      kind: 'forbidden',
    });
    const late = identity.apiKeys.createApiKey({ name: 'k', expiresAt: clock.now() }, founder);
    expect(await refusalOf(late)).toMatchObject({ kind: 'invalid', violations: [{ loc: ['body', 'expires_at'] }] });
  });
});

describe('the scopes of an API key', () => {
  it('name areas that the contract knows, on making and on changing a key', async () => {
    const founder = await identity.found('Alf');
    const refused = { kind: 'invalid', violations: [{ loc: ['body', 'scopes', 1], input: 'member:read' }] };
    const scopes = ['members:read', 'member:read'];
    expect(await refusalOf(identity.apiKeys.createApiKey({ name: 'k', scopes }, founder))).toMatchObject(refused);
    const { id: keyId } = await identity.apiKeys.createApiKey({ name: 'k', scopes: ['pipelines:admin'] }, founder);
    const change = { keyId, scopes, updateMask: { paths: ['scopes'] } };
    expect(await refusalOf(identity.apiKeys.updateApiKey(change, founder))).toMatchObject(refused);
  });
});

describe('the client group of an API key', () => {
  it('is shown wherever the key is, stays when the key is renamed or rotated, and can be taken away', async () => {
    const founder = await identity.found('Una');
    const { id: clientGroupId } = await identity.clientGroups.createClientGroup({ name: 'Shops' }, founder);
    const created = await identity.apiKeys.createApiKey({ name: 'k', clientGroupId }, founder);
    expect(created).toMatchObject({ clientGroupId });
    const keyId = created.id;
    const update = (change: object, ...paths: string[]) =>
      identity.apiKeys.updateApiKey({ keyId, ...change, updateMask: { paths } }, founder);
    expect(await update({ name: 'new' }, 'name')).toMatchObject({ name: 'new', clientGroupId });
    expect(await identity.apiKeys.rotateApiKey({ keyId }, founder)).toMatchObject({ clientGroupId });
    expect(await identity.apiKeys.getApiKey({ keyId }, founder)).toMatchObject({ clientGroupId });
    expect(await update({ clientGroupId: null }, 'client_group_id')).toMatchObject({ clientGroupId: null });
    expect(await update({ clientGroupId }, 'client_group_id')).toMatchObject({ clientGroupId });
    const { apiKeys } = await identity.apiKeys.listApiKeys({}, founder);
    expect(apiKeys).toMatchObject([{ clientGroupId }]);
  });

  it('is for admins to name; others make, rename and rotate keys without naming one', async () => {
    const founder = await identity.found('Vic');
    const editor = { caller: await identity.join(founder, 'Wes', 'EDITOR') };
    const admin = { caller: await identity.join(founder, 'Xia', 'ADMIN') };
    const { id: clientGroupId } = await identity.clientGroups.createClientGroup({ name: 'Shops' }, founder);
    const { id: keyId } = await identity.apiKeys.createApiKey({ name: 'k' }, editor);
    const move = (to: string | null, by: typeof editor) =>
      identity.apiKeys.updateApiKey({ keyId, clientGroupId: to, updateMask: { paths: ['client_group_id'] } }, by);
    const notAllowed = { kind: 'forbidden', code: 'level_required' };
    expect(await refusalOf(identity.apiKeys.createApiKey({ name: 'k', clientGroupId }, editor))).toMatchObject(
      notAllowed,
    );
    expect(await refusalOf(move(clientGroupId, editor))).toMatchObject(notAllowed);
    expect(await move(clientGroupId, admin)).toMatchObject({ clientGroupId });
    expect(await refusalOf(move(null, editor))).toMatchObject(notAllowed);
    const renaming = { keyId, name: 'new', updateMask: { paths: ['name'] } };
    expect(await identity.apiKeys.updateApiKey(renaming, editor)).toMatchObject({ name: 'new', clientGroupId });
    expect(await identity.apiKeys.rotateApiKey({ keyId }, editor)).toMatchObject({ clientGroupId });
  });

  it('is not an archived one', async () => {
    const founder = await identity.found('Yve');
    const { id: clientGroupId } = await identity.clientGroups.createClientGroup({ name: 'Shops' }, founder);
    await identity.clientGroups.archiveClientGroup({ groupId: clientGroupId }, founder);
    const { id: keyId } = await identity.apiKeys.createApiKey({ name: 'k' }, founder);
    const archived = { kind: 'conflict', code: 'client_group_archived', message: 'The client group is archived' };
    expect(await refusalOf(identity.apiKeys.createApiKey({ name: 'k', clientGroupId }, founder))).toEqual(archived);
    const moving = { keyId, clientGroupId, updateMask: { paths: ['client_group_id'] } };
    expect(await refusalOf(identity.apiKeys.updateApiKey(moving, founder))).toEqual(archived);
  });

  it('does not keep the organisation from being deleted', async () => {
    const founder = await identity.found('Zoe');
    const { id: clientGroupId } = await identity.clientGroups.createClientGroup({ name: 'Shops' }, founder);
    const { apiKey } = await identity.apiKeys.createApiKey({ name: 'k', clientGroupId }, founder);
    await identity.organisations.deleteCurrentOrganisation({}, founder);
    expect(await refusalOf(identity.withKey(apiKey))).toEqual(invalidToken);
  });
});

describe('an API key in use', () => {
  it("stands for its creator with the creator's level of now", async () => {
    const founder = await identity.found('Dan');
    const editor = await identity.join(founder, 'Eva', 'EDITOR');
    const { id, apiKey } = await identity.apiKeys.createApiKey({ name: 'k', scopes: ['*:admin'] }, { caller: editor });
    expect(await identity.withKey(apiKey)).toMatchObject({
      kind: 'api_key',
      apiKeyId: id,
      userId: editor.userId,
      organisationId: founder.organisation.id,
      level: 'EDITOR',
      scopes: ['*:admin'],
    });
    const { members } = await identity.members.listMembers({}, founder);
    const memberId = members[1]?.id ?? '';
    await identity.members.updateMember(
      { memberId, permissionLevel: 'VIEWER', updateMask: { paths: ['permission_level'] } },
      founder,
    );
    expect(await identity.withKey(apiKey)).toMatchObject({ level: 'VIEWER' });
  });

  it('is refused with the same words whatever is wrong with it', async () => {
    const founder = await identity.found('Fay');
    const gus = await identity.join(founder, 'Gus', 'EDITOR');
    const { members } = await identity.members.listMembers({}, founder);
    const memberId = members[1]?.id ?? '';
    const keyOf = async (caller = gus, expiresAt: Date | null = null) =>
      identity.apiKeys.createApiKey({ name: 'k', scopes: ['*:read'], expiresAt }, { caller });

    const revoked = await keyOf();
    await identity.apiKeys.revokeApiKey({ keyId: revoked.id }, { caller: gus });
    const expired = await keyOf(gus, new Date(clock.now().getTime() + 1000));
    clock.advance(1000);
    const working = await keyOf();
    for (const apiKey of [newApiKey(), revoked.apiKey, expired.apiKey, `${working.apiKey}x`]) {
      expect(await refusalOf(identity.withKey(apiKey))).toEqual(invalidToken);
    }

    const setStatus = (status: 'active' | 'suspended') =>
      identity.members.updateMember({ memberId, status, updateMask: { paths: ['status'] } }, founder);
    await setStatus('suspended');
    expect(await refusalOf(identity.withKey(working.apiKey))).toEqual(invalidToken);
    await setStatus('active');
    expect(await identity.withKey(working.apiKey)).toMatchObject({ userId: gus.userId });
    await identity.members.removeMember({ memberId }, founder);
    expect(await refusalOf(identity.withKey(working.apiKey))).toEqual(invalidToken);
  });

  it('stays dead when its creator comes back, since that is another membership', async () => {
    const founder = await identity.found('Hal');
    const ian = await identity.join(founder, 'Ian', 'EDITOR');
    const { apiKey } = await identity.apiKeys.createApiKey({ name: 'k' }, { caller: ian });
    await identity.organisations.leaveOrganisation({}, { caller: ian });
    await identity.join(founder, 'Ian', 'EDITOR');
    expect(await refusalOf(identity.withKey(apiKey))).toEqual(invalidToken);
  });

  it('is seen to have been used, to the minute', async () => {
    const founder = await identity.found('Jan');
    const { id, apiKey } = await identity.apiKeys.createApiKey({ name: 'k' }, founder);
    await identity.withKey(apiKey);
    const usedAt = clock.now();
    const { lastUsedAt } = await waitFor(async () => {
      const key = await identity.apiKeys.getApiKey({ keyId: id }, founder);
      return key.lastUsedAt && key;
    });
    expect(lastUsedAt?.getTime()).toBe(Math.floor(usedAt.getTime() / 60_000) * 60_000);
  });

  it('is not looked for among hashes of another length', async () => {
    const short = identity.authentication.resolveApiKey({ keyHash: Buffer.alloc(3) });
    expect(await refusalOf(short)).toEqual(invalidToken);
    const empty = identity.authentication.resolveApiKey({});
    expect(await refusalOf(empty)).toEqual(invalidToken);
  });

  it('is told to the gateway alone', async () => {
    const content = identity.asService('content');
    const ask = content.authentication.resolveApiKey({ keyHash: apiKeyHash(newApiKey()) });
    expect(await refusalOf(ask)).toMatchObject({ kind: 'forbidden' });
  });
});

describe('rotating an API key', () => {
  it('keeps the old secret for the overlap and not a moment longer', async () => {
    const founder = await identity.found('Kim');
    const old = await identity.apiKeys.createApiKey({ name: 'k', scopes: ['*:read'] }, founder);
    const rotated = await identity.apiKeys.rotateApiKey({ keyId: old.id, overlapSeconds: 60 }, founder);
    expect(rotated).toMatchObject({ id: old.id, name: 'k', scopes: ['*:read'] });
    expect(rotated.apiKey).not.toBe(old.apiKey);
    expect(rotated.keyPrefix).toBe(rotated.apiKey.slice(0, 11));

    clock.advance(59_999);
    expect(await identity.withKey(old.apiKey)).toMatchObject({ apiKeyId: old.id });
    clock.advance(1);
    expect(await refusalOf(identity.withKey(old.apiKey))).toEqual(invalidToken);
    expect(await identity.withKey(rotated.apiKey)).toMatchObject({ apiKeyId: old.id });
  });

  it('tells the gateway when the old secret will end, so that it is not remembered longer', async () => {
    const founder = await identity.found('Lea');
    const { id, apiKey } = await identity.apiKeys.createApiKey({ name: 'k' }, founder);
    await identity.apiKeys.rotateApiKey({ keyId: id, overlapSeconds: 60 }, founder);
    const { expiresAt } = await identity.authentication.resolveApiKey({ keyHash: apiKeyHash(apiKey) });
    expect(expiresAt).toEqual(new Date(clock.now().getTime() + 60_000));
  });

  it('ends the old secret at once without an overlap, and all secrets when revoked', async () => {
    const founder = await identity.found('Max');
    const first = await identity.apiKeys.createApiKey({ name: 'k' }, founder);
    const second = await identity.apiKeys.rotateApiKey({ keyId: first.id }, founder);
    expect(await refusalOf(identity.withKey(first.apiKey))).toEqual(invalidToken);
    const third = await identity.apiKeys.rotateApiKey({ keyId: first.id, overlapSeconds: 3600 }, founder);
    await identity.apiKeys.revokeApiKey({ keyId: first.id }, founder);
    for (const { apiKey } of [second, third]) expect(await refusalOf(identity.withKey(apiKey))).toEqual(invalidToken);
  });
});

describe("somebody else's API key", () => {
  const notYours = {
    kind: 'forbidden',
    code: 'not_your_api_key',
    message:
      'Only its creator may rename, widen, prolong or rotate an API key; others may narrow its scopes, end it earlier or revoke it',
  };

  it('gives an ADMIN who is sent away no secret to keep: it is neither rotated nor widened by others', async () => {
    const founder = await identity.found('Abe');
    const admin = { caller: await identity.join(founder, 'Bev', 'ADMIN') };
    const { id: keyId, apiKey } = await identity.apiKeys.createApiKey({ name: 'k', scopes: ['members:read'] }, founder);
    const update = (change: object, by: typeof admin, ...paths: string[]) =>
      identity.apiKeys.updateApiKey({ keyId, ...change, updateMask: { paths } }, by);
    expect(await refusalOf(identity.apiKeys.rotateApiKey({ keyId }, admin))).toEqual(notYours);
    expect(await refusalOf(update({ scopes: ['*:admin'] }, admin, 'scopes'))).toEqual(notYours);
    expect(await refusalOf(update({ name: 'Mine' }, admin, 'name'))).toEqual(notYours);
    const expiresAt = new Date(clock.now().getTime() + 60_000);
    expect(await update({ expiresAt }, admin, 'expires_at')).toMatchObject({ name: 'k', expiresAt });
    expect(await refusalOf(update({ expiresAt: null }, admin, 'expires_at'))).toEqual(notYours);
    expect(await identity.withKey(apiKey)).toMatchObject({ scopes: ['members:read'] });
    expect(await update({ scopes: [] }, admin, 'scopes')).toMatchObject({ scopes: [] });
  });

  it('is not rotated by an OWNER either', async () => {
    const founder = await identity.found('Cal');
    const editor = { caller: await identity.join(founder, 'Dot', 'EDITOR') };
    const { id: keyId } = await identity.apiKeys.createApiKey({ name: 'k', scopes: ['*:read'] }, editor);
    expect(await refusalOf(identity.apiKeys.rotateApiKey({ keyId }, founder))).toEqual(notYours);
    expect(await identity.apiKeys.rotateApiKey({ keyId }, editor)).toMatchObject({ id: keyId });
  });
});

describe('looking after API keys', () => {
  it('shows a member their own keys and an ADMIN all of them', async () => {
    const founder = await identity.found('Ned');
    const [editor, admin] = [
      await identity.join(founder, 'Oda', 'EDITOR'),
      await identity.join(founder, 'Pia', 'ADMIN'),
    ];
    const theirs = await identity.apiKeys.createApiKey({ name: 'theirs' }, founder);
    clock.advance(1000);
    const own = await identity.apiKeys.createApiKey({ name: 'own' }, { caller: editor });
    const names = async (caller: typeof editor) =>
      (await identity.apiKeys.listApiKeys({ includeTotal: true }, { caller })).apiKeys.map(({ name }) => name);
    expect(await names(editor)).toEqual(['own']);
    expect(await names(admin)).toEqual(['own', 'theirs']);

    const missing = { kind: 'not_found', code: 'api_key_not_found', message: 'API key not found' };
    const keyId = theirs.id;
    const calls = [
      identity.apiKeys.getApiKey({ keyId }, { caller: editor }),
      identity.apiKeys.updateApiKey({ keyId, name: 'x', updateMask: { paths: ['name'] } }, { caller: editor }),
      identity.apiKeys.rotateApiKey({ keyId }, { caller: editor }),
      identity.apiKeys.revokeApiKey({ keyId }, { caller: editor }),
    ];
    for (const refusal of await Promise.all(calls.map(refusalOf))) {
      expect(refusal).toEqual(missing);
    }
    expect(await identity.apiKeys.revokeApiKey({ keyId: own.id }, { caller: admin })).toEqual({
      id: own.id,
      deleted: true,
    });
  });

  it('counts a key as ADMIN only as far as its scopes reach', async () => {
    const founder = await identity.found('Quy');
    const editor = await identity.join(founder, 'Rae', 'EDITOR');
    await identity.apiKeys.createApiKey({ name: 'of Rae' }, { caller: editor });
    const listedWith = async (scope: string) => {
      const { apiKey } = await identity.apiKeys.createApiKey({ name: scope, scopes: [scope] }, founder);
      const { apiKeys } = await identity.apiKeys.listApiKeys({}, { caller: await identity.withKey(apiKey) });
      return apiKeys.map(({ name }) => name).includes('of Rae');
    };
    expect(await listedWith('api_keys:admin')).toBe(true);
    expect(await listedWith('api_keys:read')).toBe(false);
  });

  it('renames a key, sets and takes away its end, and narrows its scopes', async () => {
    const founder = await identity.found('Sam');
    const { id: keyId, apiKey } = await identity.apiKeys.createApiKey({ name: 'k', scopes: ['*:admin'] }, founder);
    const expiresAt = new Date(clock.now().getTime() + 60_000);
    const update = (change: object, ...paths: string[]) =>
      identity.apiKeys.updateApiKey({ keyId, ...change, updateMask: { paths } }, founder);
    expect(await update({ name: 'new', expiresAt }, 'name', 'expires_at')).toMatchObject({ name: 'new', expiresAt });
    expect(await update({ expiresAt: null }, 'expires_at')).toMatchObject({ name: 'new', expiresAt: null });
    expect(await update({ scopes: ['members:read'] }, 'scopes')).toMatchObject({ scopes: ['members:read'] });
    expect(await identity.withKey(apiKey)).toMatchObject({ scopes: ['members:read'] });
    expect(await update({ scopes: [] }, 'scopes')).toMatchObject({ scopes: [] });
  });
});

/** All rows of all tables as text, read past every policy. */
async function everythingStored(): Promise<string> {
  const { rows } = await identity.admin.query<{ content: string }>(
    `SELECT query_to_xml(format('SELECT * FROM %I', table_name), true, false, '')::text AS content
     FROM information_schema.tables WHERE table_schema = 'public'`,
  );
  return rows.map(({ content }) => content).join('\n');
}
