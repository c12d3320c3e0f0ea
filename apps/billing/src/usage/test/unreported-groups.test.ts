import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { newId, serviceActorContext } from '@platform-backend/core';
import { newOrganisation } from '@platform-backend/service/testing';
import { migratedDatabase } from '../../../test/migrated-database.ts';
import { usageStore } from '../store/usage-store.ts';

let postgres: Awaited<ReturnType<typeof migratedDatabase>>;
beforeAll(async () => (postgres = await migratedDatabase()));
afterAll(() => postgres.close());

describe('groups whose usage is to be reported', () => {
  it('take turns where more of them go on than are looked at in one go', async () => {
    const usage = usageStore(postgres.database);
    const now = new Date();
    const all: string[] = [];
    for (const organisationId of [newOrganisation(), newOrganisation(), newOrganisation()]) {
      for (const clientGroupId of [newId(), newId()]) {
        const record = { id: newId(), clientGroupId, apiKeyId: null, requests: 1n, occurredAt: now };
        await usage.record(serviceActorContext('billing', organisationId, newId()), [record], now);
        all.push(`${organisationId} ${clientGroupId}`);
      }
    }
    const looked: string[] = [];
    for (let round = 0; round < 3; round += 1) {
      const found = await usage.unreported(4);
      looked.push(...found.map(({ organisationId, clientGroupId }) => `${organisationId} ${clientGroupId}`));
    }
    expect(looked.sort()).toEqual(all.flatMap((group) => [group, group]).sort());
  });
});

describe('hours of usage', () => {
  it('are forgotten when they are old, also of requests of no group and of organisations that count nothing any more', async () => {
    const usage = usageStore(postgres.database);
    const [gone, kept] = [new Date('2026-01-01T10:30:00Z'), new Date('2026-04-01T10:30:00Z')];
    const organisations = [newOrganisation(), newOrganisation()];
    const hoursOf = async (organisationId: string) => {
      const nobody = { clientGroupId: null, apiKeyId: null, memberId: null };
      const hours = { from: new Date('2026-01-01T00:00:00Z'), to: new Date('2026-05-01T00:00:00Z'), ...nobody };
      const page = { limit: 10, cursor: '', includeTotal: false };
      return (await usage.listHours(organisationId, hours, page)).items.map(({ key }) => key);
    };
    for (const organisationId of organisations) {
      for (const occurredAt of [gone, kept]) {
        const record = { id: newId(), clientGroupId: null, apiKeyId: null, requests: 1n, occurredAt };
        await usage.record(serviceActorContext('billing', organisationId, newId()), [record], kept);
      }
    }
    expect(await usage.forgetHours(new Date('2026-03-01T00:00:00Z'))).toBe(2);
    for (const organisationId of organisations) expect(await hoursOf(organisationId)).toEqual(['2026-04-01T10:00:00Z']);
    expect(await usage.forgetHours(new Date('2026-03-01T00:00:00Z'))).toBe(0);
  });
});
