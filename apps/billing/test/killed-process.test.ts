import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { DomainError, newId, serviceActorContext } from '@platform-backend/core';
import { createLogger } from '@platform-backend/core/logger';
import { freePort } from '@platform-backend/embedded';
import {
  encodeEvent,
  openEventBus,
  publishedEvent,
  subscribe,
  type EventBus,
  type Subscription,
} from '@platform-backend/events';
import { setUpStreams } from '@platform-backend/events/set-up';
import { deliverAgain } from '@platform-backend/events/testing';
import { migratedDatabase, service, startService, type ServiceProcess } from '@platform-backend/service/testing';
import {
  repetitions,
  throwawayNats,
  type ThrowawayNats,
  type ThrowawayPostgres,
  waitFor,
} from '@platform-backend/testing';
import { setTimeout as delay } from 'node:timers/promises';
import type pg from 'pg';
import { service as billing } from '../src/service.ts';
import { connectAsSuperuser, ledgerFaults } from './ledger-soundness.ts';
import { startRealIdentity, type Founder, type RealIdentity } from './real-identity.ts';
import { connectAs, keys, micros, type BillingClients } from './test-billing.ts';

const kills = repetitions({ usual: 1, long: 8 });
/** Each billing is killed after it has answered at least one reservation and at most so many. */
const maxLife = repetitions({ usual: 20, long: 60 });
/** The first has a limit. */
const organisations = repetitions({ usual: 2, long: 3 });
/** How much work of every kind there is at least. */
const enough = {
  reservations: repetitions({ usual: 30, long: 100 }),
  debits: repetitions({ usual: 8, long: 30 }),
  purchases: repetitions({ usual: 4, long: 10 }),
};
const groupLimit = 40;

let postgres: ThrowawayPostgres;
let nats: ThrowawayNats;
let identity: RealIdentity;
let superuser: pg.Client;
let bus: EventBus;
let subscription: Subscription;
/** How often each event was shown, by its id. */
const shown = new Map<string, number>();

beforeAll(async () => {
  [postgres, nats, identity] = await Promise.all([migratedDatabase(billing), throwawayNats(), startRealIdentity()]);
  superuser = await connectAsSuperuser(postgres);
  const logger = createLogger({ service: 'test', level: 'silent' });
  await setUpStreams({ servers: nats.url, signal: AbortSignal.timeout(240_000) });
  bus = openEventBus({ servers: nats.url, name: 'test', logger });
  const connected = Promise.withResolvers<undefined>();
  subscription = subscribe({
    bus,
    logger,
    on: 'platform.v1.billing.>',
    onEvent: ({ id }) => shown.set(id, (shown.get(id) ?? 0) + 1),
    onConnected: () => connected.resolve(undefined),
  });
  await connected.promise;
});
afterAll(async () => {
  await subscription.close();
  await bus.close();
  await identity.stop();
  await nats.drop();
  await superuser.end();
  await postgres.drop();
});

const startBilling = (listen: string): Promise<ServiceProcess> =>
  startService('billing', {
    BILLING_DATABASE_URL: postgres.appUrl,
    BILLING_LISTEN: listen,
    BILLING_SWEEP_SECONDS: '1',
    BILLING_SCHEDULE_SECONDS: '1',
    BILLING_PURCHASES_PER_HOUR: '1000000',
    BILLING_CHANGE_LEASE_SECONDS: '2',
    BILLING_PAYMENT_PROCESSOR: 'sandbox',
    IDENTITY_ADDRESS: identity.process.address,
    NATS_URL: nats.url,
    SERVICE_PRIVATE_KEY: JSON.stringify(keys.privateKeys.billing),
    SERVICE_PUBLIC_KEYS: JSON.stringify(keys.publicKeys),
    LOG_LEVEL: 'info',
  });

const rows = async (sql: string): Promise<Record<string, string>[]> =>
  (await superuser.query<Record<string, string>>(sql)).rows;

/** What callers were told. A call without an answer may have happened or not. */
interface CallOutcomes {
  /** By the id of the reservation. */
  readonly reservations: Map<string, 'OPEN' | 'SETTLED' | 'RELEASED'>;
  /** What work has cost, in micros, by the id of the debit. */
  readonly debits: Map<string, string>;
  readonly purchases: string[];
  /** The seats of the last change that was answered, by organisation. */
  readonly seats: Map<string, number>;
  refused: number;
  unanswered: number;
}

