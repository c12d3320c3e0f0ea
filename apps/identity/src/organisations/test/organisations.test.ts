import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { refusalOf } from '@platform-backend/service/testing';
import { startTestIdentity, type TestIdentity } from '../../../test/test-identity.ts';

let identity: TestIdentity;
beforeAll(async () => {
  identity = await startTestIdentity();
});
afterAll(() => identity.stop());

const subscription = {
  subscriptionTier: 'TEAM',
  maxMemberLimit: 20,
  seatsRenewalEnabled: true,
  seatsRenewalCycle: 'YEARLY',
  seatsExpiredAt: new Date('2027-01-01T00:00:00.000Z'),
  creditChecksEnabled: true,
  hasPlan: true,
} as const;

describe('creating an organisation', () => {
  it('makes the caller its OWNER, on the free tier, with a default client group', async () => {
    const { caller, organisation } = await identity.found('Ada');
    expect(organisation).toMatchObject({
      id: expect.stringMatching(/^org_[0-9A-HJKMNP-TV-Z]{26}$/),
      email: 'Ada@company.example',
      name: "Ada's company",
      imageUrl: '',
      members: [{ user: { id: caller.userId, name: 'Ada', email: 'ada@people.example' }, permissionLevel: 'OWNER' }],
      subscriptionTier: 'BASIC',
      maxMemberLimit: 5,
      seatsExpiredAt: expect.any(Date),
      hasPlan: false,
    });
    const { clientGroups } = await identity.clientGroups.listClientGroups({}, { caller });
    expect(clientGroups).toMatchObject([{ name: 'Default', isDefault: true, archived: false }]);
  });

  it('makes a second one with the same name when asked twice', async () => {
    const first = await identity.found('Bea');
    const second = await identity.found('Bea');
    expect(second.organisation.id).not.toBe(first.organisation.id);
  });

  it('is refused to an API key and to nobody', async () => {
    const { caller } = await identity.found('Cleo');
    const { apiKey } = await identity.apiKeys.createApiKey({ name: 'k', scopes: ['*:admin'] }, { caller });
    const request = { email: 'a@b.example', name: 'n', imageUrl: '' };
    const withKey = identity.organisations.createOrganisation(request, { caller: await identity.withKey(apiKey) });
    expect(await refusalOf(withKey)).toMatchObject({ kind: 'forbidden' });
    const nobody = { kind: 'anonymous', service: 'gateway', scopes: [] } as const;
    expect(await refusalOf(identity.organisations.createOrganisation(request, { caller: nobody }))).toMatchObject({
      kind: 'unauthenticated',
    });
  });
});

describe('reading organisations', () => {
  it("lists the caller's own, newest first, each with its members, page by page", async () => {
    const founders = [await identity.found('Dora'), await identity.found('Dora'), await identity.found('Dora')];
    const caller = await identity.signIn('Dora');
    const first = await identity.organisations.listOrganisations({ limit: 2, includeTotal: true }, { caller });
    const second = await identity.organisations.listOrganisations({ limit: 2, cursor: first.nextCursor }, { caller });
    expect(first.totalCount).toBe(3);
    expect(second.nextCursor).toBe('');
    const listed = [...first.organisations, ...second.organisations];
    expect(listed.map(({ id }) => id)).toEqual(founders.map(({ organisation }) => organisation.id).reverse());
    expect(listed.every(({ memberCount, permissionLevel }) => memberCount === 1 && permissionLevel === 'OWNER')).toBe(
      true,
    );
  });

  it('lists none for a person who belongs to none', async () => {
    const caller = await identity.signIn('Nobody');
    const { organisations } = await identity.organisations.listOrganisations({}, { caller });
    expect(organisations).toEqual([]);
  });

  it('answers the current one, and says what is missing when there is none', async () => {
    const { caller, organisation } = await identity.found('Eve');
    expect(await identity.organisations.getCurrentOrganisation({}, { caller })).toEqual(organisation);
    const outside = await identity.signIn('Outsider');
    expect(await refusalOf(identity.organisations.getCurrentOrganisation({}, { caller: outside }))).toMatchObject({
      kind: 'forbidden',
      message: expect.stringMatching(/^No organisation: create one .* or join one that has invited you/),
    });
  });

  it('refuses a cursor that is none', async () => {
    const caller = await identity.signIn('Eve');
    const refusal = await refusalOf(identity.organisations.listOrganisations({ cursor: 'nonsense' }, { caller }));
    expect(refusal).toMatchObject({ kind: 'invalid', violations: [{ loc: ['query', 'cursor'] }] });
  });
});

