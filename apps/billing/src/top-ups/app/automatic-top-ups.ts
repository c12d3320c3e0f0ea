import {
  DomainError,
  newId,
  unavailable,
  type ActorContext,
  type Clock,
  type Logger,
  type RoundRobin,
} from '@platform-backend/core';
import type { CreditBalance } from '../../credits/app/credits.ts';
import { systemActor } from '../../events.ts';
import type { Payments } from '../../payments/domain/payments.ts';
import type { Price } from '../../prices/domain/price-book.ts';
import type { PurchasedCredits } from '../../purchases/app/purchases.ts';
import type { CreditPurchase } from '../../purchases/domain/credit-purchase.ts';
import type { CreditPurchases } from '../../purchases/domain/credit-purchases.ts';
import { dueInTurn, everybody, type ScheduleScope } from '../../test-clocks/domain/schedule-scope.ts';
import {
  beginTopUp,
  concludeTopUp,
  disableTopUp,
  setTopUp,
  startOfMonth,
  stopTopUp,
  type AutomaticTopUp,
  type TopUpTerms,
} from '../domain/automatic-top-up.ts';
import type { AutomaticTopUps, DueTopUp } from '../domain/automatic-top-ups.ts';

export interface TopUpPorts {
  readonly topUps: AutomaticTopUps;
  readonly purchases: CreditPurchases;
  readonly payments: Payments;
  /** What a purchase comes to now. INVALID or CONFLICT: it cannot be bought. */
  readonly priceOfPurchase: (organisationId: string, wanted: PurchasedCredits, at: Date) => Promise<Price>;
  /** Has one paid that is written down. Repeating it is safe. */
  readonly chargePurchase: (by: ActorContext, purchase: CreditPurchase) => Promise<unknown>;
  readonly getCreditBalance: (by: ActorContext) => Promise<CreditBalance>;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly turns: RoundRobin;
}

/** As it is set, and what the top-ups of this month come to. */
export interface ShownTopUp {
  readonly topUp: AutomaticTopUp | null;
  readonly spentMinor: bigint;
}

export interface TopUpInput extends Omit<TopUpTerms, 'currency'> {
  /** Null: the usual one. */
  readonly currency: string | null;
}

/** What can be done with automatic top-up. */
export const topUpUseCases = (ports: TopUpPorts) => {
  const shown = async (organisationId: string, topUp: AutomaticTopUp | null): Promise<ShownTopUp> => ({
    topUp,
    spentMinor: topUp
      ? await ports.topUps.spentSince(organisationId, topUp.currency, startOfMonth(ports.clock.now()))
      : 0n,
  });
  return {
    getAutomaticTopUp: async (organisationId: string): Promise<ShownTopUp> =>
      shown(organisationId, await ports.topUps.get(organisationId)),

    /** INVALID: nothing is sold so, or the cap is less than one top-up. CONFLICT: it comes to less than can be paid. */
    async setAutomaticTopUp(by: ActorContext, wanted: TopUpInput): Promise<ShownTopUp> {
      const { organisationId } = by;
      await ports.getCreditBalance(by);
      const at = ports.clock.now();
      const price = await ports.priceOfPurchase(organisationId, wanted, at);
      const terms = { ...wanted, currency: price.currency };
      const topUp = await ports.topUps.set(by, at, (known) => setTopUp(known, terms, price, organisationId, at));
      return shown(organisationId, topUp);
    },

    async disableAutomaticTopUp(by: ActorContext): Promise<ShownTopUp> {
      const at = ports.clock.now();
      const topUp = await ports.topUps.set(by, at, (known) => disableTopUp(known, by.organisationId, at));
      return shown(by.organisationId, topUp);
    },
  };
};

export type TopUpUseCases = ReturnType<typeof topUpUseCases>;

/** How much one round takes on. */
const roundSize = 50;

/** One round of buying what is low and taking over how it ended. Replicas share it. Answers how much was done. */
export async function lookAfterTopUps(ports: TopUpPorts, scope: ScheduleScope = everybody): Promise<number> {
  let done = 0;
  const list = (after: string) => ports.topUps.due(ports.clock.now(), scope, roundSize, after);
  for (const { organisationId, purchaseId } of await dueInTurn(ports.turns, scope, roundSize, list, organisationOf)) {
    const by = systemActor(organisationId, newId());
    try {
      if (purchaseId === null) await begin(ports, by);
      else await conclude(ports, by, purchaseId);
      done += 1;
    } catch (error) {
      ports.logger.warn(
        { event: 'top_up.not_done', err: error, organisationId },
        'automatic top-up could not be looked after, it will be tried again',
      );
    }
  }
  return done;
}

const organisationOf = ({ organisationId }: DueTopUp): string => organisationId;

/** Between the purchase and its payment a process may die: purchases that were left behind are paid by their own schedule. */
async function begin(ports: TopUpPorts, by: ActorContext): Promise<void> {
  const { topUps, clock } = ports;
  const { organisationId } = by;
  const at = clock.now();
  const known = await topUps.get(organisationId);
  if (!known) return;
  const price = await ports.priceOfPurchase(organisationId, known, at).catch((error: unknown) => {
    if (isRefusal(error)) return error.code;
    throw error;
  });
  const purchase = await topUps.begin(by, startOfMonth(at), at, (topUp, moment) => {
    // Somebody has changed them while the price was asked for: it is tried again with those, and the fall is not used up.
    if (topUp.credits !== known.credits || topUp.currency !== known.currency)
      throw unavailable(new Error('the terms of the top-up have changed'));
    if (typeof price === 'string') return { ...stopTopUp(topUp, price, organisationId, at), result: null };
    return beginTopUp(topUp, moment, { id: newId(), price, buyer: by.actor }, organisationId, at);
  });
  if (purchase) await ports.chargePurchase(by, purchase);
}

/** Not that somebody cannot be asked now, but that it can never be bought as things stand. */
const isRefusal = (error: unknown): error is DomainError =>
  error instanceof DomainError && (error.kind === 'invalid' || error.kind === 'conflict');

async function conclude(
  { topUps, purchases, payments, clock }: TopUpPorts,
  by: ActorContext,
  id: string,
): Promise<void> {
  const { organisationId } = by;
  const purchase = await purchases.get(organisationId, id);
  const payment = await payments.latest(organisationId, id);
  const code = payment?.reason ?? 'card_declined';
  const at = clock.now();
  await topUps.conclude(by, id, at, (known) => concludeTopUp(known, purchase, code, organisationId, at));
}
