import { discountOn } from '../../src/coupons/domain/discount.ts';
import { cyclesOf } from '../../src/subscriptions/domain/paid-period.ts';
import { subscriptionAfter, type SubscriptionChange } from '../../src/subscriptions/domain/subscription-change.ts';
import type { Subscription } from '../../src/subscriptions/domain/subscription.ts';
import { changeOfRow } from '../../src/subscriptions/store/subscription-columns.ts';

type Row = Readonly<Record<string, unknown>>;

/** What is kept of an organisation's subscription, and of what came with it. */
export interface KeptOfPlan {
  readonly changes: readonly Row[];
  readonly grants: readonly Row[];
  readonly movements: readonly Row[];
  readonly entries: readonly Row[];
  readonly redemptions: readonly Row[];
  readonly states: readonly Row[];
  readonly invoices: readonly Row[];
}

const micros = 1_000_000n;

/** Changes that are over, in the order in which they ended, with what there was afterwards and from when. */
const finished = (changes: readonly Row[]) =>
  changes
    .filter(({ state }) => state === 'done')
    .map((row) => ({ change: changeOfRow(row), at: row['finished_at'] as Date }))
    .toSorted((one, other) => Number(one.change.finalVersion - other.change.finalVersion))
    .map((each) => ({ ...each, after: subscriptionAfter(each.change) }));

const perCycle = ({ plan }: Subscription, terms: Subscription['agreed'][number]): bigint =>
  BigInt(plan.seatCount) * terms.prices.creditsPerSeat[plan.tier][plan.renewalCycle] * micros;

const share = (whole: bigint, { start, end }: { readonly start: Date; readonly end: Date }, from: Date): bigint =>
  (whole * BigInt(end.getTime() - from.getTime())) / BigInt(end.getTime() - start.getTime());

/** Cycles that somebody pays for, each with the terms of its place. */
function paidCycles(subscription: Subscription | null) {
  if (!subscription || !['ACTIVE', 'CANCELING'].includes(subscription.status)) return [];
  const { period, plan, agreed } = subscription;
  const terms = agreed.flatMap((one) => Array<typeof one>(one.cycles).fill(one));
  return cyclesOf(period, plan.renewalCycle).flatMap((cycle, at) => {
    const of = terms[at];
    return of && !of.isTrial ? [{ ...cycle, terms: of }] : [];
  });
}

const runningAt = (subscription: Subscription | null, at: Date) =>
  paidCycles(subscription).find(({ start, end }) => start <= at && at < end);

const sameCycles = (before: Subscription | null, after: Subscription): boolean =>
  before !== null &&
  before.plan.renewalCycle === after.plan.renewalCycle &&
  before.period.start.getTime() === after.period.start.getTime();

/** What should have come with the plans of a year and gone again, told from the changes alone. */
function expected(changes: readonly Row[], now: Date) {
  const granted = new Map<string, bigint>();
  const taken = new Map<string, bigint>();
  const seen = new Set<string>();
  const history = finished(changes);
  for (const [index, { change, at, after }] of history.entries()) {
    if (!after) continue;
    const before = history[index - 1]?.after ?? null;
    const until = history[index + 1]?.at ?? now;
    const cut = runningAt(before, at);
    if (cut && before && change.outcome === 'accepted') {
      const from = new Date(Math.max(change.startedAt.getTime(), cut.start.getTime()));
      const old = perCycle(before, cut.terms);
      if (sameCycles(before, after)) {
        const more = share(perCycle(after, cut.terms) - old, cut, from);
        if (more > 0n) granted.set(`plan:${change.id}`, more);
      } else if (after.status !== 'ENDED') taken.set(`plan_change:${change.id}`, share(old, cut, from));
    }
    for (const cycle of paidCycles(after)) {
      const source = `plan:${after.id}:${cycle.start.toISOString()}/${cycle.end.toISOString()}`;
      const given = new Date(Math.max(at.getTime(), cycle.start.getTime()));
      const isReached = given < cycle.end && given <= now && (given < until || given.getTime() === at.getTime());
      if (!isReached || seen.has(source)) continue;
      seen.add(source);
      granted.set(source, perCycle(after, cycle.terms));
    }
  }
  return { granted, taken };
}

