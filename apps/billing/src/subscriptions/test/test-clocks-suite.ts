import { beforeAll, describe, expect, it } from '@jest/globals';
import { newId } from '@platform-backend/core';
import { refusalOf, service } from '@platform-backend/service/testing';
import { waitFor } from '@platform-backend/testing';
import type { Founder } from '../../../test/real-identity.ts';
import { micros } from '../../../test/test-billing.ts';
import { systemActor } from '../../events.ts';
import { newRefund } from '../../refunds/domain/refund.ts';
import { refundsStore } from '../../refunds/store/refunds-store.ts';
import { billing, change, clock, day, identity, paymentsOf, subscriptionOf, team, useCard } from './subscribers.ts';

/** A year in the sandbox. */
export const testClocksSuite = (): void => {
  describe('a test clock', () => {
    beforeAll(() => clock.set('2026-04-01T12:00:00.000Z'));
    const clockOf = (by: Founder) => billing.testClocks.getTestClock({}, { caller: by.caller });
    const createClock = async (by: Founder) => {
      const created = await billing.testClocks.createTestClock({ name: 'a year' }, { caller: by.caller });
      expect(created).toMatchObject({ status: 'READY', now: clock.now(), advancingTo: null });
      // Replicas that have not heard of it go by the real time until then.
      clock.advance(1_000);
    };
    const advance = async (by: Founder, days: number) => {
      const { now } = await clockOf(by);
      const to = new Date((now?.getTime() ?? 0) + days * day);
      const asked = await billing.testClocks.advanceTestClock({ to }, { caller: by.caller });
      expect(asked).toMatchObject({ status: 'ADVANCING', advancingTo: to });
      return waitFor(async () => {
        const known = await clockOf(by);
        return known.status === 'READY' ? known : null;
      });
    };
    /** As an operator does. */
    const giveBack = async (founder: Founder, invoiceId: string, amountMinor: bigint) => {
      const { organisation } = founder;
      const by = systemActor(organisation.id, newId());
      const at = (await clockOf(founder)).now ?? clock.now();
      const request = { id: newId(), organisationId: organisation.id, amountMinor, requestId: by.requestId };
      return refundsStore(billing.pool).begin(by, invoiceId, 'not_asked', at, (of) =>
        newRefund(of, { ...request, reason: 'GOODWILL', memo: '', requestedBy: by.actor }, at, at),
      );
    };
    const invoicesOf = async (by: Founder) =>
      (await billing.invoices.listInvoices({}, { caller: by.caller })).invoices.map(({ createdAt }) =>
        createdAt?.toISOString().slice(0, 10),
      );

    it('brings a year of renewals for its organisation alone, each at its time', async () => {
      const [ada, bob] = [await identity.found(), await identity.found()];
      await change(bob, team(2));
      expect(await refusalOf(clockOf(ada))).toMatchObject({ code: 'test_clock_not_found' });
      await createClock(ada);
      await change(ada, team(2));
      const before = await clockOf(ada);
      const after = await advance(ada, 365);
      expect(after.now).toEqual(new Date((before.now?.getTime() ?? 0) + 365 * day));
      const months = ['04', '05', '06', '07', '08', '09', '10', '11', '12'].map((month) => `2026-${month}-01`);
      months.push('2027-01-01', '2027-02-01', '2027-03-01', '2027-04-01');
      expect(await invoicesOf(ada)).toEqual([...months].toReversed());
      expect((await subscriptionOf(ada)).currentPeriodEnd?.toISOString().slice(0, 10)).toBe('2027-05-01');
      expect((await identity.current(ada)).seatsExpiredAt).toEqual((await subscriptionOf(ada)).currentPeriodEnd);
      expect(await invoicesOf(bob)).toEqual(['2026-04-01']);
      expect((await subscriptionOf(bob)).currentPeriodEnd?.toISOString().slice(0, 10)).toBe('2026-05-01');
    });

    it('ends a trial, of which it was told three days before, with the first payment', async () => {
      const [ada, bob] = [await identity.found(), await identity.found()];
      for (const by of [ada, bob]) {
        await createClock(by);
        await change(by, { ...team(2), trial: true });
      }
      await billing.mails.setBillingMailPreferences({ disabled: ['TRIAL_ENDING'] }, { caller: bob.caller });
      expect(await subscriptionOf(ada)).toMatchObject({ status: 'TRIALING' });
      await advance(ada, 10);
      const told = async (by: Founder) =>
        (await billing.mails.listBillingMails({}, { caller: by.caller })).mails.map(({ kind }) => kind);
      expect([await told(ada), await paymentsOf(ada)]).toEqual([[], []]);
      await change(ada, team(3));
      await advance(ada, 3);
      expect([await told(ada), await paymentsOf(ada)]).toEqual([['TRIAL_ENDING'], []]);
      await advance(ada, 2);
      // Three seats at 29.00, with tax.
      expect(await paymentsOf(ada)).toEqual(['succeeded 10353']);
      expect(await told(ada)).toEqual(['INVOICE_ISSUED', 'TRIAL_ENDING']);
      expect(await subscriptionOf(ada)).toMatchObject({ status: 'ACTIVE', currentPeriodStart: expect.any(Date) });

      await advance(bob, 12);
      const skipped = await waitFor(async () => {
        const [mail] = (await billing.mails.listBillingMails({}, { caller: bob.caller })).mails;
        return mail?.status === 'PENDING' ? null : mail;
      });
      expect(skipped).toMatchObject({ kind: 'TRIAL_ENDING', status: 'SKIPPED' });
      await billing.subscriptions.cancelSubscription({}, { caller: bob.caller });
      await advance(bob, 3);
      expect([await paymentsOf(bob), (await subscriptionOf(bob)).status]).toEqual([[], 'ENDED']);
      expect(await refusalOf(change(bob, { ...team(2), trial: true }))).toMatchObject({ code: 'trial_used' });
    });

    it('brings the credits of the plan with each cycle, which expire with it, and takes back those of a disputed one', async () => {
      const ada = await identity.found();
      await createClock(ada);
      const available = async () => (await billing.credits.getCreditBalance({}, ada)).availableMicros;
      const preview = await billing.subscriptions.previewSubscription(team(2), { caller: ada.caller });
      expect(preview.planCreditsMicros).toBe(micros(40));
      await change(ada, team(2));
      await billing.grant(ada.organisation.id, 5);
      expect(await available()).toBe(micros(45));
      await billing.book(ada.organisation.id, 10);
      await advance(ada, 31);
      expect(await available()).toBe(micros(45));
      const { grants } = await billing.credits.listCreditGrants({}, { caller: ada.caller });
      expect(grants.map(({ kind, remainingMicros }) => `${kind} ${remainingMicros}`)).toEqual([
        `PLAN ${micros(40)}`,
        `ADJUSTMENT ${micros(5)}`,
        'PLAN 0',
      ]);
      await useCard(ada, 'pm_card_createDispute');
      await advance(ada, 32);
      // Those of the cycle that was paid with this card are gone.
      expect(await available()).toBe(micros(5));
      expect((await billing.refunds.listDisputes({}, ada)).disputes).toHaveLength(1);
    });

    it('brings none of what was paid in advance for a payment that is disputed or given back, until the dispute is won', async () => {
      const prepaid = async (card: string, day: number) => {
        const by = await identity.found();
        await createClock(by);
        await change(by, team(2));
        await advance(by, day);
        await useCard(by, card);
        await change(by, { ...team(2), renew: true });
        return by;
      };
      const available = async (by: Founder) => (await billing.credits.getCreditBalance({}, by)).availableMicros;

      const lost = await prepaid('pm_card_createDispute', 10);
      await advance(lost, 10);
      // Those of the cycle that was paid with another card stay as long as that.
      expect(await available(lost)).toBe(micros(40));
      await advance(lost, 15);
      expect(await available(lost)).toBe(micros(0));

      const won = await prepaid('pm_card_createDisputeProductNotReceived', 27);
      await advance(won, 5);
      const { disputes } = await billing.refunds.listDisputes({}, won);
      expect(disputes).toMatchObject([{ status: 'OPEN', creditsMicros: micros(40) }]);
      expect(await available(won)).toBe(micros(0));
      await advance(won, 5);
      expect(await available(won)).toBe(micros(40));
      const { grants } = await billing.credits.listCreditGrants({}, { caller: won.caller });
      const { currentPeriodEnd } = await subscriptionOf(won);
      expect(grants[0]).toMatchObject({ kind: 'ADJUSTMENT', expiresAt: currentPeriodEnd });

      const refunded = await prepaid('pm_card_visa', 10);
      const [invoice] = (await billing.invoices.listInvoices({}, refunded)).invoices;
      const half = BigInt(invoice?.totalMinor ?? 0) / 2n;
      await giveBack(refunded, invoice?.id ?? '', half);
      expect(await available(refunded)).toBe(micros(40));
      await advance(refunded, 25);
      expect(await available(refunded)).toBe(micros(20));
    });

    it('takes of a cycle to come what was paid for seats that were added, and of the others nothing', async () => {
      const ada = await identity.found();
      await createClock(ada);
      await change(ada, team(2));
      await change(ada, { ...team(2), renew: true });
      await advance(ada, 10);
      await useCard(ada, 'pm_card_createDispute');
      await change(ada, team(3));
      await advance(ada, 25);
      expect((await billing.credits.getCreditBalance({}, ada)).availableMicros).toBe(micros(40));
    });

    it('tries a renewal that is refused as often as there is time, and ends the subscription then', async () => {
      const ada = await identity.found();
      await change(ada, team(2));
      await useCard(ada, 'pm_card_chargeCustomerFail');
      await createClock(ada);
      await advance(ada, 31);
      expect(await subscriptionOf(ada)).toMatchObject({ status: 'PAST_DUE' });
      await advance(ada, 14);
      expect(await subscriptionOf(ada)).toMatchObject({ status: 'ENDED' });
      const tried = await paymentsOf(ada);
      expect(tried.filter((payment) => payment.startsWith('declined')).length).toBe(14);
    });

    it.each([
      ['pm_card_createDispute', 'LOST', micros(0)],
      ['pm_card_createDisputeProductNotReceived', 'WON', micros(700)],
    ])('has what was paid with %s disputed, and a week later the bank has decided: %s', async (card, ends, left) => {
      const ada = await identity.found();
      await createClock(ada);
      await useCard(ada, card);
      await billing.credits.purchaseCredits({ credits: 700 }, ada);
      const available = async () => (await billing.credits.getCreditBalance({}, ada)).availableMicros;
      const status = async () => (await billing.refunds.listDisputes({}, ada)).disputes.map((one) => one.status);
      await advance(ada, 1);
      expect([await status(), await available()]).toEqual([['OPEN'], micros(0)]);
      await advance(ada, 7);
      expect([await status(), await available()]).toEqual([[ends], left]);
      const { grants } = await billing.credits.listCreditGrants({}, { caller: ada.caller });
      expect(new Set(grants.map(({ expiresAt }) => expiresAt?.getTime())).size).toBe(1);
    });

    it('has credits expire, and nothing waits for it any more when it is gone', async () => {
      const ada = await identity.found();
      await createClock(ada);
      const { organisation, caller } = ada;
      await billing.grant(organisation.id, 5, { expiresAt: new Date(clock.now().getTime() + 10 * day) });
      const balance = () => billing.credits.getCreditBalance({}, { caller });
      expect(await balance()).toMatchObject({ availableMicros: '5000000' });
      await advance(ada, 11);
      expect(await balance()).toMatchObject({ availableMicros: '0' });
      const { transactions } = await billing.credits.listCreditTransactions({}, { caller });
      expect(transactions.map(({ kind, createdAt }) => `${kind} ${createdAt?.toISOString().slice(0, 10)}`)).toEqual([
        'EXPIRE 2026-04-11',
        'GRANT 2026-04-01',
      ]);
      await billing.grant(organisation.id, 5);
      const work = { reservationId: newId(), amountMicros: '2000000', purpose: 'run' };
      await billing.pipelines.credits.reserveCredits(work, service('pipelines', organisation.id));
      expect(await billing.testClocks.deleteTestClock({}, { caller })).toMatchObject({ deleted: true });
      expect(await refusalOf(clockOf(ada))).toMatchObject({ code: 'test_clock_not_found' });
      await waitFor(async () => ((await balance()).reservedMicros === '0' ? true : null));
    });
  });
};
