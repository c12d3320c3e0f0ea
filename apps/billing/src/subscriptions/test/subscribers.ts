import { DomainError, fixedClock } from '@platform-backend/core';
import { startRealIdentity, type Founder, type RealIdentity } from '../../../test/real-identity.ts';
import { startTestBilling, type TestBilling } from '../../../test/test-billing.ts';

export const day = 86_400_000;
export const clock = fixedClock('2026-04-01T12:00:00.000Z');
export let identity: RealIdentity;
export let billing: TestBilling;

/** Starts who all of the suites use, together. */
export async function startSubscribers(): Promise<void> {
  const real = await startRealIdentity();
  const found = async () => {
    const founder = await real.found();
    founders.push(founder);
    return founder;
  };
  identity = { ...real, found };
  billing = await startTestBilling({
    clock,
    environment: { IDENTITY_ADDRESS: identity.process.address, BILLING_SCHEDULE_SECONDS: '1' },
  });
}

const founders: Founder[] = [];
const never = new Date('9999-01-01');

/**
 * After each test: nothing is due any more for the organisations in it. However far another test moves the clock that all share,
 * they are not renewed again and again.
 */
export async function retireSubscribers(): Promise<void> {
  for (const { organisation } of founders.splice(0)) {
    await billing.pool.tenant(organisation.id, async (trx) => {
      await trx('test_clocks').delete();
      const current = trx('subscriptions').whereNotNull('next_action_at');
      await current.update({ next_action_at: never, plan_credits_at: null });
    });
  }
}

export async function stopSubscribers(): Promise<void> {
  await billing.stop();
  await identity.stop();
}

export type PlanInput = Parameters<TestBilling['subscriptions']['changeSubscription']>[0];
export const team = (seatCount: number): PlanInput => ({ seatCount, subscriptionTier: 'TEAM' });
export const basic = (seatCount: number): PlanInput => ({ seatCount, subscriptionTier: 'BASIC' });
export const change = (by: Founder, wanted: PlanInput) =>
  billing.subscriptions.changeSubscription(wanted, { caller: callerOf(by) });
export const subscriptionOf = (by: Founder) => billing.subscriptions.getSubscription({}, { caller: callerOf(by) });
export const callerOf = ({ caller }: Founder) => caller;

/** What was begun by a call and is not over. */
export const pendingOf = (call: Promise<unknown>) =>
  call.then(
    () => undefined,
    (error: unknown) => (error instanceof DomainError ? error.pending : undefined),
  );

/** Replaces the card of an organisation by one that behaves otherwise. */
export async function useCard({ caller }: Founder, card: string) {
  const { clientSecret } = await billing.paymentMethods.createSetupIntent({}, { caller });
  const { paymentMethod } = await billing.paymentMethods.confirmInSandbox({ clientSecret, card }, { caller });
  await billing.paymentMethods.setDefaultPaymentMethod({ paymentMethodId: paymentMethod?.id ?? '' }, { caller });
}

export const paymentsOf = ({ organisation: { id } }: Founder) =>
  billing.pool.tenant(id, async (trx) =>
    (await trx('sandbox_payments').orderBy('created_at').select('amount', 'status')).map(
      ({ amount, status }: { amount: string; status: string }) => `${status} ${amount}`,
    ),
  );

export const eventsOf = ({ organisation: { id } }: Founder) =>
  billing.pool.tenant(id, async (trx) => {
    const rows = await trx('outbox').where('type', 'like', '%.subscription.%').orderBy('sequence').select('type');
    return rows.map(({ type }: { type: string }) => type.replace('platform.v1.billing.', ''));
  });
