import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { fixedClock, newId, type Logger } from '@platform-backend/core';
import { dyingAt, Killed, sidesOfSteps, wasKilled } from '../../../test/crash-test-parts.ts';
import { startRealIdentity, type Founder, type RealIdentity } from '../../../test/real-identity.ts';
import { startTestBilling, type TestBilling } from '../../../test/test-billing.ts';
import { billingAreas } from '../../areas.ts';
import { collectPayment } from '../../payments/app/collect-payment.ts';
import { changeSubscription } from '../app/subscriptions.ts';
import { workOnSchedule } from '../app/work-on-schedule.ts';
import { seatsInUse } from '../domain/errors.ts';

type Areas = Awaited<ReturnType<typeof billingAreas>>;
type Ports = Areas['subscriptions']['exports']['ports'];

const minute = 60_000;
const clock = fixedClock('2026-04-01T12:00:00.000Z');
let identity: RealIdentity;
let billing: TestBilling;
let ports: Ports;
let payments: Areas['payments']['exports']['ports'];

beforeAll(async () => {
  identity = await startRealIdentity();
});
afterAll(() => identity.stop());

/** What other tests have subscribed to is renewed somewhere else. */
function onABillingOfItsOwn(): void {
  beforeAll(async () => {
    // Its own schedule never runs here: each test is the schedule.
    const environment = { IDENTITY_ADDRESS: identity.process.address, BILLING_SCHEDULE_SECONDS: '3600' };
    billing = await startTestBilling({ clock, environment });
    const areas = await billingAreas(billing.frame);
    ports = areas.subscriptions.exports.ports;
    payments = areas.payments.exports.ports;
  });
  afterAll(() => billing.stop());
}

function dying(atStep: number, when: 'before' | 'after'): Ports {
  const crashing = dyingAt(atStep, when);
  const crashingPayments = {
    ...payments,
    payments: crashing(payments.payments),
    provider: crashing(payments.provider),
    wallets: crashing(payments.wallets),
  };
  return {
    ...ports,
    subscriptions: crashing(ports.subscriptions),
    organisations: crashing(ports.organisations),
    collectPayment: (request) => collectPayment(crashingPayments, request),
  };
}

const by = ({ organisation, caller }: Founder) => ({
  organisationId: organisation.id,
  actor: { type: 'user', id: caller.userId ?? '', name: 'Ada', userId: caller.userId ?? '', level: null } as const,
  requestId: newId(),
});

const paymentsOf = ({ organisation: { id } }: Founder) =>
  billing.pool.tenant(id, (trx) => trx('sandbox_payments').select('amount', 'status'));
const planCreditsOf = ({ organisation: { id } }: Founder) =>
  billing.pool.tenant(id, async (trx) =>
    (await trx('credit_grants').where({ kind: 'PLAN' }).pluck<string[]>('amount_micros')).map(Number),
  );
const eventsOf = ({ organisation: { id } }: Founder) =>
  billing.pool.tenant(id, (trx) => trx('outbox').where('type', 'like', '%.subscription.%').select('type'));

/** Kills a process at every step of its work in turn; answers how many steps the work has. */
async function killAtEveryStep(
  work: (ports: Ports, founder: Founder) => Promise<unknown>,
  check: (founder: Founder) => Promise<void>,
  prepare: (founder: Founder) => Promise<unknown>,
) {
  for (let step = 1; ; step += 1) {
    for (const when of sidesOfSteps()) {
      const founder = await identity.found();
      await prepare(founder);
      const killed = await wasKilled(work(dying(step, when), founder));
      // Whoever comes next finds what was left behind once its lease is over.
      clock.advance(2 * minute);
      await workOnSchedule(ports, billing.logger);
      if (!killed) {
        await check(founder);
        return step - 1;
      }
      const written = await billing.pool.tenant(founder.organisation.id, (trx) =>
        trx('subscription_changes').select('state'),
      );
      const begun = written.filter(({ state }: { state: string }) => state !== 'done');
      expect([step, when, begun]).toEqual([step, when, []]);
      const first = step === 1 && when === 'before';
      if (!first) await check(founder);
    }
  }
}

