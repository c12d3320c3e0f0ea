import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { ClientGroupUpdated } from '@platform-backend/contract-identity/events';
import { newId } from '@platform-backend/core';
import type { DeliveredEvent } from '@platform-backend/events';
import type { Database, Knex } from '@platform-backend/postgres';
import { newOrganisation } from '@platform-backend/service/testing';
import { repetitions } from '@platform-backend/testing';
import fc from 'fast-check';
import { migratedDatabase } from '../../../test/migrated-database.ts';
import { groupCreditLimit, type ClientPolicy } from '../domain/client-policy.ts';
import { onClientGroupChanged } from '../reactions/on-client-group-changed.ts';
import { clientPoliciesStore, savePolicy } from '../store/client-policies-store.ts';

let database: Database;
let close: () => Promise<void>;
beforeAll(async () => ({ database, close } = await migratedDatabase()));
afterAll(() => close());

const limits = fc.option(fc.bigInt({ min: 0n, max: 10n ** 15n }));
const policies: fc.Arbitrary<ClientPolicy> = fc.record({
  periodDays: fc.integer({ min: 1, max: 366 }),
  aiCreditLimit: limits,
  infrastructureCreditLimit: limits,
  requestLimit: limits,
  hardStop: fc.boolean(),
});
const moments = fc.date({ min: new Date('2019-01-01'), max: new Date('2035-01-01'), noInvalidDate: true });

describe('events of client groups', () => {
  const react = onClientGroupChanged<Knex.Transaction>(savePolicy);
  const [first, second] = [newId(), newId()];
  const changed = (groupId: string, version: number, isDefault: boolean, requestLimit: number | null) => ({
    client_group_id: groupId,
    changed_fields: ['policy'],
    group: {
      version: String(version),
      is_default: isDefault,
      created_at: '2026-01-05T12:00:00.000Z',
      policy: requestLimit === null ? null : policyOf(requestLimit),
    },
  });
  const policyOf = (requestLimit: number) => ({
    period_days: 7,
    ai_credit_limit: '3',
    infrastructure_credit_limit: null,
    request_limit: String(requestLimit),
    hard_stop: true,
  });
  /** As they happened: the default group moves from the first to the second, and both have other policies by then. */
  const history = [
    changed(first, 1, true, null),
    changed(second, 1, false, null),
    changed(first, 2, true, 10),
    { client_group_id: first, changed_fields: ['members'], group: null },
    changed(second, 2, false, 20),
    changed(first, 3, false, 10),
    changed(second, 3, true, 20),
    { client_group_id: second },
    changed(second, 4, true, 21),
  ];

  it('end with the same policies however late, often and out of order they come', async () => {
    const deliveries = fc
      .tuple(fc.shuffledSubarray(history, { minLength: history.length }), fc.shuffledSubarray(history))
      .map(([once, again]) => [...once, ...again]);
    await fc.assert(
      fc.asyncProperty(deliveries, async (delivered) => {
        const organisationId = newOrganisation();
        for (const data of delivered) {
          const event = { organisationId, data, time: new Date() } as unknown as DeliveredEvent<ClientGroupUpdated>;
          await database.tenant(organisationId, (trx) => react(trx, event));
        }
        const known = clientPoliciesStore(database);
        const limit = async (groupId: string | null) =>
          (await known.get(organisationId, groupId))?.policy?.requestLimit ?? null;
        expect([await limit(first), await limit(second), await limit(null)]).toEqual([10n, 21n, 21n]);
        expect(await known.get(organisationId, null)).toEqual({
          clientGroupId: second,
          countedFrom: '2026-01-05',
          policy: {
            periodDays: 7,
            aiCreditLimit: 3_000_000n,
            infrastructureCreditLimit: null,
            requestLimit: 21n,
            hardStop: true,
          },
        });
      }),
      { numRuns: repetitions({ usual: 6, long: 60 }) },
    );
  }, 120_000);
});

describe('the limit that the statement of a reservation holds', () => {
  it('is the one that the domain says, for every policy, class and moment', async () => {
    const days = moments.map((moment) => moment.toISOString().slice(0, 10));
    const known = clientPoliciesStore(database);
    await fc.assert(
      fc.asyncProperty(fc.option(policies), days, moments, async (policy, countedFrom, at) => {
        const organisationId = newOrganisation();
        const group = { clientGroupId: newId(), countedFrom, policy };
        await known.learn(organisationId, { ...group, version: 1n, isDefault: false }, at);
        for (const creditClass of ['AI', 'INFRASTRUCTURE'] as const) {
          const { rows } = await database.tenant(organisationId, (trx) =>
            trx.raw<{ rows: { amount: string; since: string }[] }>(
              `SELECT amount::text, since::text FROM client_policies,
                 group_credit_limit(policy, counted_from, ?, ?::timestamptz)`,
              [creditClass, at],
            ),
          );
          const [limit] = rows.map(({ amount, since }) => ({ amount: BigInt(amount), since }));
          expect(limit ?? null).toEqual(groupCreditLimit(group, creditClass, at));
        }
      }),
      { numRuns: repetitions({ usual: 12, long: 150 }) },
    );
  }, 120_000);
});
