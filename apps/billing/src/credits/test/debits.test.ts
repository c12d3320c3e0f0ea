import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { DebitCreated } from '@platform-backend/contract-billing/events';
import { fixedClock, newId, serviceActorContext } from '@platform-backend/core';
import { encodeEvent, publishedEvent } from '@platform-backend/events';
import { deadLettersAt, deliverAgain, openLibrary, unfinishedOf, type Library } from '@platform-backend/events/testing';
import { member, newOrganisation, refusalOf, service } from '@platform-backend/service/testing';
import { repetitions, waitFor } from '@platform-backend/testing';
import fc from 'fast-check';
import type pg from 'pg';
import { connectAsSuperuser, ledgerFaults } from '../../../test/ledger-soundness.ts';
import { micros, startTestBilling, type TestBilling } from '../../../test/test-billing.ts';

const noon = '2026-03-02T12:00:00.000Z';
const clock = fixedClock(noon);
let library: Library;
let billing: TestBilling;
let superuser: pg.Client;
beforeAll(async () => {
  library = await openLibrary();
  billing = await startTestBilling({
    natsUrl: library.nats.url,
    clock,
    environment: { BILLING_WELCOME_CREDITS: '5' },
  });
  superuser = await connectAsSuperuser(billing.database);
});
afterAll(async () => {
  await superuser.end();
  await billing.stop();
  await library.close();
});

type Told = Partial<DebitCreated> & { readonly debit_id: string };

/** What content publishes about work that has cost so many credits. */
function debit(credits: number, more: Partial<DebitCreated> = {}): Told {
  return {
    debit_id: newId(),
    reservation_id: null,
    amount_micros: micros(credits),
    credit_class: 'AI',
    purpose: 'assistant_message',
    work_id: 'message_1',
    client_group_id: null,
    api_key_id: null,
    member_id: null,
    occurred_at: noon,
    ...more,
  };
}

/** Publishes it as another event each time, unless the event is given an id. */
const deliver = (organisationId: string, data: Told, id = newId()) => {
  const by = serviceActorContext('content', organisationId, newId());
  const event = publishedEvent('content', by, {
    name: 'debit.created',
    subject: data.debit_id,
    at: new Date(noon),
    data,
  });
  return deliverAgain(library.bus, encodeEvent({ ...event, id }), 'platform.v1.content.debit.created');
};

const balance = async (organisationId: string) => {
  const { availableMicros, reservedMicros } = await billing.credits.getCreditBalance(
    {},
    member(organisationId, 'ADMIN'),
  );
  return [Number(availableMicros) / 1e6, Number(reservedMicros) / 1e6];
};

const grant = async (organisationId: string, credits: number) => {
  await billing.openAccount(organisationId);
  await billing.grant(organisationId, credits);
};

const reserve = async (organisationId: string, credits: number, more: { clientGroupId?: string } = {}) => {
  const reservationId = newId();
  const request = { reservationId, amountMicros: micros(credits), purpose: 'assistant_message', ...more };
  await billing.asService('content').credits.reserveCredits(request, service('content', organisationId));
  return reservationId;
};

const debitsOf = async (organisationId: string) =>
  (await billing.credits.listCreditTransactions({ kind: ['DEBIT'], limit: 200 }, member(organisationId, 'ADMIN')))
    .transactions;

const booked = (organisationId: string, count = 1) =>
  waitFor(async () => {
    const transactions = await debitsOf(organisationId);
    return transactions.length >= count ? transactions : undefined;
  });

/** All that was told so far has been dealt with, whatever came of it. */
const handled = () =>
  waitFor(async () => (await unfinishedOf(library.bus, 'billing-on-debit-created')) === 0, {
    what: 'all debits to be handled',
  });

