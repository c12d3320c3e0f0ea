import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { apiKeyHash } from '@platform-backend/auth';
import { newId } from '@platform-backend/core';
import { createLogger } from '@platform-backend/core/logger';
import { openDatabase } from '@platform-backend/postgres';
import { refusalOf } from '@platform-backend/service/testing';
import { startTestIdentity, type Founder, type TestIdentity } from '../../../test/test-identity.ts';
import { authenticationUseCases } from '../app/authentication.ts';
import { credentialsStore } from '../store/credentials-store.ts';

let identity: TestIdentity;
beforeAll(async () => {
  identity = await startTestIdentity();
});
afterAll(() => identity.stop());

const logger = createLogger({ service: 'test', level: 'silent' });
const noSession = { sessionId: '', issuedAt: null };
const person = { issuer: 'https://id.test', name: 'Ada', email: 'ada@people.example', emailVerified: true };

describe('resolving a user', () => {
  it('makes one on first sight and finds the same one ever after', async () => {
    const first = await identity.authentication.resolveUser({ ...person, subject: 'ada' });
    expect(first).toMatchObject({
      userName: 'Ada',
      organisationId: '',
      organisationRequired: false,
      level: null,
      apiKeyId: '',
      scopes: [],
      expiresAt: null,
    });
    expect(await identity.authentication.resolveUser({ ...person, subject: 'ada' })).toEqual(first);
  });

  it('tells people apart by issuer and subject, not by name or address', async () => {
    const resolve = async (issuer: string, subject: string) =>
      (await identity.authentication.resolveUser({ ...person, issuer, subject })).userId;
    const users = [
      await resolve('https://id.test', 'bob'),
      await resolve('https://id.test', 'bob2'),
      await resolve('https://other.test', 'bob'),
    ];
    expect(new Set(users).size).toBe(3);
  });

  it('takes whatever a verified token may say, at its longest', async () => {
    const rocket = '\u{1f680}';
    const [subject, name, email] = [rocket.repeat(255), rocket.repeat(200), `${rocket.repeat(315)}@b.de`];
    const longest = { ...person, subject, name, email, claimedOrganisationId: rocket.repeat(255) };
    const resolved = await identity.authentication.resolveUser(longest);
    expect(resolved).toMatchObject({ userName: name, userEmail: email });
    expect(await identity.authentication.resolveUser(longest)).toEqual(resolved);
  });

  it('takes over a new name and address, also where members are listed', async () => {
    const { caller, organisation } = await identity.found('Cy');
    await identity.signIn('Cy', '', { email: 'cy@new.example' });
    const { members } = await identity.organisations.getCurrentOrganisation({}, { caller });
    expect(members).toMatchObject([{ user: { email: 'cy@new.example' } }]);
    expect(organisation.members).toMatchObject([{ user: { email: 'cy@people.example' } }]);
  });

  it('follows the claim, else the header, else the only organisation', async () => {
    const one = await identity.found('Dan');
    const resolve = (claimedOrganisationId: string, organisationId: string) =>
      identity.authentication.resolveUser({ ...person, subject: 'Dan', claimedOrganisationId, organisationId });
    expect(await resolve('', '')).toMatchObject({
      organisationId: one.organisation.id,
      level: 'OWNER',
      organisationRequired: false,
    });
    const two = await identity.found('Dan');
    expect(await resolve('', '')).toMatchObject({ organisationId: '', level: null, organisationRequired: true });
    expect(await resolve('', two.organisation.id)).toMatchObject({ organisationId: two.organisation.id });
    expect(await resolve(one.organisation.id, two.organisation.id)).toMatchObject({
      organisationId: one.organisation.id,
    });
    expect(await resolve('org_elsewhere', two.organisation.id)).toMatchObject({ organisationId: two.organisation.id });
  });

  it('tells who is suspended from who is no member, and from who has another organisation', async () => {
    const founder = await identity.found('Kim');
    const { id: organisationId } = founder.organisation;
    await identity.join(founder, 'Lee', 'EDITOR');
    const listed = async () => (await identity.members.listMembers({}, founder)).members;
    const memberId = (await listed()).find(({ user }) => user?.name === 'Lee')?.id ?? '';
    const setStatus = (status: 'active' | 'suspended') =>
      identity.members.updateMember({ memberId, status, updateMask: { paths: ['status'] } }, founder);
    const lee = { ...person, subject: 'Lee' };
    await setStatus('suspended');
    expect(await identity.authentication.resolveUser(lee)).toMatchObject({
      ...{ organisationId: '', level: null, organisationRequired: false, membershipSuspended: true },
    });
    const named = identity.authentication.resolveUser({ ...lee, organisationId });
    expect(await refusalOf(named)).toMatchObject({ kind: 'forbidden', code: 'membership_suspended' });
    const { members } = await identity.organisations.getCurrentOrganisation({}, founder);
    expect(members.map(({ status }) => status)).toEqual(['active', 'suspended']);
    expect((await listed()).map(({ status }) => status).sort()).toEqual(['active', 'suspended']);
    await identity.found('Lee');
    expect(await identity.authentication.resolveUser(lee)).toMatchObject({
      level: 'OWNER',
      membershipSuspended: false,
    });
    await setStatus('active');
    expect(await identity.authentication.resolveUser({ ...lee, organisationId })).toMatchObject({ organisationId });
  });

  it("refuses another organisation's id exactly like one that does not exist", async () => {
    const { organisation } = await identity.found('Eve');
    await identity.found('Fay');
    const foreign = await refusalOf(identity.signIn('Fay', organisation.id));
    expect(foreign).toMatchObject({ kind: 'forbidden', code: 'not_a_member' });
    expect(await refusalOf(identity.signIn('Fay', 'org_00000000000000000000000000'))).toEqual(foreign);
  });

  it('needs an issuer and a subject, and is for the gateway alone', async () => {
    expect(await refusalOf(identity.authentication.resolveUser({ ...person, subject: '' }))).toMatchObject({
      kind: 'invalid',
    });
    expect(await refusalOf(identity.billing.authentication.resolveUser({ ...person, subject: 's' }))).toMatchObject({
      kind: 'forbidden',
    });
    const caller = await identity.signIn('Gus');
    const asUser = identity.authentication.resolveUser({ ...person, subject: 's' }, { caller });
    expect(await refusalOf(asUser)).toMatchObject({ kind: 'forbidden' });
  });
});

