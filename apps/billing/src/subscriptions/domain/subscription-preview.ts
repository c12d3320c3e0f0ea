import type { Plan } from './plan.ts';
import type { PlannedChange } from './planned-change.ts';
import type { BillLine } from './subscription-bill.ts';
import type { ChangeTotals } from './subscription-change.ts';
import type { Subscription } from './subscription.ts';

/** What a change would come to. */
export interface SubscriptionPreview extends ChangeTotals {
  /** Null: nothing would change. */
  readonly kind: PlannedChange['kind'] | null;
  readonly plan: Plan;
  /** From when the plan counts: now, or the end of the paid period. */
  readonly takesEffectAt: Date;
  readonly periodEnd: Date;
  readonly lines: readonly BillLine[];
  /** Left over afterwards, before tax, for the next bill. */
  readonly creditMinor: bigint;
}

/** What a planned change would come to; of one that is none, the subscription as it is. */
export function previewOf(
  current: Subscription | null,
  change: PlannedChange | null,
  totals: ChangeTotals,
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
    lines: change?.bill.lines ?? [],
    creditMinor,
  };
}