/** Of one that is paid, or has begun and is not known yet to be: a busy machine may have nobody know in time. */
const purchaseId = async (answer: Promise<{ readonly id: string }>): Promise<string> => {
  try {
    return (await answer).id;
  } catch (error) {
    if (error instanceof DomainError && error.pending) return error.pending.id;
    throw error;
  }
};

/** Whether there was work of every kind, and enough of it. */
const worked = ({ reservations, debits, purchases, seats, refused }: CallOutcomes): boolean =>
  reservations.size > enough.reservations &&
  debits.size > enough.debits &&
  purchases.length > enough.purchases &&
  seats.size > 0 &&
  refused > 0;

const isDown = (error: unknown): boolean =>
  error instanceof DomainError && ['unavailable', 'deadline_exceeded', 'internal'].includes(error.kind);

/** Everybody who uses billing, until `working` says no. */
function load(
  clients: { gateway: BillingClients; pipelines: BillingClients },
  founders: readonly Founder[],
  told: CallOutcomes,
) {
  let working = true;
  const chance = (below: number) => Math.floor(Math.random() * below);

  /** As services do: the same call again and again, until it is answered. */
  async function untilAnswered<Answer>(call: () => Promise<Answer>): Promise<Answer> {
    for (;;) {
      try {
        return await call();
      } catch (error) {
        if (!isDown(error)) throw error;
        told.unanswered += 1;
        await delay(50);
      }
    }
  }

  async function reserveAndFinish(founder: Founder): Promise<void> {
    const as = service('pipelines', founder.organisation.id);
    const { credits } = clients.pipelines;
    while (working) {
      const reservationId = newId();
      const amount = 1 + chance(4);
      // The few that nobody finishes come back by themselves.
      const forgotten = chance(10) === 0;
      const lifetimeSeconds = forgotten ? 1 : 50;
      const wanted = { reservationId, amountMicros: micros(amount), purpose: 'run', lifetimeSeconds };
      const refusal = await untilAnswered(() => credits.reserveCredits(wanted, as)).then(
        () => null,
        (error: unknown) => (error instanceof DomainError ? error.kind : Promise.reject(error as Error)),
      );
      // One whose answer was lost may have come back before it was asked for again.
      if (forgotten && refusal === 'conflict') continue;
      expect([null, 'payment_required']).toContain(refusal);
      if (refusal !== null) {
        told.refused += 1;
        await delay(50);
        continue;
      }
      told.reservations.set(reservationId, 'OPEN');
      if (forgotten) continue;
      const spent = micros(chance(amount + 1));
      // A debit refuses no limit, which the first organisation is about.
      if (founder !== founders[0] && chance(3) === 0) {
        told.reservations.delete(reservationId);
        await tellDebit(founder.organisation.id, reservationId, micros(1 + chance(amount)));
        continue;
      }
      const finish =
        chance(2) === 0
          ? () => credits.settleCredits({ reservationId, amountMicros: spent }, as)
          : () => credits.releaseCredits({ reservationId }, as);
      const { status } = await untilAnswered(finish);
      if (status) told.reservations.set(reservationId, status);
    }
  }

  /** As a service does that has done work: without a word to billing, and now and then twice. */
  async function tellDebit(organisationId: string, reservationId: string, amountMicros: string): Promise<void> {
    const at = new Date();
    const data = {
      ...{ debit_id: newId(), reservation_id: reservationId, amount_micros: amountMicros, credit_class: 'AI' },
      ...{ purpose: 'run', work_id: 'run_1', client_group_id: null, api_key_id: null, member_id: null },
      occurred_at: at.toISOString(),
    };
    const by = serviceActorContext('content', organisationId, newId());
    const event = publishedEvent('content', by, { name: 'debit.created', subject: data.debit_id, at, data });
    for (let times = 1 + chance(2); times > 0; times -= 1) {
      const id = newId();
      await untilAnswered(() => deliverAgain(bus, encodeEvent({ ...event, id }), 'platform.v1.content.debit.created'));
    }
    told.debits.set(data.debit_id, amountMicros);
  }

  async function buy({ caller }: Founder): Promise<void> {
    while (working) {
      try {
        told.purchases.push(await purchaseId(clients.gateway.credits.purchaseCredits({ credits: 50 }, { caller })));
      } catch (error) {
        if (!isDown(error)) throw error;
        told.unanswered += 1;
        await delay(50);
      }
    }
  }

  async function changeSeats({ caller, organisation }: Founder): Promise<void> {
    let seatCount = 1;
    while (working) {
      seatCount += 1;
      try {
        await clients.gateway.subscriptions.changeSubscription({ seatCount, subscriptionTier: 'TEAM' }, { caller });
        told.seats.set(organisation.id, seatCount);
      } catch (error) {
        // A change that nobody works on yet is in the way, or this one is not over.
        const goesOn = error instanceof DomainError && ['conflict', 'accepted'].includes(error.kind);
        if (!isDown(error) && !goesOn) throw error;
        told.unanswered += 1;
        await delay(50);
      }
    }
  }

  const all = founders.flatMap((founder) => [
    ...Array.from({ length: 4 }, () => reserveAndFinish(founder)),
    buy(founder),
    changeSeats(founder),
  ]);
  const done = Promise.all(all).finally(() => {
    working = false;
  });
  done.catch(() => undefined);
  return {
    async stop() {
      working = false;
      await done;
    },
    /** What goes wrong under load is what the test has to say, and not that it has waited. */
    during: async (wait: Promise<unknown>) => void (await Promise.race([wait, done.then(() => wait)])),
  };
}