describe('the client group that counts', () => {
  const newGroup = async (founder: Founder, name = 'Shops') =>
    (await identity.clientGroups.createClientGroup({ name }, founder)).id;
  const addClient = async (founder: Founder, groupId: string, email: string) =>
    (await identity.clientGroups.addClientMember({ groupId, name: 'n', email }, founder)).id;
  const defaultGroup = async (founder: Founder) => {
    const { clientGroups } = await identity.clientGroups.listClientGroups({}, founder);
    return clientGroups.find(({ isDefault }) => isDefault)?.id;
  };
  const groupOfUser = async (subject: string, organisationId = '', emailVerified = true) => {
    const email = `${subject.toLowerCase()}@people.example`;
    const asked = { ...person, subject, name: subject, email, emailVerified, organisationId };
    return (await identity.authentication.resolveUser(asked)).clientGroupId;
  };

  it('of a user is the one with the proven address as a client, in any case, else the default group', async () => {
    const founder = await identity.found('Hal');
    const standard = await defaultGroup(founder);
    expect(standard).toBeDefined();
    expect(await groupOfUser('Hal')).toBe(standard);
    const shops = await newGroup(founder);
    await addClient(founder, shops, 'HAL@People.example');
    expect(await groupOfUser('Hal')).toBe(shops);
    expect(await groupOfUser('Hal', '', false)).toBe(standard);
  });

  it('of a user is found by the address however it is written, and by none that merely looks like it', async () => {
    const founder = await identity.found('Kai');
    const [standard, shops] = [(await defaultGroup(founder)) ?? '', await newGroup(founder)];
    const groupOf = async (email: string) =>
      (await identity.authentication.resolveUser({ ...person, subject: 'Kai', name: 'Kai', email })).clientGroupId;
    await addClient(founder, shops, 'kai@people.example');
    await addClient(founder, shops, 'kai@münchen.de');
    for (const same of ['KAI@people.example ', 'kai@xn--mnchen-3ya.de']) expect(await groupOf(same)).toBe(shops);
    for (const alike of ['\u212aai@people.example', 'kaı@people.example']) expect(await groupOf(alike)).toBe(standard);
    const again = addClient(founder, shops, 'Kai@xn--mnchen-3ya.de');
    expect(await refusalOf(again)).toMatchObject({ code: 'client_member_exists' });
    expect(await refusalOf(addClient(founder, shops, '\u212aai@people.example'))).toMatchObject({ kind: 'invalid' });
  });

  it('of a user is the oldest of several, without archived groups, suspensions and the default group', async () => {
    const founder = await identity.found('Ida');
    const standard = (await defaultGroup(founder)) ?? '';
    const [first, second] = [await newGroup(founder, 'first'), await newGroup(founder, 'second')];
    await addClient(founder, standard, 'ida@people.example');
    const client = await addClient(founder, second, 'ida@people.example');
    await addClient(founder, first, 'ida@people.example');
    expect(await groupOfUser('Ida')).toBe(second);
    const suspension = { groupId: second, memberId: client, status: 'suspended' as const };
    await identity.clientGroups.updateClientMember({ ...suspension, updateMask: { paths: ['status'] } }, founder);
    expect(await groupOfUser('Ida')).toBe(first);
    await identity.clientGroups.archiveClientGroup({ groupId: first }, founder);
    expect(await groupOfUser('Ida')).toBe(standard);
  });

  it('of a user is a group of the organisation acted in, and there is none without one', async () => {
    const [one, two] = [await identity.found('Jon'), await identity.found('Kim')];
    expect(await groupOfUser('Lea')).toBe('');
    await identity.join(one, 'Lea');
    await identity.join(two, 'Lea');
    const groups = [await newGroup(one), await newGroup(two)];
    for (const [index, founder] of [one, two].entries()) {
      await addClient(founder, groups[index] ?? '', 'lea@people.example');
    }
    expect(await groupOfUser('Lea', one.organisation.id)).toBe(groups[0]);
    expect(await groupOfUser('Lea', two.organisation.id)).toBe(groups[1]);
    expect(await groupOfUser('Lea')).toBe('');
  });

  it('of an API key is the one it names, and the default group when it names none or an archived one', async () => {
    const founder = await identity.found('Max');
    const standard = await defaultGroup(founder);
    const shops = await newGroup(founder);
    await addClient(founder, shops, 'max@people.example');
    const keyOf = async (clientGroupId: string | null) =>
      (await identity.apiKeys.createApiKey({ name: 'k', clientGroupId }, founder)).apiKey;
    const groupOf = async (apiKey: string) =>
      (await identity.authentication.resolveApiKey({ keyHash: apiKeyHash(apiKey) })).clientGroupId;
    const [named, nameless] = [await keyOf(shops), await keyOf(null)];
    expect(await groupOf(named)).toBe(shops);
    expect(await groupOf(nameless)).toBe(standard);
    await identity.clientGroups.archiveClientGroup({ groupId: shops }, founder);
    expect(await groupOf(named)).toBe(standard);
    await identity.clientGroups.restoreClientGroup({ groupId: shops }, founder);
    expect(await groupOf(named)).toBe(shops);
  });
});

