import { describe, expect, it } from '@jest/globals';
import { newId } from '@platform-backend/core';
import { refusalOf } from '@platform-backend/service/testing';
import { waitFor } from '@platform-backend/testing';
import type { Founder } from '../../../test/real-identity.ts';
import { billingAreas } from '../../areas.ts';
import { systemActor } from '../../events.ts';
import { newRefund } from '../../refunds/domain/refund.ts';
import {
  basic,
  billing,
  change,
  clock,
  day,
  eventsOf,
  identity,
  paymentsOf,
  pendingOf,
  subscriptionOf,
  team,
  useCard,
} from './subscribers.ts';

/** What time brings about: renewals, and those that were refused. */
export const renewalsSuite = (): void => {
  describe('the schedule of subscriptions', () => {
    const until = (by: Founder, expected: object) =>
      waitFor(
        async () => {
          expect(await subscriptionOf(by)).toMatchObject(expected);
          return true;
        },
        { what: JSON.stringify(expected) },
      );

    it('renews what runs out, ends what was cancelled, and leaves the rest alone', async () => {
      const [renewing, leaving, yearly] = [await identity.found(), await identity.found(), await identity.found()];
      await change(renewing, team(4));
      await change(renewing, basic(2));
      await change(leaving, team(4));
      await change(yearly, { ...team(4), renewalCycle: 'YEARLY' });
      const { subscriptions } = billing;
      expect(await subscriptions.cancelSubscription({}, leaving)).toMatchObject({ status: 'CANCELING' });
      expect(await subscriptions.resumeSubscription({}, leaving)).toMatchObject({ status: 'ACTIVE' });
      await subscriptions.cancelSubscription({}, leaving);
      expect(await subscriptions.cancelSubscription({}, leaving)).toMatchObject({ status: 'CANCELING' });
      expect(await identity.current(leaving)).toMatchObject({ seatsRenewalEnabled: false, maxMemberLimit: 4 });

      clock.advance(31 * day);
      await until(renewing, { tier: 'BASIC', seatCount: 2, pendingTier: null, status: 'ACTIVE' });
      await until(leaving, { status: 'ENDED' });
      expect(await identity.current(renewing)).toMatchObject({
        subscriptionTier: 'BASIC',
        maxMemberLimit: 2,
        hasPlan: true,
      });
      expect(await identity.current(leaving)).toMatchObject({
        subscriptionTier: 'BASIC',
        maxMemberLimit: 5,
        hasPlan: false,
      });
      expect(await paymentsOf(renewing)).toEqual(['succeeded 13804', 'succeeded 2142']);
      expect(await paymentsOf(yearly)).toHaveLength(1);
      expect(await eventsOf(renewing)).toEqual([
        'subscription.changed',
        'subscription.changed',
        'subscription.renewed',
      ]);
      expect(await refusalOf(subscriptions.resumeSubscription({}, leaving))).toMatchObject({
        code: 'subscription_ended',
      });
      expect(await change(leaving, team(3))).toMatchObject({ hasPlan: true, maxMemberLimit: 3 });
    });

    it('keeps a subscription whose renewal is refused through its grace, and takes the payment as soon as it can', async () => {
      const ada = await identity.found();
      await change(ada, team(4));
      await useCard(ada, 'pm_card_chargeCustomerFail');
      clock.advance(32 * day);
      await until(ada, { status: 'PAST_DUE' });
      expect(await identity.current(ada)).toMatchObject({ subscriptionTier: 'TEAM', maxMemberLimit: 4, hasPlan: true });
      const { caller } = ada;
      const { paymentMethods } = await billing.paymentMethods.listPaymentMethods({}, { caller });
      const inUse = paymentMethods.find(({ isDefault }) => isDefault)?.id ?? '';
      expect(
        await refusalOf(billing.paymentMethods.detachPaymentMethod({ paymentMethodId: inUse }, { caller })),
      ).toMatchObject({ code: 'payment_method_in_use' });
      await useCard(ada, 'pm_card_visa');
      clock.advance(day + 1);
      await until(ada, { status: 'ACTIVE', graceEndsAt: null });
      expect((await eventsOf(ada)).slice(-2)).toEqual(['subscription.payment_failed', 'subscription.renewed']);
    });

    it('ends it after fourteen days without payment', async () => {
      const ada = await identity.found();
      await change(ada, team(4));
      await useCard(ada, 'pm_card_chargeCustomerFail');
      clock.advance(32 * day);
      await until(ada, { status: 'PAST_DUE' });
      clock.advance(15 * day);
      await until(ada, { status: 'ENDED', graceEndsAt: null });
      expect(await identity.current(ada)).toMatchObject({
        subscriptionTier: 'BASIC',
        maxMemberLimit: 5,
        hasPlan: false,
      });
    });

    it('ends the subscription of a deleted organisation without charging it again', async () => {
      const ada = await identity.found();
      await change(ada, team(4));
      await identity.organisations.deleteCurrentOrganisation({}, { caller: ada.caller });
      clock.advance(32 * day);
      await until(ada, { status: 'ENDED' });
      expect(await paymentsOf(ada)).toHaveLength(1);
    });
  });

  describe('a renewal that was refused', () => {
    const invoicesOf = async ({ caller }: Founder, request: object = {}) =>
      (await billing.invoices.listInvoices(request, { caller })).invoices;
    const pay = ({ caller }: Founder, invoiceId: string, more: object = {}) =>
      billing.invoices.payInvoice({ invoiceId, ...more }, { caller });

    /** One whose renewal was refused with this card, and its open invoice. */
    async function pastDue(card: string) {
      const ada = await identity.found();
      await change(ada, team(3));
      await useCard(ada, card);
      clock.advance(31 * day);
      return { ada, invoice: await openInvoice(ada) };
    }

    const openInvoice = (ada: Founder) =>
      waitFor(async () => (await invoicesOf(ada, { status: ['OPEN'] }))[0], { what: 'an open invoice' });

    it('leaves an invoice that is open, which the subscription names, and that says when it is tried again', async () => {
      const { ada, invoice } = await pastDue('pm_card_chargeCustomerFail');
      expect(invoice).toMatchObject({
        ...{ status: 'OPEN', totalMinor: '10353', amountDueMinor: '10353', paidAt: null, attemptCount: 1 },
        nextAttemptAt: new Date(clock.now().getTime() + day),
      });
      expect(await subscriptionOf(ada)).toMatchObject({
        ...{ status: 'PAST_DUE', openInvoiceId: invoice.id, nextAttemptAt: invoice.nextAttemptAt },
      });
      expect(await invoicesOf(ada, { status: ['PAID'] })).toHaveLength(1);
      expect(await invoicesOf(ada)).toHaveLength(2);
      clock.advance(day + 1);
      await waitFor(async () => (await openInvoice(ada)).attemptCount === 2, { what: 'the second attempt' });
      expect((await openInvoice(ada)).number).toBe(invoice.number);
    });

    it('is paid by hand with another card, once, for what its invoice says', async () => {
      const { ada, invoice } = await pastDue('pm_card_chargeCustomerFail');
      expect(await refusalOf(pay(ada, invoice.id))).toMatchObject({ kind: 'payment_required', code: 'card_declined' });
      expect(await openInvoice(ada)).toMatchObject({ attemptCount: 2 });
      const none = pay(ada, invoice.id, { paymentMethodId: newId() });
      expect(await refusalOf(none)).toMatchObject({ kind: 'not_found', code: 'payment_method_not_found' });
      // It is taxed elsewhere by now, and the invoice says what is owed.
      await billing.invoices.setBillingDetails({ companyName: '', addressLines: [], vatId: '', country: 'FR' }, ada);
      const { clientSecret } = await billing.paymentMethods.createSetupIntent({}, ada);
      const good = await billing.paymentMethods.confirmInSandbox({ clientSecret, card: 'pm_card_visa' }, ada);
      const paid = await pay(ada, invoice.id, { paymentMethodId: good.paymentMethod?.id ?? '' });
      expect(paid).toMatchObject({
        ...{ id: invoice.id, number: invoice.number, status: 'PAID', amountDueMinor: '0', nextAttemptAt: null },
        paidAt: clock.now(),
      });
      expect(await pay(ada, invoice.id)).toEqual(paid);
      expect(await subscriptionOf(ada)).toMatchObject({ status: 'ACTIVE', openInvoiceId: null, nextAttemptAt: null });
      expect((await paymentsOf(ada)).filter((payment) => payment === 'succeeded 10353')).toHaveLength(2);
      expect((await invoicesOf(ada)).map(({ status }) => status)).toEqual(['PAID', 'PAID']);
    });

    it('is tried at once with a new card', async () => {
      const { ada, invoice } = await pastDue('pm_card_chargeCustomerFail');
      await useCard(ada, 'pm_card_visa');
      await waitFor(async () => (await subscriptionOf(ada)).status === 'ACTIVE', { what: 'the renewal' });
      expect(await billing.invoices.getInvoice({ invoiceId: invoice.id }, ada)).toMatchObject({ status: 'PAID' });
    });

    it('is given back by an operator, although another change has paid it, and not before it is paid', async () => {
      const { ada, invoice } = await pastDue('pm_card_chargeCustomerFail');
      const { refunds } = (await billingAreas(billing.frame)).refunds.exports.ports;
      const by = systemActor(ada.organisation.id, newId());
      const request = { id: newId(), organisationId: ada.organisation.id, amountMinor: 100n, memo: 'outage' };
      const giveBack = () =>
        refunds.begin(by, invoice.id, 'not_asked', clock.now(), (of) =>
          newRefund(
            of,
            { ...request, reason: 'GOODWILL', requestedBy: by.actor, requestId: by.requestId },
            clock.now(),
            clock.now(),
          ),
        );
      expect(await refusalOf(giveBack())).toMatchObject({ code: 'nothing_to_refund' });
      await useCard(ada, 'pm_card_visa');
      await waitFor(async () => (await subscriptionOf(ada)).status === 'ACTIVE', { what: 'the renewal' });
      await giveBack();
      await waitFor(async () => (await refunds.get(request))?.state === 'SUCCEEDED', { what: 'the refund' });
      expect(await billing.invoices.getInvoice({ invoiceId: invoice.id }, ada)).toMatchObject({ refundedMinor: '100' });
    });

    it('is confirmed by the payer where the bank wants that', async () => {
      const { ada, invoice } = await pastDue('pm_card_authenticationRequired');
      const pending = await pendingOf(pay(ada, invoice.id));
      expect(pending).toMatchObject({ state: 'REQUIRES_ACTION' });
      const changeId = pending?.id ?? '';
      const { clientSecret } = await billing.subscriptions.getSubscriptionChange({ changeId }, ada);
      await billing.paymentMethods.confirmInSandbox({ clientSecret: clientSecret ?? '', card: '' }, ada);
      expect(await billing.invoices.getInvoice({ invoiceId: invoice.id }, ada)).toMatchObject({ status: 'PAID' });
      expect(await subscriptionOf(ada)).toMatchObject({ status: 'ACTIVE' });
    });

    it('is not to be paid any more when the subscription ends', async () => {
      const { ada, invoice } = await pastDue('pm_card_chargeCustomerFail');
      await billing.subscriptions.cancelSubscription({}, ada);
      expect(await subscriptionOf(ada)).toMatchObject({ status: 'ENDED', openInvoiceId: null, nextAttemptAt: null });
      expect(await refusalOf(pay(ada, invoice.id))).toMatchObject({ kind: 'conflict', code: 'invoice_void' });
      expect(await invoicesOf(ada, { status: ['VOID'] })).toMatchObject([{ id: invoice.id, amountDueMinor: '0' }]);
      // It was issued, with its tax: what takes it back is issued as well.
      const { creditNotes } = await billing.refunds.listCreditNotes({}, ada);
      expect(creditNotes).toMatchObject([
        { invoiceId: invoice.id, refundId: null, totalMinor: '10353', taxMinor: '1653' },
      ]);
      const [voided] = await billing.pool.tenant(ada.organisation.id, (trx) =>
        trx('outbox').where('type', 'like', '%.invoice.voided').pluck<{ data: object }[]>('envelope'),
      );
      expect(voided?.data).toMatchObject({ invoice_id: invoice.id, credit_note_number: creditNotes[0]?.number });
    });

    it('is void when somebody says so, and the subscription ends with it', async () => {
      const { ada, invoice } = await pastDue('pm_card_chargeCustomerFail');
      const end = () => billing.invoices.voidInvoice({ invoiceId: invoice.id }, ada);
      expect(await end()).toMatchObject({ id: invoice.id, status: 'VOID', amountDueMinor: '0' });
      expect(await end()).toMatchObject({ status: 'VOID' });
      expect(await subscriptionOf(ada)).toMatchObject({ status: 'ENDED' });
      const paid = (await invoicesOf(ada, { status: ['PAID'] }))[0]?.id ?? '';
      expect(await refusalOf(billing.invoices.voidInvoice({ invoiceId: paid }, ada))).toMatchObject({
        ...{ kind: 'conflict', code: 'invoice_paid' },
      });
    });
  });
};
