import { DomainError, fixedClock } from '@platform-backend/core';
import { startRealIdentity, type Founder, type RealIdentity } from '../../../test/real-identity.ts';
import { startTestBilling, type TestBilling } from '../../../test/test-billing.ts';

export const day = 86_400_000;
export const clock = fixedClock('2026-04-01T12:00:00.000Z');
export let identity: RealIdentity;
export let billing: TestBilling;

/** Starts who all of the suites use, together. */
export async function startSubscribers(): Promise<void> {
  identity = await startRealIdentity();
  billing = await startTestBilling({
    clock,
    environment: { IDENTITY_ADDRESS: identity.process.address, BILLING_SCHEDULE_SECONDS: '1' },
  });
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