describe('sessions that the issuer has ended', () => {
  const { issuer } = person;
  const resolve = (subject: string, sessionId: string, issuedAt: Date | null, from = issuer) =>
    identity.authentication.resolveUser({ ...person, issuer: from, subject, sessionId, issuedAt });
  const end = (subject: string, sessionId: string, endedAt: Date, tokenId = newId()) =>
    identity.authentication.endSessions({ issuer, tokenId, subject, sessionId, endedAt });
  const [before, at, after] = ['11:59:00', '12:00:00', '12:01:00'].map((time) => new Date(`2026-03-01T${time}Z`)) as [
    Date,
    Date,
    Date,
  ];
  const refused = { kind: 'unauthenticated', code: 'invalid_token' };

  it('are refused by their id, however late their tokens were issued, and others of the person are not', async () => {
    await resolve('eda', 'one', before);
    await end('eda', 'one', at);
    for (const issuedAt of [before, after, null])
      expect(await refusalOf(resolve('eda', 'one', issuedAt))).toMatchObject(refused);
    for (const sessionId of ['two', '']) await resolve('eda', sessionId, before);
    await resolve('eda', 'one', before, 'https://other.test');
  });

  it('are those of whoever has the id, where nobody is named', async () => {
    await end('', 'nameless', at);
    expect(await refusalOf(resolve('flo', 'nameless', before))).toMatchObject(refused);
  });

  it('are all that the subject has begun until then, and none that begin later', async () => {
    await end('gil', '', at);
    for (const issuedAt of [before, at, null])
      for (const sessionId of ['one', ''])
        expect(await refusalOf(resolve('gil', sessionId, issuedAt))).toMatchObject(refused);
    await resolve('gil', 'one', after);
    await resolve('hal', 'one', before);
  });

  it('are told of once by each token', async () => {
    const tokenId = newId();
    await end('ida', 'one', at, tokenId);
    expect(await refusalOf(end('ida', 'two', at, tokenId))).toMatchObject({ code: 'logout_token_used' });
    await resolve('ida', 'two', before);
  });

  it('are forgotten when no token of theirs is good any more by itself', async () => {
    await end('jim', 'old', before);
    await end('jim', 'recent', after);
    const database = openDatabase({ url: identity.database.appUrl, applicationName: 'test', logger, poolMax: 1 });
    try {
      const useCases = authenticationUseCases({
        credentials: credentialsStore(database),
        keyUses: { note: () => undefined },
        clock: { now: () => new Date(at.getTime() + 30 * 24 * 60 * 60 * 1000) },
      });
      await useCases.forgetEndedSessions();
    } finally {
      await database.close();
    }
    await resolve('jim', 'old', before);
    expect(await refusalOf(resolve('jim', 'recent', before))).toMatchObject(refused);
  });
});

