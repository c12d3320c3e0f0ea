import type { FixedClock } from '@platform-backend/core';
import { readFileSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { billingAreas } from '../../src/areas.ts';
import { couponsStore } from '../../src/coupons/store/coupons-store.ts';
import type { BillingContext } from '../../src/service.ts';
import { crashAt, Killed, type Crash } from '../crash-test-parts.ts';
import { startStripeDouble } from '../stripe-double.ts';
import { startTestBilling } from '../test-billing.ts';
import { simulatedIdentity } from './simulated-identity.ts';

export type Areas = Awaited<ReturnType<typeof billingAreas>>;

/** At which step of its next life billing dies. */
export interface Death {
  readonly step: number;
  readonly when: 'before' | 'after';
}

export const webhookSecret = 'whsec_simulated';

/** What prices are multiplied by, of one price list after the other. */
const priceLevels = [100, 115, 90, 130];

/**
 * Billing without its server, against the doubles of its neighbours: one process after the other, each of which may be killed
 * between any two of its transactions and calls, and restarted with other prices.
 */
export async function startSimulatedBilling(clock: FixedClock) {
  let currentTime = (): Promise<number> => Promise.resolve(clock.now().getTime());
  const stripe = await startStripeDouble(() => currentTime());
  const identity = simulatedIdentity();
  // It has the tables, and does nothing by itself for those who have a test clock.
  const service = await startTestBilling({ clock, environment: { BILLING_SCHEDULE_SECONDS: '3600' } });
  const { frame, pool: database } = service;
  const priceLists = await writePriceLists(frame.settings);
  await offerCoupons(database, clock.now());
  let prices = priceLists.levels[0];
  let death: Death | null = null;
  let deaths = 0;

  const compose = (crash: Crash | null): Promise<Areas> => {
    const part = <Part extends object>(of: Part): Part => (crash ? crash.partOf(of) : of);
    const context: BillingContext = {
      ...frame,
      settings: {
        ...frame.settings,
        ...prices,
        BILLING_PAYMENT_PROCESSOR: 'stripe',
        STRIPE_SECRET_KEY: 'sk_test_simulated',
        STRIPE_WEBHOOK_SECRET: webhookSecret,
        STRIPE_API_URL: stripe.url,
        BILLING_PURCHASES_PER_HOUR: 1_000,
        BILLING_SETUP_INTENTS_PER_HOUR: 1_000,
      },
      storage: { ...frame.storage, database: part(database) },
      client: () => part(identity.client) as never,
    };
    return billingAreas(context, { hasTestClocks: true });
  };
  let living = await compose(null);

  return {
    stripe,
    identity,
    clock,
    database,
    service,
    /** What lives now. */
    areas: () => living,
    deaths: () => deaths,
    /** The processor's time is that of the organisation whose turn it is, in milliseconds. */
    timeIs: (now: typeof currentTime) => {
      currentTime = now;
    },
    /** Kills the process that does something next. */
    killNext: (at: Death | null) => {
      death = at;
    },
    restartWithPrices: async (level: number) => {
      prices = priceLists.levels[level % priceLists.levels.length];
      living = await compose(null);
    },
    /** Does something in a process, which may be killed; answers whether it was, and else what came of it. */
    async inProcess<Answer>(
      work: (areas: Areas) => Promise<Answer>,
    ): Promise<{ readonly isKilled: true } | { readonly isKilled: false; readonly answer: Answer }> {
      const crash = death && crashAt(death.step, death.when);
      death = null;
      try {
        const answer = await work(crash ? await compose(crash) : living);
        // Schedules go on after a failure, and so does one who is dead.
        if (!crash?.isDead()) return { isKilled: false, answer };
      } catch (error) {
        if (!crash?.isDead() && !(error instanceof Killed)) throw error;
      }
      deaths += 1;
      return { isKilled: true };
    },
    async stop(): Promise<void> {
      await service.stop();
      await stripe.stop();
      await priceLists.remove();
    },
  };
}

/** One of each duration. */
async function offerCoupons(database: BillingContext['storage']['database'], createdAt: Date): Promise<void> {
  const offered = { redeemBy: null, maxRedemptions: null, redemptions: 0, archivedAt: null, createdAt };
  const percent = { amountOffMinor: null, currency: null, durationMonths: null };
  const coupons = couponsStore(database);
  await coupons.add({ ...offered, ...percent, code: 'ONCE', percentOff: 33, duration: 'ONCE' });
  await coupons.add({ ...offered, ...percent, code: 'EVER', percentOff: 7, duration: 'FOREVER' });
  const amount = { percentOff: null, amountOffMinor: 1_234n, currency: 'EUR' };
  await coupons.add({ ...offered, ...amount, code: 'MONTHS', duration: 'REPEATING', durationMonths: 3 });
}

export type SimulatedBilling = Awaited<ReturnType<typeof startSimulatedBilling>>;

type Prices = Pick<BillingContext['settings'], 'BILLING_PRICE_BOOK' | 'BILLING_SEAT_PRICES'>;

async function writePriceLists({ BILLING_PRICE_BOOK: book, BILLING_SEAT_PRICES: seats }: Prices) {
  const folder = await mkdtemp(path.join(tmpdir(), 'billing-year-'));
  const raised = async (file: string, level: number): Promise<string> => {
    const raise = (name: string, value: unknown): unknown =>
      typeof value === 'number' && /^(minor_units_per_thousand|MONTHLY|YEARLY)$/.test(name)
        ? Math.round((value * level) / 100)
        : value;
    const to = path.join(folder, `${String(level)}-${path.basename(file)}`);
    await writeFile(to, JSON.stringify(JSON.parse(readFileSync(file, 'utf8'), raise)));
    return to;
  };
  const levels: Prices[] = [];
  for (const level of priceLevels) {
    levels.push({ BILLING_PRICE_BOOK: await raised(book, level), BILLING_SEAT_PRICES: await raised(seats, level) });
  }
  return { levels, remove: () => rm(folder, { recursive: true, force: true }) };
}
