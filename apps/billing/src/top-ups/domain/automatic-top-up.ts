import { decided, invalid, unchanged, type Actor, type Decision } from '@platform-backend/core';
import type { BillingEvent } from '../../events.ts';
import { amountText } from '../../prices/domain/currency.ts';
import type { Price } from '../../prices/domain/price-book.ts';
import { newPurchase, type CreditPurchase } from '../../purchases/domain/credit-purchase.ts';

export type AutomaticTopUpState = 'OFF' | 'ACTIVE' | 'CAP_REACHED' | 'STOPPED';

/** What an organisation wants to be bought by itself. */
export interface TopUpTerms {
  /** The balance at which it is, in micros. */
  readonly threshold: bigint;
  /** Whole credits. */
  readonly credits: number;
  readonly currency: string;
  /** What all top-ups of a month may come to with tax. */
  readonly monthlyCapMinor: bigint;
}

export interface AutomaticTopUp extends TopUpTerms {
  readonly state: AutomaticTopUpState;
  /** Why it has stopped; null unless it has. */
  readonly stoppedCode: string | null;
  readonly changedAt: Date;
  /** Null unless the cap is reached. */
  readonly resumesAt: Date | null;
  /** The purchase that is under way. */
  readonly purchaseId: string | null;
}

/** Months are those of UTC. */
export const startOfMonth = (at: Date): Date => new Date(Date.UTC(at.getUTCFullYear(), at.getUTCMonth()));
const startOfNextMonth = (at: Date): Date => new Date(Date.UTC(at.getUTCFullYear(), at.getUTCMonth() + 1));

/** Turns it on with these terms, also after it has stopped. The same once more changes nothing. INVALID: not even one fits into the cap. */
export function setTopUp(
  known: AutomaticTopUp | null,
  wanted: TopUpTerms,
  { total, currency }: Price,
  organisationId: string,
  at: Date,
): Decision<AutomaticTopUp | null, BillingEvent> {
  if (wanted.monthlyCapMinor < total) {
    const msg = `Input should be at least what one top-up comes to: ${amountText(total, currency)} ${currency}`;
    const input = wanted.monthlyCapMinor.toString();
    throw invalid([{ type: 'value_error', loc: ['body', 'monthly_cap_minor'], msg, input }]);
  }
  const runs = known?.state === 'ACTIVE' || known?.state === 'CAP_REACHED';
  if (known && runs && sameTerms(known, wanted)) return unchanged(known);
  return changed(known, inState('ACTIVE', { ...wanted, purchaseId: known?.purchaseId ?? null }, at), organisationId);
}

/** What it has begun to pay goes on. */
export function disableTopUp(
  known: AutomaticTopUp | null,
  organisationId: string,
  at: Date,
): Decision<AutomaticTopUp | null, BillingEvent> {
  if (!known || known.state === 'OFF') return unchanged(known);
  return changed(known, inState('OFF', known, at), organisationId);
}

/** A top-up that is about to be bought, and by whom, as the ledger and its invoice will say. */
interface NextTopUp {
  readonly id: string;
  readonly price: Price;
  readonly buyer: Actor;
}

/** What counts when it is decided. */
export interface TopUpMoment {
  /** The balance is at the threshold or below. */
  readonly isLow: boolean;
  /** What the top-ups of this month come to. */
  readonly spentMinor: bigint;
}

/**
 * Begins one for a fall of the balance. Null instead of a purchase: somebody has bought credits meanwhile, or another one would be more
 * than the cap, so that it waits for the next month.
 */
