import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { DomainError, fixedClock, newId } from '@platform-backend/core';
import { createLogger } from '@platform-backend/core/logger';
import { openDatabase, type Database } from '@platform-backend/postgres';
import { migratedDatabase, newOrganisation } from '@platform-backend/service/testing';
import { repetitions, type ThrowawayPostgres } from '@platform-backend/testing';
import type pg from 'pg';
import { connectAsSuperuser, ledgerFaults } from '../../../test/ledger-soundness.ts';
import { systemActor } from '../../events.ts';
import type { PriceBook } from '../../prices/domain/price-book.ts';
import { service } from '../../service.ts';
import type { VersionedPolicy } from '../../usage/domain/client-policy.ts';
import { clientPoliciesStore } from '../../usage/store/client-policies-store.ts';
import { reserveCredits, type ReservePorts } from '../app/reserve-credits.ts';
import { sweepCredits } from '../app/sweep-credits.ts';
import { grantCredits } from '../domain/credit-account.ts';
import { creditAccountsStore } from '../store/credit-accounts-store.ts';
import { bookDebits } from '../store/debit-statement.ts';

/** The long form takes some minutes. */
const operations = repetitions({ usual: 4_000, long: 100_000 });
/** While it runs, all is looked at so many times; what is not so at every moment is never so. */
const looks = 4;
const killEvery = 200;
const workers = 12;
const organisations = Array.from({ length: 16 }, newOrganisation);
const logger = createLogger({ service: 'billing', level: 'silent' });
/** The one client group, of every organisation, that has a limit: in micros, as all amounts here; reached in time. */
const limited = { clientGroupId: newId(), limit: BigInt(60 + Math.floor(operations / 200)) };

/** Debits are no question of limits: what is done is owed. */
const unlimited = newId();

let postgres: ThrowawayPostgres;
let database: Database;
let superuser: pg.Client;
beforeAll(async () => {
  postgres = await migratedDatabase(service);
  database = openDatabase({ url: postgres.appUrl, applicationName: 'ledger-test', poolMax: workers, logger });
  superuser = await connectAsSuperuser(postgres);
  const policies = clientPoliciesStore(database);
  for (const organisation of organisations) await policies.learn(organisation, limitedGroup, new Date());
});
afterAll(async () => {
  await superuser.end();
  await database.close();
  await postgres.drop();
});

describe('the ledger', () => {
  it(`equals every balance after ${operations} random operations while connections are killed between statements`, async () => {
    const clock = fixedClock('2026-03-01T00:00:00.000Z');
    const ports: ReservePorts = {
      credits: creditAccountsStore(database, () => undefined),
      priceBook: { welcomeCredits: 0 } as PriceBook,
      clock,
      groupPolicies: { heardAfter: () => null, ask: () => Promise.resolve(), now: () => clock.now() },
    };
    const seen: Record<string, unknown[]>[] = [];
    let killed = 0;
    const done = await randomOperations(ports, clock, async (finished) => {
      if (finished % killEvery === 0) killed += await killOne();
      if (finished % Math.floor(operations / looks) === 0) seen.push(await faults());
    });
    expect(done.finished).toBe(operations);
    expect(killed).toBeGreaterThan(operations / killEvery / 4);
    // It was no test of refusals: most of it moved credits.
    expect(done.moved).toBeGreaterThan(operations / 4);
    expect(done.overLimit).toBeGreaterThan(0);

    expect(seen).toEqual(Array.from({ length: looks }, () => ({})));
    expect(await faults()).toEqual({});
  }, 900_000);

  it('is append-only: the role of the service can neither change nor remove a row of it', async () => {
    for (const table of ['ledger_transactions', 'ledger_entries', 'credit_debits']) {
      for (const attempt of [
        `UPDATE ${table} SET organisation_id = organisation_id`,
        `DELETE FROM ${table}`,
        `TRUNCATE ${table}`,
      ]) {
        const organisationId = organisations[0] ?? '';
        const refused = database.tenant(organisationId, (trx) => trx.raw(attempt).then());
        await expect(refused).rejects.toMatchObject({ code: '42501' });
      }
    }
  });

  it('takes no transaction that does not add up to zero', async () => {
    const organisationId = newOrganisation();
    const write = database.tenant(organisationId, async (trx) => {
      const id = newId();
      const common = { organisation_id: organisationId, created_at: new Date() };
      await trx('ledger_transactions').insert({
        ...common,
        id,
        kind: 'GRANT',
        available_after_micros: 5,
        purpose: 'x',
      });
      const entry = { organisation_id: organisationId, transaction_id: id };
      await trx('ledger_entries').insert([
        { ...entry, account: 'issued', amount_micros: -5 },
        { ...entry, account: 'available', amount_micros: 6 },
      ]);
    });
    await expect(write).rejects.toMatchObject({ constraint: 'ledger_transactions_balance' });
  });
});

const limitedGroup: VersionedPolicy = {
  version: 1n,
  isDefault: false,
  clientGroupId: limited.clientGroupId,
  countedFrom: '2026-03-01',
  policy: {
    periodDays: 30,
    aiCreditLimit: limited.limit,
    infrastructureCreditLimit: limited.limit,
    requestLimit: null,
    hardStop: true,
  },
};