describe('tokens that were issued one after the other', () => {
  const resolve = (subject: string, second: number | null, email: string, more: { name?: string } = {}) =>
    identity.authentication.resolveUser({
      ...{ ...person, ...more, subject, email },
      issuedAt: second === null ? null : new Date(second * 1000),
    });
  const rowOf = async (subject: string) => {
    const database = openDatabase({ url: identity.database.appUrl, applicationName: 'test', logger, poolMax: 1 });
    try {
      const settings = { 'app.issuer': person.issuer, 'app.subject': subject };
      return await database.system(settings, (trx) =>
        trx('users').where({ issuer: person.issuer, subject }).first<object>('email', trx.raw('xmin::text')),
      );
    } finally {
      await database.close();
    }
  };

  it('leave what the newest says, and nothing is written for an older one', async () => {
    await resolve('lou', 50, 'old@people.example');
    expect(await resolve('lou', 100, 'new@people.example')).toMatchObject({ userEmail: 'new@people.example' });
    const row = await rowOf('lou');
    for (const second of [50, 99, null])
      expect(await resolve('lou', second, 'old@people.example', { name: 'Lou' })).toMatchObject({
        ...{ userEmail: 'new@people.example', userName: 'Ada' },
      });
    expect(await rowOf('lou')).toEqual(row);
    expect(await resolve('lou', 100, 'same@people.example')).toMatchObject({ userEmail: 'same@people.example' });
  });

  it('leave what the newest says also when they come at once', async () => {
    await resolve('mia', 1, 'first@people.example');
    const seconds = Array.from({ length: 20 }, (_, index) => index + 2);
    await Promise.all(seconds.map((second) => resolve('mia', second, `at-${second}@people.example`)));
    // Who met another one writing is heard the next time.
    await resolve('mia', 21, 'at-21@people.example');
    await Promise.all(seconds.map((second) => resolve('mia', second, `at-${second}@people.example`)));
    expect(await rowOf('mia')).toMatchObject({ email: 'at-21@people.example' });
  });

  it('are believed where it is not known when the one before was issued', async () => {
    await resolve('noa', null, 'first@people.example');
    expect(await resolve('noa', null, 'second@people.example')).toMatchObject({ userEmail: 'second@people.example' });
    expect(await resolve('noa', 50, 'third@people.example')).toMatchObject({ userEmail: 'third@people.example' });
    expect(await resolve('noa', 49, 'second@people.example')).toMatchObject({ userEmail: 'third@people.example' });
  });
});

describe('a token without an address', () => {
  it('stands for nobody whom we do not know, as that of a program, and takes no address from whom we know', async () => {
    const program = { ...person, subject: 'service-account', email: '' };
    expect(await refusalOf(identity.authentication.resolveUser(program))).toMatchObject({
      kind: 'forbidden',
      code: 'address_required',
    });
    const known = await identity.authentication.resolveUser({ ...person, subject: 'kim' });
    expect(await identity.authentication.resolveUser({ ...person, subject: 'kim', email: '' })).toEqual(known);
  });
});

describe('looking up callers who are known', () => {
  it('takes one round trip each, and leaves the connection with nothing in sight', async () => {
    const founder = await identity.found('Ned');
    const { apiKey } = await identity.apiKeys.createApiKey({ name: 'k' }, founder);
    const database = openDatabase({ url: identity.database.appUrl, applicationName: 'test', logger, poolMax: 1 });
    const transaction = () => Promise.reject(new Error('several round trips'));
    const credentials = credentialsStore({ ...database, system: transaction, tenant: transaction });
    try {
      const ned = { ...person, subject: 'Ned' };
      const found = await credentials.userWithMemberships(ned, noSession, (known) => known ?? { id: '', ...ned });
      expect(found).toMatchObject({ user: { name: 'Ned' }, memberships: [{ level: 'OWNER' }] });
      expect(await credentials.apiKeyByHash(apiKeyHash(apiKey))).toMatchObject({ creator: { name: 'Ned' } });
      for (const table of ['users', 'members', 'client_groups', 'api_keys', 'api_key_secrets']) {
        expect(await database.knex(table).select('*')).toEqual([]);
      }
    } finally {
      await database.close();
    }
  });
});