/** What a killed process may leave to whoever comes next, and what must be gone soon. */
const unfinished = `
  SELECT 'purchase' AS what FROM credit_purchases WHERE status = 'PENDING'
  UNION ALL SELECT 'change' FROM subscription_changes WHERE state <> 'done'
  UNION ALL SELECT 'payment' FROM payments WHERE next_look_at IS NOT NULL
  UNION ALL SELECT 'reservation' FROM credit_reservations WHERE status = 'OPEN'
  UNION ALL SELECT 'event' FROM outbox WHERE published_at IS NULL`;
const purchasesNotPaidOnce = `
  SELECT p.id, p.status FROM credit_purchases p
  LEFT JOIN sandbox_payments s
    ON s.idempotency_key = 'purchase:' || p.id AND s.status = 'succeeded' AND s.amount = p.total_minor
  LEFT JOIN credit_grants g ON g.source = 'purchase:' || p.id AND g.amount_micros = p.credits * 1000000
  LEFT JOIN invoices i ON i.source = 'purchase:' || p.id
  GROUP BY p.id HAVING p.status <> 'SUCCEEDED' OR (count(s.id), count(g.id), count(i.id)) <> (1, 1, 1)`;
const grantsOfNothingBought = `
  SELECT source FROM credit_grants WHERE source NOT IN (
    SELECT 'purchase:' || id FROM credit_purchases UNION SELECT 'plan:' || id FROM subscription_changes)
  AND split_part(source, ':', 2) NOT IN (SELECT id::text FROM subscriptions)`;
const changesNotPaidOnce = `
  SELECT c.id, c.outcome FROM subscription_changes c
  LEFT JOIN sandbox_payments s ON s.idempotency_key = c.id::text AND s.status = 'succeeded' AND s.amount = c.total_minor
  GROUP BY c.id HAVING c.outcome <> 'accepted' OR count(s.id) <> 1`;
const paymentsForNothing = `
  SELECT idempotency_key FROM sandbox_payments
  WHERE idempotency_key NOT IN (SELECT 'purchase:' || id FROM credit_purchases UNION SELECT id::text FROM subscription_changes)`;
const changesNotToldOnce = `
  SELECT c.organisation_id FROM subscription_changes c GROUP BY c.organisation_id
  HAVING count(*) <> (SELECT count(*) FROM outbox o
                      WHERE o.organisation_id = c.organisation_id AND o.type LIKE '%.billing.subscription.%')`;

