import type { ActorContext, Clock, DomainError } from '@platform-backend/core';
import { countryOfTax, type TaxPorts } from '../../invoices/app/country-of-tax.ts';
import { paymentRefused } from '../../payments/domain/errors.ts';
import { taxOn } from '../../prices/domain/price-book.ts';
import { cancelSubscription, resumeSubscription } from '../domain/cancel-subscription.ts';
import { changePlan, type PlanInput } from '../domain/change-plan.ts';
import { organisationNotFound, seatsInUse, subscriptionNotFound } from '../domain/errors.ts';
import type { RenewalCycle } from '../domain/paid-period.ts';
import type { PlannedChange } from '../domain/planned-change.ts';
import type { SeatPrices } from '../domain/seat-prices.ts';
import { startChange, type SubscriptionChange } from '../domain/subscription-change.ts';
import type { Subscription } from '../domain/subscription.ts';
import type { BeginChange, Subscriptions } from '../domain/subscriptions.ts';
import { runChange, type RunChangePorts } from './run-subscription-change.ts';

/** What it takes to write a change down before its first step. */
export interface PlanChangePorts extends TaxPorts {
  readonly seatPrices: SeatPrices;
  readonly newId: () => string;
  /** How long whoever works on a change may be silent before others go on with it; longer than any step takes. */
  readonly leaseMs: number;
}

export interface SubscriptionPorts extends PlanChangePorts, RunChangePorts {
  /** Of a first subscription, unless the buyer asks for another. */
  readonly defaultCycle: RenewalCycle;
  readonly clock: Clock;
}

/** What can be done with subscriptions. */
export const subscriptionUseCases = (ports: SubscriptionPorts) => ({
  /** What the organisation has bought. NOT_FOUND: nothing yet. */
  getSubscription: (organisationId: string) => getSubscription(ports, organisationId),

  changeSubscription: (by: ActorContext, wanted: PlanInput) => changeSubscription(ports, by, wanted),

  /** Lets the subscription end with the paid period. Repeating it is safe. CONFLICT: there is nothing to cancel. */
  cancelSubscription: (by: ActorContext) => changeWithoutPayment(ports, by, cancelSubscription),

  /** Takes back what was to happen at the end of the period. Repeating it is safe. CONFLICT: it has ended. */
  resumeSubscription: (by: ActorContext) => changeWithoutPayment(ports, by, resumeSubscription),
});

export type SubscriptionUseCases = ReturnType<typeof subscriptionUseCases>;

/** Whether the organisation will be charged for another period, or is to be for the one that has begun. */
export async function isRenewing(subscriptions: Subscriptions, organisationId: string): Promise<boolean> {
  const subscription = await subscriptions.get(organisationId);
  return subscription?.status === 'ACTIVE' || subscription?.status === 'PAST_DUE';
}

/**
 * Buys, upgrades, downgrades or renews; identity shows it when this is over. CONFLICT: fewer seats than active
 * members, or another change is running. PAYMENT_REQUIRED: the payment was refused.
 */
export async function changeSubscription(ports: SubscriptionPorts, by: ActorContext, wanted: PlanInput): Promise<void> {
  const { seatPrices: prices, defaultCycle, clock, newId } = ports;
  const at = clock.now();
  const terms = { prices, defaultCycle, newSubscriptionId: newId() };
  await runToItsEnd(ports, by, at, (current) => changePlan(current, wanted, terms, at));
}

/** Makes a change that costs nothing; answers the subscription as it is afterwards. */
async function changeWithoutPayment(
  ports: SubscriptionPorts,
  by: ActorContext,
  decide: (current: Subscription | null) => PlannedChange | null,
): Promise<Subscription> {
  await runToItsEnd(ports, by, ports.clock.now(), decide);
  return getSubscription(ports, by.organisationId);
}

async function getSubscription({ subscriptions }: SubscriptionPorts, organisationId: string): Promise<Subscription> {
  const subscription = await subscriptions.get(organisationId);
  if (!subscription) throw subscriptionNotFound();
  return subscription;
}

async function runToItsEnd(
  ports: SubscriptionPorts,
  by: ActorContext,
  at: Date,
  decide: (current: Subscription | null) => PlannedChange | null,
): Promise<void> {
  const begun = await ports.subscriptions.begin(by, await planChange(ports, by, at, decide));
  const refusal = begun && refusalOf(await runChange(ports, begun));
  if (refusal) throw refusal;
}

/** Turns a decision about a subscription into a change that can be written down, with tax and versions. */
export async function planChange(
  ports: PlanChangePorts,
  by: ActorContext,
  at: Date,
  decide: (current: Subscription | null) => PlannedChange | null,
): Promise<BeginChange> {
  const { newId, priceBook, seatPrices, leaseMs } = ports;
  const country = await countryOfTax(ports, by.organisationId);
  const id = newId();
  return (current, versionBefore): SubscriptionChange | null => {
    const plan = decide(current);
    if (!plan) return null;
    const { amountMinor: subtotalMinor } = plan.bill;
    const taxMinor = taxOn(priceBook, country, subtotalMinor);
    const totalMinor = subtotalMinor + taxMinor;
    return startChange(plan, {
      id,
      organisationId: by.organisationId,
      versionBefore,
      totals: { currency: seatPrices.currency, country, subtotalMinor, taxMinor, totalMinor },
      startedBy: by.actor,
      requestId: by.requestId,
      at,
      leaseMs,
    });
  };
}

/** What the caller hears of a change that did not come about; null when it did. */
function refusalOf({ outcome, refusal }: SubscriptionChange): DomainError | null {
  switch (outcome) {
    case 'payment_refused':
      return paymentRefused(refusal?.code, refusal?.message);
    case 'seats_taken':
      return seatsInUse();
    case 'organisation_gone':
      return organisationNotFound();
    case 'accepted':
    case null:
      return null;
  }
}