describe('a change whose process is killed between any two steps', () => {
  onABillingOfItsOwn();

  it('is completed by another: paid once, told once, and identity agrees', async () => {
    const steps = await killAtEveryStep(
      (crashing, founder) => changeSubscription(crashing, by(founder), { tier: 'TEAM', seatCount: 3 }),
      async (founder) => {
        expect(await ports.subscriptions.get(founder.organisation.id)).toMatchObject({
          status: 'ACTIVE',
          plan: { tier: 'TEAM', seatCount: 3 },
        });
        expect(await identity.current(founder)).toMatchObject({
          subscriptionTier: 'TEAM',
          maxMemberLimit: 3,
          hasPlan: true,
        });
        expect(await paymentsOf(founder)).toEqual([{ amount: '10353', status: 'succeeded' }]);
        expect(await eventsOf(founder)).toHaveLength(1);
        expect(await planCreditsOf(founder)).toEqual([60_000_000]);
      },
      () => Promise.resolve(),
    );
    // begin, check, advance, charge, advance, apply, advance, finish
    expect(steps).toBeGreaterThanOrEqual(6);
  });

  it('ends as who has gone on with it ends it, and not as one that was away hears of its check', async () => {
    const founder = await identity.found();
    let checks = 0;
    /** Before it hears that its seats are taken another has taken over, found room for them and charged; and died then. */
    const away: Ports = {
      ...ports,
      organisations: {
        applyPlan: async (report) => {
          checks += 1;
          if (checks > 1) return ports.organisations.applyPlan(report);
          clock.advance(2 * minute);
          const collectThenDie: Ports['collectPayment'] = async (request) => {
            await ports.collectPayment(request);
            throw new Killed();
          };
          await workOnSchedule({ ...ports, collectPayment: collectThenDie }, billing.logger);
          throw seatsInUse();
        },
      },
    };
    await changeSubscription(away, by(founder), { tier: 'TEAM', seatCount: 3 });
    expect(await ports.subscriptions.get(founder.organisation.id)).toMatchObject({
      status: 'ACTIVE',
      plan: { tier: 'TEAM', seatCount: 3 },
    });
    expect(await paymentsOf(founder)).toEqual([{ amount: '10353', status: 'succeeded' }]);
    expect(await eventsOf(founder)).toHaveLength(1);
  });

  it('gives back the seats it had set aside when the payment turns out to be refused', async () => {
    await killAtEveryStep(
      async (crashing, founder) => {
        const refused = changeSubscription(crashing, by(founder), { tier: 'TEAM', seatCount: 2 });
        await refused.catch((error: unknown) => {
          if (error instanceof Killed) throw error;
          expect(error).toMatchObject({ kind: 'payment_required', code: 'card_declined' });
        });
      },
      async (founder) => {
        expect(await ports.subscriptions.get(founder.organisation.id)).toBeNull();
        expect(await identity.current(founder)).toMatchObject({
          subscriptionTier: 'BASIC',
          maxMemberLimit: 5,
          hasPlan: false,
        });
        expect(await paymentsOf(founder)).toHaveLength(1);
        expect(await eventsOf(founder)).toEqual([{ type: 'platform.v1.billing.subscription.payment_failed' }]);
      },
      async ({ caller }) => {
        const { clientSecret } = await billing.paymentMethods.createSetupIntent({}, { caller });
        const card = 'pm_card_chargeCustomerFail';
        await billing.paymentMethods.confirmInSandbox({ clientSecret, card }, { caller });
      },
    );
  });
});

describe('several replicas with the same schedule', () => {
  onABillingOfItsOwn();

  it('renew each subscription once, however many of them look at the same moment', async () => {
    const founders = await Promise.all(Array.from({ length: 12 }, () => identity.found()));
    for (const founder of founders) await changeSubscription(ports, by(founder), { tier: 'TEAM', seatCount: 5 });
    clock.advance(31 * 24 * 60 * minute);
    const replicas = Array.from({ length: 6 }, () => workOnSchedule(ports, billing.logger));
    await Promise.all(replicas);
    await workOnSchedule(ports, billing.logger);
    for (const founder of founders) {
      expect(await paymentsOf(founder)).toHaveLength(2);
      expect(await ports.subscriptions.get(founder.organisation.id)).toMatchObject({
        status: 'ACTIVE',
        period: { start: new Date(clock.now().getTime() - 31 * 24 * 60 * minute + 30 * 24 * 60 * minute) },
      });
    }
  });
});