describe('a billing that is killed again and again under load', () => {
  it('loses nothing it answered, does nothing twice, and finishes and tells all of it', async () => {
    const founders = await Promise.all(Array.from({ length: organisations }, () => identity.found()));
    const limitedGroup = await limitDefaultGroup(founders[0]);
    let billing = await startBilling(`127.0.0.1:${await freePort()}`);
    const { address } = billing;
    const clients = { gateway: connectAs('gateway', address), pipelines: connectAs('pipelines', address) };
    const told: CallOutcomes = {
      reservations: new Map(),
      debits: new Map(),
      purchases: [],
      seats: new Map(),
      refused: 0,
      unanswered: 0,
    };
    let underLoad: ReturnType<typeof load> | undefined;
    try {
      for (const { caller } of founders) {
        told.purchases.push(await purchaseId(clients.gateway.credits.purchaseCredits({ credits: 500 }, { caller })));
      }
      underLoad = load(clients, founders, told);
      for (let kill = 0; kill < kills; kill += 1) {
        const lived = told.reservations.size + 1 + Math.floor(Math.random() * maxLife);
        await underLoad.during(
          waitFor(() => told.reservations.size >= lived, { interval: 1, what: 'work to be done' }),
        );
        // Anywhere in the midst of what is under way now.
        await delay(Math.random() * 50);
        const before = told.unanswered;
        await billing.kill();
        await underLoad.during(waitFor(() => told.unanswered > before, { what: 'somebody to be hit by it' }));
        billing = await startBilling(address);
      }
      await underLoad.during(waitFor(() => worked(told), { what: 'every kind of work to be done' }));
      await underLoad.stop();
      const booked = async () => (await rows('SELECT id, amount_micros FROM credit_debits')).length;
      await waitFor(async () => (await booked()) === told.debits.size, { what: 'all debits to be booked' });
      await waitFor(async () => (await rows(unfinished)).length === 0, { what: 'all to be finished' });
    } finally {
      clients.gateway.close();
      clients.pipelines.close();
      await billing.kill();
      await underLoad?.stop().catch(() => undefined);
    }

    expect(await ledgerFaults(superuser)).toEqual({});
    const statuses = new Map(
      (await rows('SELECT id, status FROM credit_reservations')).map(({ id, status }) => [id, status]),
    );
    const lost = [...told.reservations].filter(([id, status]) =>
      // What nobody finished was taken back.
      status === 'OPEN' ? statuses.get(id) !== 'RELEASED' : statuses.get(id) !== status,
    );
    expect(lost).toEqual([]);
    const booked = await rows('SELECT id, amount_micros FROM credit_debits');
    expect(new Map(booked.map(({ id, amount_micros: amount }) => [id, amount]))).toEqual(told.debits);

    const purchases = new Set((await rows('SELECT id FROM credit_purchases')).map(({ id }) => id));
    expect(told.purchases.filter((id) => !purchases.has(id))).toEqual([]);
    expect(await rows(purchasesNotPaidOnce)).toEqual([]);
    expect(await rows(grantsOfNothingBought)).toEqual([]);
    expect(await rows(changesNotPaidOnce)).toEqual([]);
    expect(await rows(paymentsForNothing)).toEqual([]);
    expect(await rows(changesNotToldOnce)).toEqual([]);

    for (const founder of founders) {
      const { id } = founder.organisation;
      const [kept] = await rows(`SELECT seat_count FROM subscriptions WHERE organisation_id = '${id}'`);
      const seats = Number(kept?.['seat_count']);
      expect(seats).toBeGreaterThanOrEqual(told.seats.get(id) ?? 2);
      expect((await identity.current(founder)).maxMemberLimit).toBe(seats);
    }

    const spent = await rows(
      `SELECT sum(ai_credits_micros) AS micros FROM usage_days WHERE client_group_id = '${limitedGroup}'`,
    );
    expect(BigInt(spent[0]?.['micros'] ?? 0) <= BigInt(micros(groupLimit))).toBe(true);

    const committed = (await rows('SELECT id FROM outbox')).map(({ id }) => id ?? '');
    await waitFor(() => shown.size >= committed.length, { what: 'the last event' });
    expect([...shown.keys()].sort()).toEqual(committed.sort());
    expect([...shown].filter(([, times]) => times > 1)).toEqual([]);
  }, 600_000);
});

async function limitDefaultGroup(founder: Founder | undefined): Promise<string> {
  if (!founder) throw new Error('nobody founded an organisation');
  const { clientGroups } = await identity.clientGroups.listClientGroups({}, founder);
  const groupId = clientGroups[0]?.id ?? '';
  await identity.clientGroups.setClientPolicy(
    {
      groupId,
      periodDays: 7,
      hardStop: true,
      aiCreditLimit: String(groupLimit),
      infrastructureCreditLimit: null,
      requestLimit: null,
    },
    founder,
  );
  return groupId;
}
