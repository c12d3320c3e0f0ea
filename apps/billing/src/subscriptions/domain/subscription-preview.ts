import { taxOn, type SaleTax } from '../../prices/domain/sale-tax.ts';
import { shownCredits } from './plan-credits.ts';
import { cycleCost, termsOfNextCycle, type PlanTerms } from './plan-terms.ts';
import type { Plan } from './plan.ts';
import type { PlannedChange } from './planned-change.ts';
import type { BillLine } from './subscription-bill.ts';
import type { ChangeTotals } from './subscription-change.ts';
import { isTrialing, type Subscription } from './subscription.ts';

/** What a change would come to. */
export interface SubscriptionPreview extends ChangeTotals {
  readonly taxed: SaleTax;
  /** Null: nothing would change. */
  readonly kind: PlannedChange['kind'] | null;
  readonly plan: Plan;
  /** From when the plan counts: now, or the end of the paid period. */
  readonly takesEffectAt: Date;
  readonly periodEnd: Date;
  /** Micros of credits that come with each cycle that is paid for. */
  readonly planCredits: bigint;
  /** Until when nothing is paid; null: there is no trial. */
  readonly trialEndsAt: Date | null;
  readonly lines: readonly BillLine[];
  /** Left over afterwards, before tax, for the next bill. */
  readonly creditMinor: bigint;
  /** The next cycle, as things stand; null: it ends. */
  readonly renewal: { readonly at: Date; readonly totalMinor: bigint } | null;
}

/** What a planned change would come to; of one that is none, the subscription as it is. */
export function previewOf(
  current: Subscription | null,
  change: PlannedChange | null,
  totals: ChangeTotals & { readonly taxed: SaleTax },
  today: PlanTerms,
  at: Date,
): SubscriptionPreview {
  const next = change?.ifPaid ?? current;
  if (!next) throw new Error('a first subscription is always a change');
  const { plan, pending, period, creditMinor } = next;
  return {
    ...totals,
    kind: change?.kind ?? null,
    plan: pending ?? plan,
    takesEffectAt: pending ? period.end : at,
    periodEnd: period.end,
    planCredits: shownCredits({ ...next, plan: pending ?? plan }),
    trialEndsAt: isTrialing(next) ? next.trial.endsAt : null,
    lines: change?.bill.lines ?? [],
    creditMinor,
    renewal: next.status === 'ACTIVE' ? shownRenewal(next, afterUse(today, change?.redemptionId ?? null)) : null,
  };
}

/** What the next cycle of a subscription that goes on would cost, by what is sold now. */
export function renewalOf(subscription: Subscription, today: PlanTerms) {
  const { plan, pending, period, creditMinor } = subscription;
  const terms = termsOfNextCycle(subscription, today, creditMinor > 0n, period.end);
  const { prices, taxed } = terms;
  const due = cycleCost(terms, pending ?? plan) - creditMinor;
  const subtotal = due > 0n ? due : 0n;
  const { currency } = prices;
  return { at: period.end, currency, totalMinor: subtotal + taxOn(taxed, subtotal, currency) };
}

/** The terms of cycles after a change that was made with a redemption. */
const afterUse = (today: PlanTerms, redemptionId: string | null): PlanTerms =>
  today.discount?.isOnce === true && today.discount.redemptionId === redemptionId
    ? { ...today, discount: null }
    : today;

function shownRenewal(subscription: Subscription, today: PlanTerms) {
  const { at, totalMinor } = renewalOf(subscription, today);
  return { at, totalMinor };
}

/** All that a preview has said and that it rests on; a change that is made by its token has to come to the same. */
export const previewed = (current: Subscription | null, { taxed, ...preview }: SubscriptionPreview): object => ({
  ...preview,
  treatment: taxed.treatment,
  version: current?.version ?? 0n,
});
