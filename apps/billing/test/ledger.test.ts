import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createLogger, DomainError, fixedClock, newId } from '@platform/core';
import { openDatabase, type Database } from '@platform/postgres';
import { throwawayPostgres, type ThrowawayPostgres } from '@platform/testing';
import type pg from 'pg';
import { reserveCredits, type ReserveParts } from '../src/app/credits/reserve-credits.ts';
import { sweepCredits } from '../src/app/credits/sweep-credits.ts';
import { billingItself } from '../src/domain/acting.ts';
import { grantCredits } from '../src/domain/credits/credit-account.ts';
import type { PriceBook } from '../src/domain/prices/price-book.ts';
import { migrateBilling } from '../src/migrate-billing.ts';
import { creditAccountsStore } from '../src/store/credit-accounts-store.ts';
import { connectAsSuperuser, ledgerFaults } from './ledger-soundness.ts';
import { newOrganisation } from './test-billing.ts';

/** LEDGER_OPERATIONS=100000 makes it the long run, which takes some minutes. */
const operations = Number(process.env['LEDGER_OPERATIONS'] ?? 3_000);
const workers = 12;
const organisations = Array.from({ length: 8 }, newOrganisation);
const logger = createLogger({ service: 'billing', level: 'silent' });

let postgres: ThrowawayPostgres;
let database: Database;
let superuser: pg.Client;
beforeAll(async () => {
  postgres = await throwawayPostgres();
  await migrateBilling({ migrationUrl: postgres.ownerUrl, databaseUrl: postgres.appUrl, logger });
  database = openDatabase({ url: postgres.appUrl, applicationName: 'ledger-test', poolMax: workers, logger });
  superuser = await connectAsSuperuser(postgres);
});
afterAll(async () => {
  await superuser.end();
  await database.close();
  await postgres.drop();
});

describe('the ledger', () => {
  it(`equals every balance after ${operations} random operations while connections are killed between statements`, async () => {
    const clock = fixedClock('2026-03-01T00:00:00.000Z');
    const parts: ReserveParts = {
      credits: creditAccountsStore(database, () => undefined),
      priceBook: { welcomeCredits: 0 } as PriceBook,
      clock,
      newId,
      recentPolicy: () => Promise.resolve(null),
    };
    const { killed, stop } = killConnections();
    const done = await randomOperations(parts, clock);
    await stop();
    expect(done.finished).toBe(operations);
    expect(killed()).toBeGreaterThan(operations / 1_000);
    // It was no test of refusals: most of it moved credits.
    expect(done.moved).toBeGreaterThan(operations / 4);

    expect(await ledgerFaults(superuser)).toEqual({});
  }, 900_000);

  it('is append-only: the role of the service can neither change nor remove a row of it', async () => {
    for (const table of ['ledger_transactions', 'ledger_entries']) {
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

/** Ends a connection of the service every few milliseconds, wherever it is just then. */
function killConnections() {
  let killed = 0;
  const stopping = new AbortController();
  const done = (async () => {
    while (!stopping.signal.aborted) {
      const { rowCount } = await superuser.query(
        `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
         WHERE application_name = 'ledger-test' AND state <> 'idle' ORDER BY random() LIMIT 1`,
      );
      killed += rowCount ?? 0;
      await new Promise((resolve) => setTimeout(resolve, 10 + Math.random() * 80));
    }
  })();
  return {
    killed: () => killed,
    stop: async () => {
      stopping.abort();
      await done;
    },
  };
}

async function randomOperations(parts: ReserveParts, clock: ReturnType<typeof fixedClock>) {
  const { credits } = parts;
  const reserve = reserveCredits(parts);
  const sweep = sweepCredits(parts);
  const open = new Map<string, string[]>(organisations.map((organisation) => [organisation, []]));
  let begun = 0;
  let finished = 0;
  let moved = 0;
  const chance = (below: number) => Math.floor(Math.random() * below);

  async function one(): Promise<void> {
    const organisation = organisations[chance(organisations.length)] ?? '';
    const by = billingItself(organisation, newId());
    const mine = open.get(organisation) ?? [];
    const known = mine[chance(mine.length)] ?? newId();
    const kind = chance(100);
    if (kind < 45) {
      const id = newId();
      await untilAnswered(() =>
        reserve(by, {
          id,
          amount: BigInt(1 + chance(50)),
          purpose: 'test',
          creditClass: kind % 2 === 0 ? 'AI' : 'INFRASTRUCTURE',
          clientGroupId: null,
          apiKeyId: null,
          service: 'pipelines',
          lifetimeSeconds: 1 + chance(50),
        }),
      );
      mine.push(id);
      if (mine.length > 40) mine.shift();
    } else if (kind < 65) await untilAnswered(() => credits.settle(by, known, BigInt(chance(20)), clock.now()));
    else if (kind < 80) await untilAnswered(() => credits.release(by, known, clock.now()));
    else if (kind < 85)
      await untilAnswered(() => credits.extend(organisation, [known], new Date(clock.now().getTime() + 30_000)));
    else if (kind < 94) await grant(by.organisationId);
    else if (kind < 97) await untilAnswered(sweep);
    else clock.advance(1_000);
  }

  async function grant(organisationId: string): Promise<void> {
    const at = clock.now();
    const source = newId();
    const expiresAt = chance(2) === 0 ? null : new Date(at.getTime() + 1_000 * (1 + chance(90)));
    const wanted = { id: newId(), transactionId: newId(), source, amount: BigInt(1 + chance(200)) };
    await untilAnswered(() =>
      credits.grant(billingItself(organisationId, newId()), source, at, (holdings) =>
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
        if (error.kind !== 'unavailable') return;
      }
    }
  }

  const work = async (): Promise<void> => {
    while (begun < operations) {
      begun += 1;
      await one();
      finished += 1;
    }
  };
  await Promise.all(Array.from({ length: workers }, work));
  return { finished, moved };
}

const isRecord = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null;
