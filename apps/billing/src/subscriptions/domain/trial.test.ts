import { describe, expect, it } from '@jest/globals';
import { DomainError } from '@platform-backend/core';
import fc from 'fast-check';
import { systemActor } from '../../events.ts';
import { later, noon, plan, prices, subscription, terms, today } from '../test/examples.ts';
import { cancelSubscription } from './cancel-subscription.ts';
import { changePlan, type PlanInput } from './change-plan.ts';
import { extendTrial, giveTrial } from './give-trial.ts';
import { renewOnSchedule } from './renew-subscription.ts';
import { startChange, subscriptionAfter, paymentRefused } from './subscription-change.ts';
import { eventsOf, periodEnding, renewalToldAt } from './subscription-events.ts';
import { previewOf, renewalOf } from './subscription-preview.ts';
import { isTrialing, shownStatus, type Subscription } from './subscription.ts';

const refusalCode = (refused: () => unknown): string | null => {
  try {
    refused();
    return null;
  } catch (error) {
    if (error instanceof DomainError) return error.code;
    throw error;
  }
};

const wanted: PlanInput = { tier: 'TEAM', seatCount: 10, trial: true };
const started = changePlan(null, wanted, terms, noon);
const trying = started?.ifPaid as Subscription;
const end = later(14);
const totals = { currency: 'EUR', country: 'DE', taxed: today.taxed, subtotalMinor: 0n, taxMinor: 0n, totalMinor: 0n };

