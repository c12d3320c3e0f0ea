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
