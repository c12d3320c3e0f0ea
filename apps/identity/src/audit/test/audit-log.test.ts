import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { fixedClock, newId } from '@platform-backend/core';
import { refusalOf } from '@platform-backend/service/testing';
import { startTestIdentity, type TestIdentity } from '../../../test/test-identity.ts';

const clock = fixedClock(new Date());
let identity: TestIdentity;
beforeAll(async () => {
  identity = await startTestIdentity({ clock });
});
afterAll(() => identity.stop());

describe('the audit log', () => {
  it('says who changed what and when, on which request, before and after', async () => {
    const founder = await identity.found('Ada');
    const { id: groupId } = await identity.clientGroups.createClientGroup({ name: 'Retail' }, founder);
    clock.advance(1000);
    const requestId = newId();
    const change = { groupId, name: 'Shops', updateMask: { paths: ['name'] } };
    await identity.clientGroups.updateClientGroup(change, { ...founder, requestId });
    const { entries } = await identity.audit.listAuditEntries({ limit: 1 }, founder);
    expect(entries).toEqual([
      {
        id: expect.any(String),
        createdAt: clock.now(),
        actorType: 'user',
        actorId: founder.caller.userId,
        actorName: 'Ada',
        onBehalfOfUserId: null,
        onBehalfOfUserName: null,
        action: 'client_group.updated',
        targetType: 'client_group',
        targetId: groupId,
        before: { name: 'Retail' },
        after: { name: 'Shops' },
        requestId,
      },
    ]);
  });

  it('has one entry for every change and none for what changed nothing or was refused', async () => {
    const founder = await identity.found('Bob');
    const { id: groupId } = await identity.clientGroups.createClientGroup({ name: 'g' }, founder);
    await identity.clientGroups.archiveClientGroup({ groupId }, founder);
    await identity.clientGroups.archiveClientGroup({ groupId }, founder);
    await refusalOf(identity.clientGroups.makeDefaultClientGroup({ groupId }, founder));
    const { entries, totalCount } = await identity.audit.listAuditEntries({ includeTotal: true }, founder);
    expect(entries.map(({ action }) => action).sort()).toEqual([
      'client_group.archived',
      'client_group.created',
      'client_group.created',
      'member.added',
      'organisation.created',
    ]);
    expect(totalCount).toBe(5);
  });

  it('names keys, the users they act for, and services as actors', async () => {
    const founder = await identity.found('Cy');
    const { id, apiKey } = await identity.apiKeys.createApiKey({ name: 'Nightly', scopes: ['*:admin'] }, founder);
    await identity.clientGroups.createClientGroup({ name: 'By key' }, { caller: await identity.withKey(apiKey) });
    await identity.billing.organisations.applySubscription({
      organisationId: founder.organisation.id,
      version: '1',
      subscriptionTier: 'TEAM',
      maxMemberLimit: 9,
      seatsRenewalCycle: 'MONTHLY',
      seatsExpiredAt: new Date('2027-01-01T00:00:00.000Z'),
    });
    const by = async (actorId: string) => (await identity.audit.listAuditEntries({ actorId }, founder)).entries;
    expect(await by(id)).toMatchObject([
      {
        actorType: 'api_key',
        actorName: 'Nightly',
        onBehalfOfUserId: founder.caller.userId,
        onBehalfOfUserName: 'Cy',
        action: 'client_group.created',
      },
    ]);
    const ofUser = { onBehalfOfUserId: founder.caller.userId };
    expect((await identity.audit.listAuditEntries(ofUser, founder)).entries).toEqual(await by(id));
    expect(await by('billing')).toMatchObject([
      {
        actorType: 'service',
        onBehalfOfUserId: null,
        action: 'organisation.updated',
        after: { subscription_tier: 'TEAM', max_member_limit: 9 },
      },
    ]);
  });

  it('is filtered by action, target and time, and read page by page', async () => {
    const founder = await identity.found('Dan');
    const groups: string[] = [];
    for (const name of ['one', 'two', 'three']) {
      clock.advance(1000);
      groups.push((await identity.clientGroups.createClientGroup({ name }, founder)).id);
    }
    const list = async (filter: object) =>
      (await identity.audit.listAuditEntries(filter, founder)).entries.map(({ targetId }) => targetId);
    expect(await list({ targetId: groups[1] })).toEqual([groups[1]]);
    const second = new Date(clock.now().getTime() - 1000);
    expect(await list({ action: 'client_group.created', createdAfter: second })).toEqual([groups[2]]);
    expect(await list({ action: 'client_group.created', createdBefore: second })).toContain(groups[0]);
    const page = await identity.audit.listAuditEntries({ targetType: 'client_group', limit: 2 }, founder);
    expect(page.entries.map(({ targetId }) => targetId)).toEqual([groups[2], groups[1]]);
    expect((await list({ targetType: 'client_group', cursor: page.nextCursor }))[0]).toBe(groups[0]);
  });

  it('is read by ADMIN and OWNER alone, for it shows everybody’s keys and addresses', async () => {
    const founder = await identity.found('Eve');
    const admin = await identity.join(founder, 'Fay', 'ADMIN');
    const editor = await identity.join(founder, 'Flo', 'EDITOR');
    for (const caller of [founder.caller, admin]) {
      const { entries } = await identity.audit.listAuditEntries({ action: 'member.added' }, { caller });
      expect(entries.map(({ actorName }) => actorName).sort()).toEqual(['Eve', 'Fay', 'Flo']);
    }
    const reader = async (scope: string) => {
      const { apiKey } = await identity.apiKeys.createApiKey({ name: 'k', scopes: [scope] }, founder);
      return { caller: await identity.withKey(apiKey) };
    };
    for (const by of [{ caller: editor }, await reader('*:read'), await reader('audit_log:write')]) {
      expect(await refusalOf(identity.audit.listAuditEntries({}, by))).toMatchObject({ kind: 'forbidden' });
    }
    const { entries } = await identity.audit.listAuditEntries({ limit: 1 }, await reader('audit_log:admin'));
    expect(entries).toHaveLength(1);
  });

  it('never shows a secret', async () => {
    const founder = await identity.found('Gus');
    const { apiKey } = await identity.apiKeys.createApiKey({ name: 'k' }, founder);
    const { entries } = await identity.audit.listAuditEntries({ action: 'api_key.created' }, founder);
    expect(entries[0]?.after).toMatchObject({ name: 'k', key_prefix: apiKey.slice(0, 11) });
    expect(JSON.stringify(entries)).not.toContain(apiKey.slice(11));
  });

  it('cannot be changed or deleted by the service', async () => {
    const { database } = identity;
    const { default: pg } = await import('pg');
    const client = new pg.Client({ connectionString: database.appUrl });
    await client.connect();
    try {
      for (const statement of [
        'UPDATE audit_entries SET action = action',
        'DELETE FROM audit_entries',
        'TRUNCATE audit_entries',
      ]) {
        await expect(client.query(statement)).rejects.toThrow('permission denied');
      }
    } finally {
      await client.end();
    }
  });
});
