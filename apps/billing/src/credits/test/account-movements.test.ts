import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { newId } from '@platform-backend/core';
import { createLogger } from '@platform-backend/core/logger';
import { openDatabase, type Database } from '@platform-backend/postgres';
import { migratedDatabase, newOrganisation } from '@platform-backend/service/testing';
import { repetitions, type ThrowawayPostgres } from '@platform-backend/testing';
import fc from 'fast-check';
import { systemActor } from '../../events.ts';
import { service } from '../../service.ts';
import { expireCredits, grantCredits, type CreditAccount } from '../domain/credit-account.ts';
import type { CreditAccounts } from '../domain/credit-accounts.ts';
import type { CreditReservation } from '../domain/reservation.ts';
import { creditAccountsStore } from '../store/credit-accounts-store.ts';
import { bookDebits } from '../store/debit-statement.ts';
import { debitFrom, releaseIn, reserveFrom, settleIn } from './account-movements.ts';

let postgres: ThrowawayPostgres;
let database: Database;
let credits: CreditAccounts;
beforeAll(async () => {
  const logger = createLogger({ service: 'billing', level: 'silent' });
  postgres = await migratedDatabase(service);
  database = openDatabase({ url: postgres.appUrl, applicationName: 'movements', logger });
  credits = creditAccountsStore(database, () => undefined);
});
afterAll(async () => {
  await database.close();
  await postgres.drop();
});

/** Small, so that accounts run out and limits are met exactly. */
const amounts = fc.bigInt({ min: 1n, max: 12n });
const picks = fc.nat(20);
const steps = fc.oneof(
  fc.record({ kind: fc.constant('grant' as const), amount: amounts, lastsSeconds: fc.option(fc.nat(20)) }),
  { weight: 4, arbitrary: fc.record({ kind: fc.constant('reserve' as const), amount: amounts }) },
  {
    weight: 2,
    arbitrary: fc.record({ kind: fc.constant('settle' as const), pick: picks, amount: fc.bigInt(0n, 14n) }),
  },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('release' as const), pick: picks }) },
  // Of a reservation, whatever has become of it, or of none.
  {
    weight: 2,
    arbitrary: fc.record({ kind: fc.constant('debit' as const), pick: fc.option(picks), amount: fc.bigInt(1n, 14n) }),
  },
  fc.record({ kind: fc.constant('expire' as const) }),
  fc.record({ kind: fc.constant('pass' as const), seconds: fc.nat(10) }),
);

it('the statements of the store do to an account what the domain says, whatever happens to it', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(steps, { minLength: 5, maxLength: 25 }), async (history) => {
      const by = systemActor(newOrganisation(), 'test');
      let at = new Date('2026-03-01T00:00:00.000Z');
      let account: CreditAccount | null = null;
      const reservations: CreditReservation[] = [];
      const stored = async () => (await credits.get(by.organisationId)).account;
      for (const step of history) {
        if (step.kind === 'pass') at = new Date(at.getTime() + step.seconds * 1_000);
        if (step.kind === 'grant') {
          const { amount, lastsSeconds } = step;
          const expiresAt = lastsSeconds === null ? null : new Date(at.getTime() + (1 + lastsSeconds) * 1_000);
          const wanted = { id: newId(), transactionId: newId(), source: newId(), amount, priority: 1, expiresAt };
          await credits.open(by, at, undefined);
          await credits.grant(by, wanted.source, at, (holdings) =>
            grantCredits(holdings, { ...wanted, kind: 'ADJUSTMENT' }, at),
          );
          account = await stored();
        }
        if (account === null) continue;
        if (step.kind === 'expire') {
          account = (await credits.update(by, at, (holdings) => expireCredits(holdings, by.organisationId, at, newId)))
            .account;
        }
        if (step.kind === 'reserve') {
          const wanted = {
            id: newId(),
            amount: step.amount,
            purpose: 'run',
            creditClass: 'AI' as const,
            clientGroupId: null,
            apiKeyId: null,
            service: 'pipelines',
            expiresAt: new Date(at.getTime() + 30_000),
          };
          const outcome = await credits.reserve(by, wanted, at, { heardAfter: null, at });
          const after = reserveFrom(account, step.amount, at);
          expect(outcome.kind).toBe(typeof after === 'string' ? after : 'reserved');
          if (outcome.kind === 'reserved') reservations.push(outcome.reservation);
          if (typeof after !== 'string') account = after;
        }
        if (step.kind === 'debit') {
          const index = step.pick === null ? -1 : step.pick % (reservations.length || 1);
          const reservation = reservations[index];
          const debit = {
            id: newId(),
            reservationId: reservation?.id ?? null,
            amount: step.amount,
            creditClass: 'AI' as const,
            purpose: 'run',
            workId: 'run_1',
            clientGroupId: null,
            apiKeyId: null,
            memberId: null,
            service: 'pipelines',
            occurredAt: at,
          };
          await database.tenant(by.organisationId, (trx) => bookDebits(trx, [{ by, debit }], at));
          account = debitFrom(account, debit, reservation?.status === 'OPEN' ? reservation : undefined, at);
          if (reservation?.status === 'OPEN') reservations[index] = { ...reservation, status: 'SETTLED' };
        }
        const reservation =
          'pick' in step && step.pick !== null ? reservations[step.pick % (reservations.length || 1)] : undefined;
        if (reservation && (step.kind === 'settle' || step.kind === 'release')) {
          const index = reservations.indexOf(reservation);
          const settles = step.kind === 'settle';
          const outcome = settles
            ? await credits.settle(by, reservation.id, step.amount, at)
            : await credits.release(by, reservation.id, at);
          const possible = reservation.status === 'OPEN' && (!settles || step.amount <= reservation.amount);
          expect(outcome.kind).toBe(possible ? 'finished' : 'unfinished');
          if (possible) {
            account = settles ? settleIn(account, reservation, step.amount, at) : releaseIn(account, reservation, at);
            reservations[index] = { ...reservation, status: settles ? 'SETTLED' : 'RELEASED' };
          }
        }
        expect(await stored()).toEqual(account);
      }
    }),
    { numRuns: repetitions({ usual: 6, long: 60 }) },
  );
}, 300_000);
