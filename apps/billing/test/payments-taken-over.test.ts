import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { newId } from '@platform-backend/core';
import { createLogger } from '@platform-backend/core/logger';
import { openDatabase, type Database } from '@platform-backend/postgres';
import { migratedDatabase } from '@platform-backend/service/testing';
import type { ThrowawayPostgres } from '@platform-backend/testing';
import { up } from '../migrations/0061_payments.ts';
import { service } from '../src/service.ts';

const logger = createLogger({ service: 'billing', level: 'silent' });
let postgres: ThrowawayPostgres;
let superuser: Database;
let owner: Database;

beforeAll(async () => {
  postgres = await migratedDatabase(service);
  superuser = openDatabase({ url: postgres.adminUrl, applicationName: 'test', logger });
  owner = openDatabase({ url: postgres.ownerUrl, applicationName: 'test', logger });
});
afterAll(async () => {
  await Promise.all([superuser.close(), owner.close()]);
  await postgres.drop();
});

it('payments of the release before are taken over, with the keys under which they may be asked for again', async () => {
  const { knex } = superuser;
  const at = new Date('2026-04-01T12:00:00.000Z');
  const purchase = async (organisation: string, status: string, reference: string | null) => {
    const id = newId();
    await knex('credit_purchases').insert({
      ...{ id, organisation_id: organisation, status, credits: 70, currency: 'EUR', country: 'DE' },
      ...{ subtotal_minor: 70, tax_minor: 13, total_minor: 83, processor_reference: reference, buyer: '{}' },
      client_secret: status === 'REQUIRES_ACTION' ? 'secret' : null,
      created_at: at,
      finished_at: status === 'PENDING' || status === 'REQUIRES_ACTION' ? null : at,
    });
    return id;
  };
  const change = async (organisation: string, state: string, outcome: string | null, refusedBecomes: object | null) => {
    const id = newId();
    await knex('subscription_changes').insert({
      ...{ id, organisation_id: organisation, kind: 'renewed', state, outcome, currency: 'EUR', country: 'DE' },
      ...{
        subtotal_minor: 8_700,
        tax_minor: 1_653,
        total_minor: 10_353,
        check_version: 1,
        final_version: newVersion(),
      },
      plan: JSON.stringify({ if_paid: { tier: 'TEAM', seat_count: 3 }, if_refused: refusedBecomes }),
      ...{ started_by: '{}', request_id: 'r', started_at: at, lease_until: at },
      finished_at: state === 'done' ? at : null,
    });
    return id;
  };
  let version = 0;
  const newVersion = () => (version += 1);

  const [pending, waiting, paid] = [
    await purchase('org_ada', 'PENDING', null),
    await purchase('org_ada', 'REQUIRES_ACTION', 'pi_1'),
    await purchase('org_bob', 'SUCCEEDED', 'pi_2'),
  ];
  const [charging, refused, seatsTaken] = [
    await change('org_ada', 'charging', null, {}),
    await change('org_bob', 'done', 'payment_refused', null),
    await change('org_bob', 'done', 'seats_taken', null),
  ];
  await knex('charge_attempts').insert([
    { organisation_id: 'org_ada', idempotency_key: `purchase:${pending}`, payment_method: 'pm_1' },
    { organisation_id: 'org_ada', idempotency_key: charging, payment_method: 'pm_2' },
  ]);

  await owner.knex.raw('DROP TABLE payments CASCADE');
  await owner.knex.transaction(async (trx) => {
    await trx.raw(`SELECT set_config('platform.app_role', ?, true)`, [new URL(postgres.appUrl).username]);
    await up(trx);
  });

  const rows = await knex('payments').select<Record<string, unknown>[]>();
  const of = (subject: string) => rows.find(({ subject_id: id }) => id === subject);
  expect(of(pending)).toMatchObject({
    ...{ purpose: 'CREDIT_PURCHASE', state: 'PENDING', idempotency_key: `purchase:${pending}`, payment_method: 'pm_1' },
    ...{ attempt: 1, amount_minor: '83', description: '70 credits', next_look_at: expect.any(Date) },
  });
  expect(of(waiting)).toMatchObject({ state: 'REQUIRES_ACTION', reference: 'pi_1', client_secret: 'secret' });
  expect(of(paid)).toMatchObject({ organisation_id: 'org_bob', state: 'SUCCEEDED', next_look_at: null });
  expect(of(charging)).toMatchObject({
    ...{ purpose: 'SUBSCRIPTION_RENEWAL', state: 'PENDING', idempotency_key: charging, payment_method: 'pm_2' },
    ...{ payer_is_away: true, description: 'Subscription: TEAM, 3 seats' },
  });
  expect(of(refused)).toMatchObject({ purpose: 'SUBSCRIPTION_CHANGE', state: 'DECLINED', next_look_at: null });
  expect(of(seatsTaken)).toBeUndefined();
});