export function beginTopUp(
  known: AutomaticTopUp,
  { isLow, spentMinor }: TopUpMoment,
  { id, price, buyer }: NextTopUp,
  organisationId: string,
  at: Date,
): Decision<AutomaticTopUp, BillingEvent, CreditPurchase | null> {
  if (!isLow) {
    const again =
      known.state === 'ACTIVE' ? unchanged(known) : changed(known, inState('ACTIVE', known, at), organisationId);
    return { ...again, result: null };
  }
  if (spentMinor + price.total > known.monthlyCapMinor) {
    const waiting = inState('CAP_REACHED', known, at, { resumesAt: startOfNextMonth(at) });
    return { ...changed(known, waiting, organisationId), result: null };
  }
  const active = inState('ACTIVE', { ...known, purchaseId: id }, at);
  const state = known.state === 'ACTIVE' ? { ...active, changedAt: known.changedAt } : active;
  const purchase = newPurchase({ id, price, paymentMethodId: null, buyer, origin: 'AUTOMATIC_TOP_UP' }, at);
  const started: BillingEvent = { name: 'top_up.started', subject: id, at, data: told(purchase) };
  const resumed = known.state === 'ACTIVE' ? [] : [changedEvent(known, state, organisationId, at)];
  return decided(state, [...resumed, started], purchase);
}

/** Takes over how its purchase ended: one that was not paid stops it, and says why. */
export function concludeTopUp(
  known: AutomaticTopUp,
  purchase: CreditPurchase,
  code: string,
  organisationId: string,
  at: Date,
): Decision<AutomaticTopUp, BillingEvent> {
  const subject = purchase.id;
  const over = { ...known, purchaseId: null };
  if (purchase.status === 'SUCCEEDED') {
    return decided(over, { name: 'top_up.succeeded', subject, at, data: told(purchase) });
  }
  const failed: BillingEvent = { name: 'top_up.failed', subject, at, data: { ...told(purchase), code } };
  // Who has turned it off meanwhile is not told that it has stopped.
  if (known.state === 'OFF') return decided(over, failed);
  const stopped = changed(known, inState('STOPPED', over, at, { stoppedCode: code }), organisationId);
  return decided(stopped.state, [failed, ...stopped.events]);
}

/** Stops before anything is bought, as it cannot be. */
export function stopTopUp(
  known: AutomaticTopUp,
  code: string,
  organisationId: string,
  at: Date,
): Decision<AutomaticTopUp, BillingEvent> {
  return changed(known, inState('STOPPED', known, at, { stoppedCode: code }), organisationId);
}

const inState = (
  state: AutomaticTopUpState,
  { threshold, credits, currency, monthlyCapMinor, purchaseId }: TopUpTerms & Pick<AutomaticTopUp, 'purchaseId'>,
  at: Date,
  more: Partial<AutomaticTopUp> = {},
): AutomaticTopUp => ({
  ...{ threshold, credits, currency, monthlyCapMinor, purchaseId },
  ...{ state, stoppedCode: null, resumesAt: null, changedAt: at },
  ...more,
});

const sameTerms = (one: TopUpTerms, other: TopUpTerms): boolean =>
  one.threshold === other.threshold &&
  one.credits === other.credits &&
  one.currency === other.currency &&
  one.monthlyCapMinor === other.monthlyCapMinor;

const changed = (
  before: AutomaticTopUp | null,
  after: AutomaticTopUp,
  organisationId: string,
): Decision<AutomaticTopUp, BillingEvent> =>
  decided(after, changedEvent(before, after, organisationId, after.changedAt));

const changedEvent = (
  before: AutomaticTopUp | null,
  after: AutomaticTopUp,
  organisationId: string,
  at: Date,
): BillingEvent => ({
  name: 'automatic_top_up.changed',
  subject: organisationId,
  at,
  data: { state: after.state, code: after.stoppedCode, resumes_at: after.resumesAt?.toISOString() ?? null },
  change: { before: shown(before), after: shown(after) },
});

const shown = (topUp: AutomaticTopUp | null) =>
  topUp && {
    state: topUp.state,
    threshold_micros: String(topUp.threshold),
    credits: topUp.credits,
    currency: topUp.currency,
    monthly_cap_minor: String(topUp.monthlyCapMinor),
    ...(topUp.stoppedCode !== null && { stopped_code: topUp.stoppedCode }),
  };

const told = ({ id, price }: CreditPurchase) => ({
  purchase_id: id,
  credits: price.credits,
  total_minor: price.total.toString(),
  currency: price.currency,
});