describe('a debit', () => {
  it('takes what the work has cost of its reservation and gives back the rest', async () => {
    const organisation = newOrganisation();
    await grant(organisation, 10);
    const reservationId = await reserve(organisation, 4);
    const told = debit(3, { reservation_id: reservationId });
    await deliver(organisation, told);
    expect(await booked(organisation)).toMatchObject([
      {
        availableChangeMicros: micros(1),
        reservedChangeMicros: micros(-4),
        availableAfterMicros: micros(7),
        purpose: 'assistant_message',
        reservationId,
        debitId: told.debit_id,
        workId: 'message_1',
      },
    ]);
    expect(await balance(organisation)).toEqual([7, 0]);
  });

  it('is booked all the same when its reservation has expired, and the balance is shown below zero', async () => {
    const organisation = newOrganisation();
    await grant(organisation, 3);
    const reservationId = await reserve(organisation, 3);
    clock.advance(31_000);
    await waitFor(async () => (await balance(organisation))[1] === 0);
    await reserve(organisation, 2);
    await deliver(organisation, debit(3, { reservation_id: reservationId }));
    await booked(organisation);
    expect(await balance(organisation)).toEqual([-2, 2]);
    expect(await refusalOf(reserve(organisation, 1))).toMatchObject({ kind: 'payment_required' });
    // What is owed is taken from what comes next.
    await grant(organisation, 5);
    expect(await balance(organisation)).toEqual([3, 2]);
  });

  it('is booked all the same when its reservation was released, or there never was one', async () => {
    const organisation = newOrganisation();
    await grant(organisation, 10);
    const reservationId = await reserve(organisation, 4);
    await billing.asService('content').credits.releaseCredits({ reservationId }, service('content', organisation));
    await deliver(organisation, debit(4, { reservation_id: reservationId }));
    await deliver(organisation, debit(1, { reservation_id: newId() }));
    await deliver(organisation, debit(2));
    await booked(organisation, 3);
    expect(await balance(organisation)).toEqual([3, 0]);
  });

  it('is booked once by its id, however often and as which event it comes', async () => {
    const organisation = newOrganisation();
    await grant(organisation, 10);
    const told = debit(3);
    const eventId = newId();
    await Promise.all(Array.from({ length: 4 }, () => deliver(organisation, told, eventId)));
    await Promise.all(Array.from({ length: 4 }, () => deliver(organisation, told)));
    await handled();
    expect(await debitsOf(organisation)).toHaveLength(1);
    expect(await balance(organisation)).toEqual([7, 0]);
  });

  it('is booked together with others that come at the same time, each with its line in the ledger', async () => {
    const organisation = newOrganisation();
    await grant(organisation, 100);
    const reservationId = await reserve(organisation, 5);
    const versions = async () => {
      const { rows } = await superuser.query<{ version: string }>(
        'SELECT version FROM credit_accounts WHERE organisation_id = $1',
        [organisation],
      );
      return Number(rows[0]?.version);
    };
    const before = await versions();
    // Two of them name the same reservation, which can be settled once.
    const told = Array.from({ length: 40 }, (_, at) => debit(1, at < 2 ? { reservation_id: reservationId } : {}));
    await Promise.all(told.map((one) => deliver(organisation, one)));
    const transactions = (await booked(organisation, told.length)).toReversed();
    expect(transactions.map(({ debitId }) => debitId).toSorted()).toEqual(
      told.map(({ debit_id: id }) => id).toSorted(),
    );
    expect(await balance(organisation)).toEqual([60, 0]);
    let available = 95_000_000;
    for (const { availableChangeMicros: change, availableAfterMicros: after } of transactions) {
      available += Number(change);
      expect(Number(after)).toBe(available);
    }
    expect((await versions()) - before).toBeLessThan(told.length);
    expect(await ledgerFaults(superuser)).toEqual({});
  });

  it('of an organisation that has never had credits opens its account, with the welcome', async () => {
    const organisation = newOrganisation();
    await deliver(organisation, debit(7));
    await booked(organisation);
    expect(await balance(organisation)).toEqual([-2, 0]);
    expect((await billing.credits.listCreditGrants({}, member(organisation, 'ADMIN'))).grants).toMatchObject([
      { kind: 'WELCOME', remainingMicros: '0' },
    ]);
  });

  it('counts for the day of the work, its key and the group of its reservation', async () => {
    const organisation = newOrganisation();
    await grant(organisation, 10);
    const [clientGroupId, apiKeyId] = [newId(), newId()];
    const reservationId = await reserve(organisation, 4, { clientGroupId });
    const occurred = '2026-02-27T23:59:59.000Z';
    await deliver(
      organisation,
      debit(3, { reservation_id: reservationId, api_key_id: apiKeyId, occurred_at: occurred }),
    );
    await booked(organisation);
    const by = async (groupBy: 'day' | 'client_group' | 'api_key') =>
      (await billing.usage.getUsage({ groupBy }, member(organisation, 'ADMIN'))).usage;
    expect(await by('day')).toMatchObject([{ key: '2026-02-27', aiCreditsMicros: micros(3) }]);
    expect(await by('client_group')).toMatchObject([{ key: clientGroupId, aiCreditsMicros: micros(3) }]);
    expect(await by('api_key')).toMatchObject([{ key: apiKeyId, aiCreditsMicros: micros(3) }]);
  });

  it('counts for the member for whom the work was done, and what is nobody’s is counted so', async () => {
    const organisation = newOrganisation();
    await grant(organisation, 100);
    const [ada = '', bob = ''] = [newId(), newId()].toSorted();
    const [clientGroupId, apiKeyId] = [newId(), newId()];
    const yesterday = '2026-03-01T12:00:00.000Z';
    const told = [
      debit(1, { member_id: ada }),
      debit(2, { member_id: ada, client_group_id: clientGroupId, credit_class: 'INFRASTRUCTURE' }),
      debit(4, { member_id: ada, api_key_id: apiKeyId, occurred_at: yesterday }),
      debit(8, { member_id: bob, client_group_id: clientGroupId }),
      debit(16),
    ];
    await Promise.all(told.map((one) => deliver(organisation, one)));
    await booked(organisation, told.length);
    const usage = async (request: Parameters<TestBilling['usage']['getUsage']>[0]) => {
      const answer = await billing.usage.getUsage(request, member(organisation, 'ADMIN'));
      const rows = answer.usage.map(({ key, aiCreditsMicros, infrastructureCreditsMicros }) => [
        key,
        Number(aiCreditsMicros) / 1e6,
        Number(infrastructureCreditsMicros) / 1e6,
      ]);
      return { ...answer, rows };
    };
    expect((await usage({ groupBy: 'member' })).rows).toEqual([
      [bob, 8, 0],
      [ada, 5, 2],
      [null, 16, 0],
    ]);
    expect((await usage({ groupBy: 'day', memberId: ada })).rows).toEqual([
      ['2026-03-02', 1, 2],
      ['2026-03-01', 4, 0],
    ]);
    expect((await usage({ groupBy: 'member', clientGroupId })).rows).toEqual([
      [bob, 8, 0],
      [ada, 0, 2],
    ]);
    expect((await usage({ groupBy: 'client_group', memberId: ada, apiKeyId })).rows).toEqual([[null, 4, 0]]);
    const first = await usage({ groupBy: 'member', limit: 2, includeTotal: true });
    expect([first.rows.length, first.totalCount]).toEqual([2, 3]);
    const second = await usage({ groupBy: 'member', limit: 2, cursor: first.nextCursor });
    expect([second.rows, second.nextCursor]).toEqual([[[null, 16, 0]], '']);
  });

  it.each([
    ['an amount below zero', { amount_micros: '-5' }],
    ['no amount', { amount_micros: '0' }],
    ['a class that there is not', { credit_class: 'GOLD' }],
    ['an id that is none', { reservation_id: 'x' }],
    ['a time that is none', { occurred_at: 'yesterday' }],
  ])('with %s is a dead letter, where operators find it', async (_what, wrong) => {
    const organisation = newOrganisation();
    await grant(organisation, 10);
    const told = debit(1, wrong);
    await deliver(organisation, told);
    await waitFor(async () => {
      const letters = await deadLettersAt(library.bus, { consumer: 'billing-on-debit-created' });
      return letters.some((letter) => JSON.stringify(letter).includes(told.debit_id));
    });
    expect(await balance(organisation)).toEqual([10, 0]);
  });
});

