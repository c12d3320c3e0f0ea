import { describe, expect, it } from '@jest/globals';
import { refusalOf } from '@platform-backend/service/testing';
import type { Founder } from '../../../test/real-identity.ts';
import {
  basic,
  billing,
  callerOf,
  change,
  clock,
  day,
  identity,
  paymentsOf,
  type PlanInput,
  subscriptionOf,
  team,
} from './subscribers.ts';

/** Previews, and their tokens. */
export const previewsSuite = (): void => {
  describe('a preview', () => {
    const preview = (by: Founder, wanted: PlanInput) =>
      billing.subscriptions.previewSubscription(wanted, { caller: callerOf(by) });

    it('says what a change comes to, and its token makes exactly that change, also some minutes later', async () => {
      const ada = await identity.found();
      await change(ada, team(3));
      clock.advance(10 * day);
      const shown = await preview(ada, team(5));
      const { currentPeriodStart: start, currentPeriodEnd: end } = await subscriptionOf(ada);
      const [from, until] = [start?.getTime() ?? 0, end?.getTime() ?? 0];
      // What is left of the month, whose days are not always as many, of 29.00 for each seat.
      const left = (seats: number) => Math.floor((seats * 2900 * (until - clock.now().getTime())) / (until - from));
      const subtotal = left(5) - left(3);
      const total = subtotal + Math.round(subtotal * 0.19);
      expect(shown).toMatchObject({
        ...{ changes: true, change: 'upgraded', seatCount: 5, currentPeriodEnd: end, renewsAt: end },
        ...{ subtotalMinor: String(subtotal), totalMinor: String(total), total: total / 100 },
        ...{ taxRate: 19, taxTreatment: 'STANDARD', taxNote: '', creditMinor: '0' },
        // Five seats at 29.00, with tax.
        renewalTotalMinor: '17255',
        tokenExpiresAt: new Date(clock.now().getTime() + 30 * 60_000),
      });
      clock.advance(20 * 60_000);
      await change(ada, { ...team(5), previewToken: shown.token });
      expect(await paymentsOf(ada)).toEqual(['succeeded 10353', `succeeded ${total}`]);
      expect(await refusalOf(change(ada, { ...team(5), previewToken: shown.token }))).toMatchObject({
        code: 'preview_outdated',
      });
    });

    it('is refused for another change, and when anything it rests on has changed', async () => {
      const ada = await identity.found();
      const first = await preview(ada, team(3));
      expect(await refusalOf(change(ada, { ...team(4), previewToken: first.token }))).toMatchObject({
        kind: 'conflict',
        code: 'preview_outdated',
      });
      const details = { companyName: '', addressLines: [], vatId: '', country: 'FR' };
      await billing.invoices.setBillingDetails(details, { caller: ada.caller });
      expect(await refusalOf(change(ada, { ...team(3), previewToken: first.token }))).toMatchObject({
        code: 'preview_outdated',
      });
      const second = await preview(ada, team(3));
      expect(second).toMatchObject({ country: 'FR', totalMinor: '10440' });
      clock.advance(30 * 60_000);
      expect(await refusalOf(change(ada, { ...team(3), previewToken: second.token }))).toMatchObject({
        code: 'preview_expired',
      });
      const bob = await identity.found();
      expect(await refusalOf(change(bob, { ...team(3), previewToken: second.token }))).toMatchObject({
        kind: 'invalid',
        violations: [{ loc: ['body', 'preview_token'] }],
      });
      expect(await paymentsOf(ada)).toEqual([]);
    });

    it('is there for cancelling and resuming', async () => {
      const ada = await identity.found();
      const by = { caller: callerOf(ada) };
      await change(ada, team(3));
      const end = await billing.subscriptions.previewCancellation({}, by);
      expect(end).toMatchObject({ change: 'cancellation_scheduled', totalMinor: '0', renewsAt: null });
      await billing.subscriptions.cancelSubscription({ previewToken: end.token }, by);
      const on = await billing.subscriptions.previewResumption({}, by);
      expect(on).toMatchObject({ change: 'resumed', renewalTotalMinor: '10353' });
      const stale = billing.subscriptions.cancelSubscription({ previewToken: on.token }, by);
      expect(await refusalOf(stale)).toMatchObject({ code: 'preview_outdated' });
      expect(await billing.subscriptions.resumeSubscription({ previewToken: on.token }, by)).toMatchObject({
        status: 'ACTIVE',
      });
    });

    it('is there for a purchase of credits', async () => {
      const ada = await identity.found();
      const by = { caller: callerOf(ada) };
      const shown = await billing.credits.previewCreditPurchase({ credits: 1000 }, by);
      expect(shown).toMatchObject({
        ...{
          credits: 1000,
          currency: 'EUR',
          country: 'DE',
          subtotalMinor: '1000',
          taxMinor: '190',
          totalMinor: '1190',
        },
        ...{ taxRate: 19, taxTreatment: 'STANDARD', creditsExpireAt: new Date(clock.now().getTime() + 365 * day) },
      });
      const buy = (credits: number) => billing.credits.purchaseCredits({ credits, previewToken: shown.token }, by);
      expect(await refusalOf(buy(1001))).toMatchObject({ code: 'preview_outdated' });
      expect(await buy(1000)).toMatchObject({ status: 'SUCCEEDED', totalMinor: '1190', total: 11.9 });
      await billing.invoices.setBillingDetails({ companyName: '', addressLines: [], vatId: '', country: 'FR' }, by);
      expect(await refusalOf(buy(1000))).toMatchObject({ code: 'preview_outdated' });
    });

    it('that comes to less than can be paid is refused as the change is', async () => {
      const ada = await identity.found();
      await change(ada, basic(3));
      const end = (await subscriptionOf(ada)).currentPeriodEnd?.getTime() ?? 0;
      clock.advance(end - clock.now().getTime() - 60 * 60_000);
      for (const call of [() => preview(ada, basic(4)), () => change(ada, basic(4))]) {
        expect(await refusalOf(call())).toMatchObject({ kind: 'conflict', code: 'amount_below_minimum' });
      }
    });
  });
};