describe('changing an organisation', () => {
  it('changes the fields of the mask alone', async () => {
    const { caller } = await identity.found('Fay');
    const changed = await identity.organisations.updateCurrentOrganisation(
      { name: 'New', email: 'ignored@x.example', updateMask: { paths: ['name'] } },
      { caller },
    );
    expect(changed).toMatchObject({ name: 'New', email: 'Fay@company.example' });
  });

  it('is refused below ADMIN', async () => {
    const founder = await identity.found('Gil');
    const editor = await identity.join(founder, 'Hal', 'EDITOR');
    const change = identity.organisations.updateCurrentOrganisation({ name: 'New' }, { caller: editor });
    expect(await refusalOf(change)).toMatchObject({ kind: 'forbidden' });
  });
});

describe('deleting an organisation', () => {
  it('ends it for all members and keys at once, and happens once', async () => {
    const founder = await identity.found('Ida');
    const { caller, organisation } = founder;
    const member = await identity.join(founder, 'Jon', 'ADMIN');
    const { apiKey } = await identity.apiKeys.createApiKey({ name: 'k', scopes: ['*:admin'] }, { caller });
    expect(await identity.organisations.deleteCurrentOrganisation({}, { caller })).toEqual({
      id: organisation.id,
      deleted: true,
    });
    expect(await refusalOf(identity.withKey(apiKey))).toMatchObject({ kind: 'unauthenticated' });
    expect(await refusalOf(identity.signIn('Jon', organisation.id))).toMatchObject({ kind: 'forbidden' });
    for (const late of [caller, member]) {
      expect(await refusalOf(identity.organisations.getCurrentOrganisation({}, { caller: late }))).toMatchObject({
        kind: 'not_found',
        message: 'Organisation not found',
      });
    }
    expect(await refusalOf(identity.organisations.deleteCurrentOrganisation({}, { caller }))).toMatchObject({
      kind: 'not_found',
    });
  });

  it('is refused below OWNER', async () => {
    const founder = await identity.found('Kim');
    const admin = await identity.join(founder, 'Lea', 'ADMIN');
    expect(await refusalOf(identity.organisations.deleteCurrentOrganisation({}, { caller: admin }))).toMatchObject({
      kind: 'forbidden',
    });
  });
});

describe('resolving an organisation', () => {
  it('tells billing what it is called, and nobody else', async () => {
    const { caller, organisation } = await identity.found('Lou');
    const request = { organisationId: organisation.id };
    const resolved = { organisationId: organisation.id, name: organisation.name };
    expect(await identity.billing.organisations.resolveOrganisation(request)).toEqual(resolved);
    expect(await refusalOf(identity.organisations.resolveOrganisation(request, { caller }))).toMatchObject({
      kind: 'forbidden',
    });
    const none = identity.billing.organisations.resolveOrganisation({ organisationId: 'org_none' });
    expect(await refusalOf(none)).toMatchObject({ kind: 'not_found' });
  });
});

describe('applying a subscription', () => {
  it('takes over what billing says, once per version, whatever comes late', async () => {
    const { caller, organisation } = await identity.found('Max');
    const apply = (version: string, maxMemberLimit: number) =>
      identity.billing.organisations.applySubscription({
        ...subscription,
        organisationId: organisation.id,
        version,
        maxMemberLimit,
      });
    const applied = async () => identity.organisations.getCurrentOrganisation({}, { caller });
    expect(await apply('2', 20)).toEqual({ organisationId: organisation.id, name: organisation.name });
    expect(await applied()).toMatchObject({ ...subscription, maxMemberLimit: 20 });
    await apply('2', 30);
    await apply('1', 40);
    expect(await applied()).toMatchObject({ maxMemberLimit: 20 });
  });

  it('is refused to everybody but billing', async () => {
    const { caller, organisation } = await identity.found('Ned');
    const request = { ...subscription, organisationId: organisation.id, version: '1' };
    expect(await refusalOf(identity.organisations.applySubscription(request, { caller }))).toMatchObject({
      kind: 'forbidden',
    });
    expect(await refusalOf(identity.organisations.applySubscription(request))).toMatchObject({ kind: 'forbidden' });
  });

  it('does not find an organisation that is none', async () => {
    const request = { ...subscription, organisationId: 'org_none', version: '1' };
    expect(await refusalOf(identity.billing.organisations.applySubscription(request))).toMatchObject({
      kind: 'not_found',
    });
  });
});