describe('debits of many organisations', () => {
  /** Holds an account until the work is done. */
  const whileBusy = async (organisationId: string, work: () => Promise<void>): Promise<void> => {
    await superuser.query('BEGIN');
    try {
      await superuser.query('SELECT FROM credit_accounts WHERE organisation_id = $1 FOR UPDATE', [organisationId]);
      await work();
    } finally {
      await superuser.query('COMMIT');
    }
  };

  it('are booked at once, each for its own, also where one is bad, has no account, a time of its own or another one’s id', async () => {
    const [rich = '', poor = '', fresh = '', ahead = ''] = Array.from({ length: 4 }, newOrganisation);
    for (const organisation of [rich, poor, ahead]) await grant(organisation, 10);
    await billing.testClocks.createTestClock({ name: 'ahead' }, member(ahead));
    const [reservationId, shared] = [await reserve(rich, 4), debit(2)];
    await Promise.all([
      deliver(rich, debit(1, { reservation_id: reservationId })),
      deliver(rich, debit(1, { amount_micros: 'many' })),
      // Ids are chosen by services, and need only be unique for one organisation.
      ...[rich, poor, poor, fresh, ahead].map((organisation) => deliver(organisation, shared)),
      deliver(poor, debit(9)),
      // Of somebody else, and so of nobody.
      deliver(fresh, debit(1, { reservation_id: reservationId })),
    ]);
    await handled();
    expect(await Promise.all([rich, poor, fresh, ahead].map(balance))).toEqual([
      [7, 0],
      [-1, 0],
      [2, 0],
      [8, 0],
    ]);
    expect(await ledgerFaults(superuser)).toEqual({});
  });

  it('do not wait for the one whose account is busy', async () => {
    const [busy = '', ...others] = Array.from({ length: 5 }, newOrganisation);
    for (const organisation of [busy, ...others]) await grant(organisation, 10);
    await whileBusy(busy, async () => {
      await Promise.all([busy, ...others, busy].map((organisation) => deliver(organisation, debit(1))));
      for (const organisation of others) await booked(organisation);
    });
    await booked(busy, 2);
    expect(await Promise.all([busy, ...others].map(balance))).toEqual([[8, 0], ...others.map(() => [9, 0])]);
  });

  it('are no way to those of another organisation', async () => {
    const [mine, yours] = [newOrganisation(), newOrganisation()];
    const foreign = [JSON.stringify([{ organisation_id: yours, at: noon, exhausted: {} }]), '[]', true];
    await expect(
      billing.pool.tenant(mine, (trx) => trx.raw('SELECT * FROM book_debits(?, ?, ?)', foreign)),
    ).rejects.toThrow('debits of another organisation');
    // Whoever has booked sees no more than before.
    await grant(yours, 10);
    const seen = await billing.pool.system({}, async (trx) => {
      await trx.raw('SELECT * FROM book_debits(?, ?, ?)', foreign);
      return trx('credit_accounts').select();
    });
    expect(seen).toEqual([]);
  });
});

