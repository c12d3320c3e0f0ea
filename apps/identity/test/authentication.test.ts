import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { refusalOf, startTestIdentity, type TestIdentity } from './test-identity.ts';

let identity: TestIdentity;
beforeAll(async () => {
  identity = await startTestIdentity();
});
afterAll(() => identity.stop());

const person = { issuer: 'https://id.test', name: 'Ada', email: 'ada@people.test', emailVerified: true };

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

  it('takes over a new name and address, also where members are listed', async () => {
    const { caller, organisation } = await identity.found('Cy');
    await identity.signIn('Cy', '', { email: 'cy@new.test' });
    const { members } = await identity.organisations.getCurrentOrganisation({}, { caller });
    expect(members).toMatchObject([{ user: { email: 'cy@new.test' } }]);
    expect(organisation.members).toMatchObject([{ user: { email: 'cy@people.test' } }]);
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