describe('a trial', () => {
  it('is a first period that costs nothing, and shows what it will cost then', () => {
    expect(started).toMatchObject({ kind: 'trial_started', bill: { lines: [], amountMinor: 0n }, redemptionId: null });
    expect([shownStatus(trying), trying.period.end, trying.nextActionAt]).toEqual(['TRIALING', end, end]);
    const shown = previewOf(null, started, totals, today, noon);
    expect(shown).toMatchObject({ trialEndsAt: end, renewal: { at: end, totalMinor: 35_700n } });
  });

  it('is begun once, by who has never bought anything, of a plan of which one is offered', () => {
    expect(refusalCode(() => changePlan(subscription(), wanted, terms, noon))).toBe('trial_used');
    const ended = { ...trying, status: 'ENDED' as const, nextActionAt: null };
    expect(refusalCode(() => changePlan(ended, wanted, terms, later(20)))).toBe('trial_used');
    expect(refusalCode(() => changePlan(null, { ...wanted, tier: 'BASIC' }, terms, noon))).toBe('trial_not_offered');
    expect(refusalCode(() => changePlan(null, { ...wanted, renew: true }, terms, noon))).toBe('validation_failed');
    // Asked for again, since its answer was late.
    expect(changePlan(trying, wanted, terms, later(1))).toBeNull();
  });

  it('costs nothing whatever becomes of its plan, and lasts no longer for it', () => {
    const change = fc.record({
      tier: fc.constantFrom('BASIC' as const, 'TEAM' as const),
      seatCount: fc.integer({ min: 1, max: 50 }),
      renewalCycle: fc.constantFrom('MONTHLY' as const, 'YEARLY' as const),
      cancels: fc.boolean(),
    });
    fc.assert(
      fc.property(fc.array(change, { maxLength: 6 }), (changes) => {
        let now: Subscription = trying;
        for (const [day, { cancels, ...next }] of changes.entries()) {
          const made = cancels ? cancelSubscription(now) : changePlan(now, next, terms, later(day));
          expect(made?.bill ?? { amountMinor: 0n, lines: [] }).toMatchObject({ amountMinor: 0n, lines: [] });
          now = made?.ifPaid ?? now;
          expect([isTrialing(now), now.period, now.creditMinor]).toEqual([true, trying.period, 0n]);
          if (!cancels) expect(now).toMatchObject({ status: 'ACTIVE', pending: null });
        }
      }),
    );
  });

  it('takes seats away at once, but none that is taken', () => {
    expect(changePlan(trying, { tier: 'TEAM', seatCount: 4 }, terms, later(1))).toMatchObject({
      kind: 'trial_changed',
      ifPaid: { plan: { seatCount: 4 } },
      maxActiveMembers: 4,
    });
  });

  it('is paid for before its end when that is asked for: the first cycle begins then', () => {
    const paid = changePlan(trying, { tier: 'TEAM', seatCount: 10, renew: true }, terms, later(5));
    expect(paid).toMatchObject({ kind: 'renewed', bill: { amountMinor: 30_000n }, ifRefused: null });
    expect(paid?.ifPaid).toMatchObject({ trial: { endsAt: later(5) }, period: { start: later(5) } });
    expect(paid && isTrialing(paid.ifPaid)).toBe(false);
  });

  it('renews at its end for the price of then, also where money is left over of another currency', () => {
    const renewed = renewOnSchedule(trying, today, { graceDays: 14, retryHours: 24 }, end);
    expect(renewed).toMatchObject({ kind: 'renewed', bill: { amountMinor: 30_000n } });
    expect(renewed?.ifPaid.period).toMatchObject({ start: end, anchorDay: end.getUTCDate() });
    expect(renewed && isTrialing(renewed.ifPaid)).toBe(false);
    const dollars = { ...today, prices: { ...prices, currency: 'USD' } };
    expect(renewalOf({ ...trying, creditMinor: 5n }, dollars)).toMatchObject({ currency: 'EUR', totalMinor: 35_694n });
  });

  it('ends at once where it was cancelled', () => {
    const cancelled = cancelSubscription(trying)?.ifPaid as Subscription;
    expect(shownStatus(cancelled)).toBe('CANCELING');
    const over = renewOnSchedule(cancelled, today, { graceDays: 14, retryHours: 24 }, end);
    expect(over).toMatchObject({ kind: 'ended', bill: { amountMinor: 0n } });
  });

  it.each([
    ['CANCEL', 'payment_method_required', 'ENDED', 'subscription.changed'],
    ['CANCEL', 'card_declined', 'PAST_DUE', 'subscription.payment_failed'],
    ['CREATE_INVOICE', 'payment_method_required', 'PAST_DUE', 'subscription.payment_failed'],
  ] as const)('that was to %s ends, when the payment is refused with %s, as %s', (trialEnd, code, status, event) => {
    const before = changePlan(null, { ...wanted, trialEnd }, terms, noon)?.ifPaid as Subscription;
    const renewed = renewOnSchedule(before, today, { graceDays: 14, retryHours: 24 }, end);
    if (!renewed) throw new Error('it is due');
    const payer = { isAbsent: true, paymentMethodId: null };
    const by = { startedBy: systemActor('o', 'r').actor, requestId: 'r' };
    const change = startChange(renewed, {
      ...{ id: 'c', organisationId: 'o', versionBefore: 2n, payer, ...by, at: end, leaseMs: 1 },
      totals: { ...totals, totalMinor: 35_700n },
    });
    const refused = paymentRefused(change, { code, message: '' });
    expect(subscriptionAfter(refused)).toMatchObject({ status });
    expect(eventsOf(refused, end)).toMatchObject([{ name: event }]);
  });

  it('is told of three days before its end', () => {
    expect(renewalToldAt(trying, end)).toEqual(later(11));
    expect(periodEnding(trying, end, { totalMinor: 35_700n, currency: 'EUR' }, later(11))).toMatchObject({
      name: 'subscription.trial_ending',
      data: { trial_ends_at: end.toISOString(), total_minor: '35700', missing_payment_method: 'CANCEL' },
    });
  });

  it('is given by operators to who has no subscription, and extended while it runs', () => {
    const trial = { startedAt: later(50), endsAt: later(80), missingPaymentMethod: 'CANCEL' as const };
    const given = { newId: 'sub-2', plan: plan({ seatCount: 2 }), trial };
    const ended = { ...trying, status: 'ENDED' as const, nextActionAt: null };
    const again = giveTrial(ended, given, today);
    expect(again).toMatchObject({ kind: 'trial_started', ifPaid: { id: 'sub-1' }, maxActiveMembers: null });
    const dollars = { ...today, prices: { ...prices, currency: 'USD' } };
    const owing = giveTrial({ ...ended, creditMinor: 5n }, given, dollars).ifPaid;
    expect(owing).toMatchObject({ creditMinor: 5n, agreed: [{ prices: { currency: 'EUR' }, isTrial: true }] });
    expect(giveTrial(ended, given, dollars).ifPaid.agreed).toMatchObject([{ prices: { currency: 'USD' } }]);
    expect(refusalCode(() => giveTrial(trying, given, today))).toBe('trial_while_subscribed');
    const longer = extendTrial(trying, later(30));
    expect(longer).toMatchObject({ ifPaid: { trial: { endsAt: later(30) }, nextActionAt: later(30) } });
    expect(longer && isTrialing(longer.ifPaid)).toBe(true);
    expect(extendTrial(trying, end)).toBeNull();
    expect(refusalCode(() => extendTrial(trying, later(13)))).toBe('trial_ends_earlier');
    expect(refusalCode(() => extendTrial(subscription(), later(60)))).toBe('no_trial_runs');
  });
});