const unequal = (what: string, here: ReadonlyMap<string, bigint>, there: ReadonlyMap<string, bigint>): string[] =>
  [...new Set([...here.keys(), ...there.keys()])].flatMap((key) => {
    const [one, other] = [here.get(key) ?? 0n, there.get(key) ?? 0n];
    return one === other ? [] : [`${what} ${key}: ${String(one)} and ${String(other)}`];
  });

/** Credits of plans, to the micro. */
export function planCreditsDiffer({ changes, grants, movements, entries }: KeptOfPlan, now: Date): string[] {
  const { granted, taken } = expected(changes, now);
  const ofPlans = grants.filter(({ kind }) => kind === 'PLAN');
  const given = new Map(ofPlans.map((one) => [String(one['source']), BigInt(String(one['amount_micros']))]));
  const back = movements.filter(({ purpose }) => String(purpose).startsWith('plan_change:'));
  const refunded = new Map(
    entries.filter(({ account }) => account === 'refunded').map((one) => [one['transaction_id'], one['amount_micros']]),
  );
  return [
    ...(given.size === ofPlans.length ? [] : ['credits of a plan were granted twice']),
    ...unequal('credits of the plan', granted, given),
    ...unequal(
      'credits taken back',
      taken,
      new Map(back.map(({ id, purpose }) => [String(purpose), BigInt(String(refunded.get(id)))])),
    ),
  ];
}

/** What coupons have taken off, to the cent, and that one for a single cycle is used for one that stands. */
export function couponsDiffer(kept: KeptOfPlan): string[] {
  const { changes, redemptions, invoices, states } = kept;
  const isVoid = ({ id }: SubscriptionChange): boolean => {
    const invoice = invoices.find(({ source }) => source === `subscription_change:${id}`);
    return states.some(({ invoice_id: of, status }) => of === invoice?.['id'] && status === 'VOID');
  };
  const sold = changes
    .map(changeOfRow)
    .filter(
      ({ state, outcome, ifRefused }) =>
        state === 'done' && (outcome === 'accepted' || (outcome === 'payment_refused' && ifRefused !== null)),
    );
  return [
    ...sold.flatMap(({ id, redemptionId, bill, startedAt, currency }) => {
      const lasting = redemptions.find(
        ({ duration, redeemed_at: from }) => duration === 'FOREVER' && (from as Date) < startedAt,
      );
      const sellsCycle = bill.lines.some(({ description }) => / from \d{4}-\d\d-\d\d to /.test(description));
      const line = bill.lines.find(({ description }) => description.startsWith('Coupon '));
      const redemption = redemptions.find((one) => one['id'] === redemptionId);
      if (redemptionId !== null && !redemption) return [`a coupon that nobody has redeemed: ${id}`];
      if (!line || !redemption) return [];
      const full = bill.lines[bill.lines.indexOf(line) - 1]?.amountMinor ?? 0n;
      const off = discountOn(
        {
          ...{
            redemptionId: '',
            code: '',
            isOnce: false,
            endsAt: null,
            currency: redemption['currency'] as string | null,
          },
          percentOff: redemption['percent_off'] as number | null,
          amountOffMinor: BigInt((redemption['amount_off_minor'] as string | null) ?? '0'),
        },
        full,
        currency,
      );
      return [
        ...(line.amountMinor === -off ? [] : [`taken off by ${id}: ${String(line.amountMinor)} and ${String(-off)}`]),
        ...(lasting && sellsCycle && redemptionId === null ? [`nothing was taken off ${id}`] : []),
      ];
    }),
    ...redemptions
      .filter(({ duration }) => duration === 'ONCE')
      .flatMap(({ id, code, used_at: usedAt }) => {
        const uses = sold.filter((change) => change.redemptionId === id && !isVoid(change));
        return uses.length === (usedAt === null ? 0 : 1)
          ? []
          : [`coupon ${String(code)}: used for ${String(uses.length)} cycles, and by its row ${String(usedAt)}`];
      }),
  ];
}
