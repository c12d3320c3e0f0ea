import { newId, nextRetryAt, type ActorContext, type Logger } from '@platform-backend/core';
import type { BalanceAlerts } from '../../balance-alerts/domain/balance-alerts.ts';
import type { CreditAccounts } from '../../credits/domain/credit-accounts.ts';
import { systemActor } from '../../events.ts';
import { refreshWallet, type WalletPorts } from '../../payments/app/wallets.ts';
import { isOver, type Payment } from '../../payments/domain/payment.ts';
import type { Payments } from '../../payments/domain/payments.ts';
import { forgetMethod } from '../../payments/domain/wallet.ts';
import { recordPayment, type ChargePorts } from '../../purchases/app/charge-purchase.ts';
import { runChange, type RunChangePorts } from '../../subscriptions/app/run-subscription-change.ts';
import { planChange, type PlanChangePorts } from '../../subscriptions/app/subscriptions.ts';
import { endSubscription } from '../../subscriptions/domain/cancel-subscription.ts';
import { removeTestClock } from '../../test-clocks/domain/test-clock.ts';
import type { TestClocks } from '../../test-clocks/domain/test-clocks.ts';
import type { OrganisationClosures } from '../domain/organisation-closures.ts';

export interface ClosurePorts extends WalletPorts, ChargePorts, RunChangePorts, PlanChangePorts {
  readonly closures: OrganisationClosures;
  readonly testClocks: TestClocks;
  readonly credits: CreditAccounts;
  readonly alerts: BalanceAlerts;
  readonly payments: Payments;
  readonly cancelPayment: (payment: Payment) => Promise<Payment>;
  readonly paymentOver: (payment: Payment) => Promise<void>;
  readonly removeMeters: (organisationId: string) => Promise<void>;
}

/** How much one round takes on. */
const roundSize = 50;

/** A bank may take days to decide on a payment that has to be over before. */
const maxRetryMs = 60 * 60_000;

/**
 * Ends what billing has begun for organisations that were deleted. Each step is safe to repeat, so a process may die
 * between any two of them: what is not closed when its lease is over is begun again, less and less often. Answers how many were closed.
 */
export async function closeDeletedOrganisations(ports: ClosurePorts, logger: Logger): Promise<number> {
  const { closures, clock, leaseMs } = ports;
  let closed = 0;
  for (const { organisationId, deletedAt } of await closures.due(clock.now(), roundSize)) {
    try {
      const at = clock.now();
      const leaseUntil = Math.max(at.getTime() + leaseMs, nextRetryAt(deletedAt, at, maxRetryMs).getTime());
      if (!(await closures.take(organisationId, at, new Date(leaseUntil)))) continue;
      if (!(await closeOrganisation(ports, systemActor(organisationId, newId())))) continue;
      await closures.close(organisationId, clock.now());
      closed += 1;
    } catch (error) {
      logger.warn(
        { event: 'organisation_closure.failed', err: error, organisationId },
        'a deleted organisation could not be closed now, trying again',
      );
    }
  }
  return closed;
}

/** False: somebody is at work on something that has to end first. Invoices, the ledger and what was bought stay. */
async function closeOrganisation(ports: ClosurePorts, by: ActorContext): Promise<boolean> {
  const at = ports.clock.now();
  await ports.testClocks.update(by, at, (clock) => removeTestClock(clock, at));
  await ports.alerts.removeAll(by, at);
  await ports.credits.releaseAll(by, at);
  // First, so that nothing is paid any more by the time all else is gone.
  const nothingOpen = await endPayments(ports, by);
  const ended = await endSubscriptionNow(ports, by);
  await detachAll(ports, by);
  // Last, as it may be much.
  await ports.removeMeters(by.organisationId);
  return ended && nothingOpen;
}

/** What was paid is booked, with its invoice; what was not never will be. False: the bank has not decided yet. */
async function endPayments(ports: ClosurePorts, { organisationId }: ActorContext): Promise<boolean> {
  const { payments, purchases, cancelPayment, paymentOver, clock } = ports;
  for (const payment of await payments.open(organisationId)) {
    const ended = await cancelPayment(payment);
    if (isOver(ended)) await paymentOver(ended);
  }
  // Those whose payment had not even begun, or had ended without anybody having taken that over.
  for (const { id, buyer } of await purchases.unfinished(organisationId)) {
    if ((await purchases.endUncharged(organisationId, id, clock.now())).finishedAt !== null) continue;
    const payment = await payments.latest(organisationId, id);
    const by: ActorContext = { organisationId, actor: buyer, requestId: newId() };
    if (payment) await recordPayment(ports, by, id, payment);
  }
  return (await payments.open(organisationId)).length === 0;
}

/** At once, not with the paid period: there is nobody left to use it. */
async function endSubscriptionNow(ports: ClosurePorts, by: ActorContext): Promise<boolean> {
  const { subscriptions, clock } = ports;
  const at = clock.now();
  const end = await planChange(
    ports,
    by,
    { decidedAt: at, startedAt: at },
    (current) => (current === null || current.status === 'ENDED' ? null : endSubscription(current)),
    { ifBelowMinimum: 'waive' },
  );
  const begun = await subscriptions.beginUnlessBusy(by, end);
  if (begun) await runChange(ports, begun);
  if (await subscriptions.isChanging(by.organisationId)) return false;
  const after = await subscriptions.get(by.organisationId);
  return after === null || after.status === 'ENDED';
}

/** At the provider first, as when members do it; a provider shows only so many at a time. */
async function detachAll(ports: ClosurePorts, by: ActorContext): Promise<void> {
  const { wallets, provider, clock } = ports;
  if (!(await wallets.get(by.organisationId))) return;
  for (;;) {
    const wallet = await refreshWallet(ports, by);
    if (wallet.methods.length === 0) return;
    for (const { id, reference } of wallet.methods) {
      await provider.detachPaymentMethod(wallet, reference);
      await wallets.update(by, (known) => forgetMethod(known, id, clock.now()));
    }
  }
}
