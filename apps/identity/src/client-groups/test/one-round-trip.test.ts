import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { newId, serviceActorContext } from '@platform-backend/core';
import { createLogger } from '@platform-backend/core/logger';
import { openDatabase } from '@platform-backend/postgres';
import { startTestIdentity, type TestIdentity } from '../../../test/test-identity.ts';
import { createClientGroup } from '../domain/create-client-group.ts';
import { clientGroupsStore } from '../store/client-groups-store.ts';

let identity: TestIdentity;
beforeAll(async () => {
  identity = await startTestIdentity();
});
afterAll(() => identity.stop());

it('a group is made, with its event and its entry in the audit log, and read as a whole, in one round trip each', async () => {
  const { caller } = await identity.found('Ada');
  const { organisationId = '' } = caller;
  const database = openDatabase({
    url: identity.database.appUrl,
    applicationName: 'test',
    logger: createLogger({ service: 'test', level: 'silent' }),
  });
  let roundTrips = 0;
  const transaction = () => Promise.reject(new Error('several round trips'));
  const store = clientGroupsStore({
    ...database,
    system: transaction,
    tenant: transaction,
    statement: (...asked) => {
      roundTrips += 1;
      return database.statement(...asked);
    },
  });
  try {
    const wanted = { id: newId(), name: 'Retail', description: 'Shops' };
    const by = serviceActorContext('billing', organisationId, newId());
    const made = await store.add(by, createClientGroup(wanted, new Date()));
    expect(made).toMatchObject({ ...wanted, members: [], workspaces: [] });
    expect(roundTrips).toBe(1);
    expect(await store.getWhole(organisationId, wanted.id)).toMatchObject(wanted);
    expect(roundTrips).toBe(2);
    for (const [table, column] of [
      ['outbox', 'subject'],
      ['audit_entries', 'target_id'],
    ] as const) {
      const { rows } = await identity.admin.query(`SELECT 1 FROM ${table} WHERE ${column} = $1`, [wanted.id]);
      expect(rows.length).toBeGreaterThan(0);
    }
  } finally {
    await database.close();
  }
});
