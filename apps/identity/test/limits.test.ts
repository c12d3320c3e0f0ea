import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { refusalOf } from '@platform-backend/service/testing';
import { startTestIdentity, type Founder, type TestIdentity } from './test-identity.ts';

let identity: TestIdentity;
beforeAll(async () => {
  identity = await startTestIdentity();
});
afterAll(() => identity.stop());

/** Six bytes in JSON, more than any other character of a text has there or in UTF-8. */
const widest = '\u0001';
const maxName = widest.repeat(2000);
const tooLong = (field: string) => ({
  kind: 'invalid',
  violations: [{ type: 'string_too_long', loc: ['body', field], ctx: { max_length: 2000 } }],
});

const rename = (name: string, { caller }: Founder) =>
  identity.organisations.updateCurrentOrganisation({ name, updateMask: { paths: ['name'] } }, { caller });

describe('the name of an organisation', () => {
  it('may be as long in an update as when it was founded, and no longer', async () => {
    const caller = await identity.signIn('Ada');
    const found = (name: string) =>
      identity.organisations.createOrganisation({ email: 'ada@company.example', name, imageUrl: '' }, { caller });
    const organisation = await found(maxName);
    expect(organisation.name).toBe(maxName);
    const founder = { organisation, caller: await identity.signIn('Ada', organisation.id) };
    expect(await rename('\u{1f600}'.repeat(2000), founder)).toMatchObject({ name: '\u{1f600}'.repeat(2000) });
    expect(await refusalOf(found(`${maxName}.`))).toMatchObject(tooLong('name'));
    expect(await refusalOf(rename(`${maxName}.`, founder))).toMatchObject(tooLong('name'));
  });

  it('that was stored before there were limits is read as it is, and other fields can be changed', async () => {
    const founder = await identity.found('Bea');
    const { caller, organisation } = founder;
    const longAgo = 'x'.repeat(1_000_000);
    await identity.admin.query('UPDATE organisations SET name = $1 WHERE id = $2', [longAgo, organisation.id]);
    expect(await identity.organisations.getCurrentOrganisation({}, { caller })).toMatchObject({ name: longAgo });
    const change = { email: 'new@company.example', updateMask: { paths: ['email'] } };
    expect(await identity.organisations.updateCurrentOrganisation(change, { caller })).toMatchObject({
      name: longAgo,
      email: 'new@company.example',
    });
    expect(await rename('short', founder)).toMatchObject({ name: 'short' });
  });
});

describe('the name of an API key', () => {
  it('may be as long in an update as when it was made, and no longer', async () => {
    const { caller } = await identity.found('Cleo');
    const { id: keyId } = await identity.apiKeys.createApiKey({ name: maxName }, { caller });
    const renamed = (name: string) =>
      identity.apiKeys.updateApiKey({ keyId, name, updateMask: { paths: ['name'] } }, { caller });
    expect(await renamed('y'.repeat(2000))).toMatchObject({ name: 'y'.repeat(2000) });
    expect(await refusalOf(renamed('y'.repeat(2001)))).toMatchObject(tooLong('name'));
    const made = identity.apiKeys.createApiKey({ name: 'y'.repeat(2001) }, { caller });
    expect(await refusalOf(made)).toMatchObject(tooLong('name'));
  });
});

describe('an API key whose name was stored before there were limits', () => {
  it('makes changes like any other; history shows the beginning of its name', async () => {
    const { caller } = await identity.found('Flo');
    const { apiKey, id } = await identity.apiKeys.createApiKey({ name: 'k', scopes: ['*:admin'] }, { caller });
    await identity.admin.query(`UPDATE api_keys SET name = repeat('x', 1000000) WHERE id = $1`, [id]);
    const byKey = { caller: await identity.withKey(apiKey) };
    expect(await identity.clientGroups.createClientGroup({ name: 'g' }, byKey)).toMatchObject({ name: 'g' });
    const { entries } = await identity.audit.listAuditEntries({ actorId: id }, { caller });
    expect(entries).toMatchObject([{ action: 'client_group.created', actorName: 'x'.repeat(2000) }]);
  });
});

describe('the picture of an organisation', () => {
  it('is no link that a browser would run', async () => {
    const { caller } = await identity.found('Dan');
    const change = (imageUrl: string) =>
      identity.organisations.updateCurrentOrganisation({ imageUrl, updateMask: { paths: ['image_url'] } }, { caller });
    expect(await change('/logos/dan.png')).toMatchObject({ imageUrl: '/logos/dan.png' });
    expect(await refusalOf(change(' java\nscript:alert(1)'))).toMatchObject({
      violations: [{ type: 'url_scheme', loc: ['body', 'image_url'] }],
    });
  });
});

describe('access lists of client groups', () => {
  it('are refused when together they are larger than 256 KiB', async () => {
    const { caller } = await identity.found('Eve');
    const { id: groupId } = await identity.clientGroups.createClientGroup({ name: 'g' }, { caller });
    const set = (length: number) =>
      identity.clientGroups.setClientGroupAccess(
        {
          groupId,
          assetAccess: Array.from({ length }, () => ({ entry: { asset: 'x'.repeat(1000) } })),
          updateMask: { paths: ['asset_access'] },
        },
        { caller },
      );
    expect((await set(255)).assetAccess).toHaveLength(255);
    expect(await refusalOf(set(260))).toMatchObject({ violations: [{ type: 'bytes_too_long', loc: ['body'] }] });
  });
});

describe('the events of the largest changes that are let through', () => {
  it('are far below what NATS takes', async () => {
    const person = widest.repeat(255);
    const caller = await identity.signIn(person);
    const { id } = await identity.organisations.createOrganisation(
      { email: 'ada@company.example', name: maxName, imageUrl: 'x'.repeat(2048) },
      { caller },
    );
    const founder = { caller: await identity.signIn(person, id) };
    const scopes = Array.from({ length: 64 }, () => 'client_groups:admin');
    const { apiKey } = await identity.apiKeys.createApiKey({ name: maxName, scopes }, founder);
    const byKey = { caller: await identity.withKey(apiKey) };
    const group = { name: widest.repeat(120), description: widest.repeat(500) };
    const { id: groupId } = await identity.clientGroups.createClientGroup(group, byKey);
    // Nearly the 1 MiB that a group may hold.
    const fileAccess = Array.from({ length: 75 }, () => ({ entry: { [widest.repeat(255)]: maxName } }));
    await identity.clientGroups.setClientGroupAccess(
      { groupId, fileAccess, updateMask: { paths: ['file_access'] } },
      byKey,
    );
    const { rows } = await identity.admin.query<{ events: number; largest: number }>(
      `SELECT count(*)::int AS events, max(octet_length(envelope::text)) AS largest
       FROM outbox WHERE organisation_id = $1`,
      [id],
    );
    expect(rows[0]?.events).toBeGreaterThanOrEqual(12);
    expect(rows[0]?.largest).toBeGreaterThan(12_000);
    expect(rows[0]?.largest).toBeLessThan(64 * 1024);
  });
});