/** One piece of work: what was set aside for it, what it has cost, and what happens meanwhile. */
const work = fc.record({
  reserved: fc.integer({ min: 1, max: 9 }),
  cost: fc.integer({ min: 1, max: 9 }),
  isReserved: fc.boolean(),
  isReleased: fc.boolean(),
  times: fc.integer({ min: 1, max: 3 }),
});

describe('debits and reservations', () => {
  it('in any order, late and repeated, leave a ledger in which each piece of work is paid for once', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(work, { minLength: 1, maxLength: 8 }),
        fc.infiniteStream(fc.nat()),
        async (pieces, picks) => {
          const organisation = newOrganisation();
          await grant(organisation, 200);
          const content = billing.asService('content').credits;
          const as = service('content', organisation);
          /** Each piece's steps follow each other, but for its debits, which come whenever they like. */
          const steps = pieces.flatMap(({ isReserved, isReleased, reserved, cost, times }) => {
            const reservationId = newId();
            const told = debit(cost, { reservation_id: isReserved ? reservationId : null });
            const request = { reservationId, amountMicros: micros(reserved), purpose: 'x' };
            return [
              ...(isReserved
                ? [
                    async () => {
                      await content.reserveCredits(request, as);
                      // Whatever has become of it by then.
                      if (isReleased) await content.releaseCredits({ reservationId }, as).catch(() => undefined);
                    },
                  ]
                : []),
              ...Array.from({ length: times }, () => () => deliver(organisation, told)),
            ];
          });
          const order = steps.map((step) => ({ step, at: picks.next().value as number }));
          await Promise.all(order.toSorted((one, other) => one.at - other.at).map(({ step }) => step()));
          await handled();
          const spent = pieces.reduce((sum, { cost }) => sum + cost, 0);
          expect(await debitsOf(organisation)).toHaveLength(pieces.length);
          const [available = 0, open = 0] = await balance(organisation);
          expect(available + open).toBe(200 - spent);
        },
      ),
      { numRuns: repetitions({ usual: 4, long: 100 }) },
    );
    expect(await ledgerFaults(superuser)).toEqual({});
  }, 300_000);
});