const limitsPassed = `
  SELECT organisation_id, class, sum(micros) FROM (
    SELECT organisation_id, client_group_id, 'AI' AS class, ai_credits_micros AS micros FROM usage_days
    UNION ALL SELECT organisation_id, client_group_id, 'INFRASTRUCTURE', infrastructure_credits_micros FROM usage_days
    UNION ALL SELECT organisation_id, client_group_id, credit_class, amount_micros FROM credit_reservations
    WHERE status = 'OPEN') AS used
  WHERE client_group_id = '${limited.clientGroupId}' GROUP BY 1, 2 HAVING sum(micros) > ${limited.limit}`;

async function faults(): Promise<Record<string, unknown[]>> {
  const { rows } = await superuser.query<Record<string, string>>(limitsPassed);
  return { ...(await ledgerFaults(superuser)), ...(rows.length > 0 && { limits_passed: rows }) };
}

/** Ends a connection of the service in the midst of its work, wherever it is just then. Answers how many. */
async function killOne(): Promise<number> {
  const { rowCount } = await superuser.query(
    `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
     WHERE application_name = 'ledger-test' AND state <> 'idle' ORDER BY random() LIMIT 1`,
  );
  return rowCount ?? 0;
}

async function randomOperations(
  ports: ReservePorts,
  clock: ReturnType<typeof fixedClock>,
  afterEach: (finished: number) => Promise<void>,
) {
  const { credits } = ports;
  const open = new Map<string, string[]>(organisations.map((organisation) => [organisation, []]));
  let begun = 0;
  let finished = 0;
  let moved = 0;
  let overLimit = 0;
  const chance = (below: number) => Math.floor(Math.random() * below);

  async function one(): Promise<void> {
    const organisation = organisations[chance(organisations.length)] ?? '';
    const by = systemActor(organisation, newId());
    const mine = open.get(organisation) ?? [];
    /** An open reservation most of the time, and sometimes one that was finished before. */
    const known = () => {
      const index = chance(mine.length);
      return (chance(5) === 0 ? mine[index] : mine.splice(index, 1)[0]) ?? newId();
    };
    const kind = chance(100);
    if (kind < 48) {
      const id = newId();
      await untilAnswered(() =>
        reserveCredits(ports, by, {
          id,
          amount: BigInt(1 + chance(50)),
          purpose: 'test',
          creditClass: kind % 2 === 0 ? 'AI' : 'INFRASTRUCTURE',
          clientGroupId: kind % 3 === 0 ? limited.clientGroupId : null,
          apiKeyId: null,
          service: 'pipelines',
          lifetimeSeconds: 1 + chance(50),
        }),
      );
      mine.push(id);
      if (mine.length > 40) mine.shift();
    } else if (kind < 56) {
      const reservationId = known();
      // Twice now and then, as events come, and under an id that follows from the work.
      const id = chance(4) === 0 ? reservationId : newId();
      await untilAnswered(() =>
        database.tenant(organisation, (trx) =>
          bookDebits(
            trx,
            [
              {
                by,
                debit: {
                  ...{ id, reservationId, amount: BigInt(1 + chance(20)), creditClass: 'AI', purpose: 'test' },
                  ...{ workId: id, clientGroupId: unlimited, apiKeyId: null, memberId: null, service: 'pipelines' },
                  occurredAt: clock.now(),
                },
              },
            ],
            clock.now(),
          ),
        ),
      );
    } else if (kind < 73) {
      const [id, amount] = [known(), BigInt(chance(20))];
      await untilAnswered(() => credits.settle(by, id, amount, clock.now()));
    } else if (kind < 88) {
      const id = known();
      await untilAnswered(() => credits.release(by, id, clock.now()));
    } else if (kind < 91) {
      const until = new Date(clock.now().getTime() + 30_000);
      await untilAnswered(() => credits.extend(organisation, [...mine], until));
    } else if (kind < 95) await grant(by.organisationId);
    else if (kind < 96) await untilAnswered(() => sweepCredits({ ...ports, logger }));
    else clock.advance(1_000);
  }

  async function grant(organisationId: string): Promise<void> {
    const at = clock.now();
    const source = newId();
    const expiresAt = chance(2) === 0 ? null : new Date(at.getTime() + 1_000 * (1 + chance(90)));
    const wanted = { id: newId(), transactionId: newId(), source, amount: BigInt(1 + chance(200)) };
    await untilAnswered(() =>
      credits.grant(systemActor(organisationId, newId()), source, at, (holdings) =>
        grantCredits(holdings, { ...wanted, kind: 'ADJUSTMENT', priority: chance(3), expiresAt }, at),
      ),
    );
  }

  /** Calls until it is known what has happened, as a caller would: every call may be repeated. */
  async function untilAnswered(call: () => Promise<unknown>): Promise<void> {
    for (;;) {
      try {
        const answer = await call();
        if (!(isRecord(answer) && answer['kind'] === 'unfinished')) moved += 1;
        return;
      } catch (error) {
        if (!(error instanceof DomainError)) throw error;
        if (error.code === 'client_group_credit_limit_reached') overLimit += 1;
        if (error.kind !== 'unavailable') return;
      }
    }
  }

  const work = async (): Promise<void> => {
    while (begun < operations) {
      begun += 1;
      await one();
      finished += 1;
      await afterEach(finished);
    }
  };
  await Promise.all(Array.from({ length: workers }, work));
  return { finished, moved, overLimit };
}

const isRecord = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null;