describe('one organisation whose work throws', () => {
  onABillingOfItsOwn();

  /** The schedule, where a step that works on this organisation always throws. */
  const withBroken = (step: 'takeOver' | 'beginUnlessBusy', { organisation: { id } }: Founder): Ports => ({
    ...ports,
    subscriptions: new Proxy(ports.subscriptions, {
      get: (target, name) => {
        const call = Reflect.get(target, name) as (...given: { organisationId?: string }[]) => unknown;
        return (...given: { organisationId?: string }[]) => {
          if (name === step && given[0]?.organisationId === id) throw new Error('a row that nobody can read');
          return call.apply(target, given);
        };
      },
    }),
  });
  const warnings = () => {
    const warned: object[] = [];
    const warn = (fields: object) => warned.push(fields);
    return { warned, logger: { warn } as unknown as Logger };
  };
  const buy = (using: Ports, founder: Founder) =>
    changeSubscription(using, by(founder), { tier: 'TEAM', seatCount: 5 });

  it('keeps no renewal of others waiting, and is named in the log', async () => {
    const [broken, sound] = [await identity.found(), await identity.found()];
    await buy(ports, broken);
    clock.advance(minute);
    await buy(ports, sound);
    clock.advance(31 * 24 * 60 * minute);
    const { warned, logger } = warnings();
    await workOnSchedule(withBroken('beginUnlessBusy', broken), logger);
    expect(warned).toMatchObject([{ organisationId: broken.organisation.id, err: expect.any(Error) }]);
    expect(await paymentsOf(broken)).toHaveLength(1);
    expect(await paymentsOf(sound)).toHaveLength(2);
    await workOnSchedule(ports, logger);
    expect(await paymentsOf(broken)).toHaveLength(2);
  });

  it('keeps no abandoned change of others waiting, and is named in the log', async () => {
    const [broken, sound] = [await identity.found(), await identity.found()];
    for (const founder of [broken, sound]) {
      expect(await wasKilled(buy(dying(2, 'before'), founder))).toBe(true);
      clock.advance(minute);
    }
    clock.advance(2 * minute);
    const { warned, logger } = warnings();
    await workOnSchedule(withBroken('takeOver', broken), logger);
    expect(warned).toMatchObject([{ organisationId: broken.organisation.id, err: expect.any(Error) }]);
    expect(await ports.subscriptions.get(broken.organisation.id)).toBeNull();
    expect(await ports.subscriptions.get(sound.organisation.id)).toMatchObject({ status: 'ACTIVE' });
    await workOnSchedule(ports, logger);
    expect(await ports.subscriptions.get(broken.organisation.id)).toMatchObject({ status: 'ACTIVE' });
  });
});

describe('the credits of a cycle that was paid in advance', () => {
  onABillingOfItsOwn();

  it('come when it begins, once, however many give them and whoever dies', async () => {
    const founders = await Promise.all(Array.from({ length: 4 }, () => identity.found()));
    for (const founder of founders) {
      await changeSubscription(ports, by(founder), { tier: 'TEAM', seatCount: 3 });
      await changeSubscription(ports, by(founder), { tier: 'TEAM', seatCount: 3, renew: true });
      expect(await planCreditsOf(founder)).toEqual([60_000_000]);
    }
    clock.advance(31 * 24 * 60 * minute);
    for (const when of ['before', 'after'] as const)
      await workOnSchedule(dying(4, when), billing.logger).catch(() => 0);
    await Promise.all(Array.from({ length: 4 }, () => workOnSchedule(ports, billing.logger)));
    for (const founder of founders) expect(await planCreditsOf(founder)).toEqual([60_000_000, 60_000_000]);
  });
});
