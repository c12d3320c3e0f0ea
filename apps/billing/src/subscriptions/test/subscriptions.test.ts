import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { DomainError, fixedClock, newId } from '@platform-backend/core';
import { member, newOrganisation, refusalOf, service } from '@platform-backend/service/testing';
import { waitFor } from '@platform-backend/testing';
import { startRealIdentity, type Founder, type RealIdentity } from '../../../test/real-identity.ts';
import { micros, startTestBilling, type TestBilling } from '../../../test/test-billing.ts';
import { billingAreas } from '../../areas.ts';
import { systemActor } from '../../events.ts';
import { newRefund } from '../../refunds/domain/refund.ts';

const day = 86_400_000;
const clock = fixedClock('2026-04-01T12:00:00.000Z');
let identity: RealIdentity;
let billing: TestBilling;
beforeAll(async () => {
  identity = await startRealIdentity();
  billing = await startTestBilling({
    clock,
    environment: { IDENTITY_ADDRESS: identity.process.address, BILLING_SCHEDULE_SECONDS: '1' },
  });
});
afterAll(async () => {
  await billing.stop();
  await identity.stop();
});

type PlanInput = Parameters<TestBilling['subscriptions']['changeSubscription']>[0];
const team = (seatCount: number): PlanInput => ({ seatCount, subscriptionTier: 'TEAM' });
const basic = (seatCount: number): PlanInput => ({ seatCount, subscriptionTier: 'BASIC' });
const change = (by: Founder, wanted: PlanInput) =>
  billing.subscriptions.changeSubscription(wanted, { caller: callerOf(by) });
const subscriptionOf = (by: Founder) => billing.subscriptions.getSubscription({}, { caller: callerOf(by) });
const callerOf = ({ caller }: Founder) => caller;

/** What was begun by a call and is not over. */
const pendingOf = (call: Promise<unknown>) =>
  call.then(
    () => undefined,
    (error: unknown) => (error instanceof DomainError ? error.pending : undefined),
  );

/** Replaces the card of an organisation by one that behaves otherwise. */
async function useCard({ caller }: Founder, card: string) {
  const { clientSecret } = await billing.paymentMethods.createSetupIntent({}, { caller });
  const { paymentMethod } = await billing.paymentMethods.confirmInSandbox({ clientSecret, card }, { caller });
  await billing.paymentMethods.setDefaultPaymentMethod({ paymentMethodId: paymentMethod?.id ?? '' }, { caller });
}

const paymentsOf = ({ organisation: { id } }: Founder) =>
  billing.pool.tenant(id, async (trx) =>
    (await trx('sandbox_payments').orderBy('created_at').select('amount', 'status')).map(
      ({ amount, status }: { amount: string; status: string }) => `${status} ${amount}`,
    ),
  );

const eventsOf = ({ organisation: { id } }: Founder) =>
  billing.pool.tenant(id, async (trx) => {
    const rows = await trx('outbox').where('type', 'like', '%.subscription.%').orderBy('sequence').select('type');
    return rows.map(({ type }: { type: string }) => type.replace('platform.v1.billing.', ''));
  });

describe('what is sold', () => {
  it('is a list of prices, each with the version that it has now', async () => {
    const { prices } = await billing.prices.listPrices({}, member(newOrganisation(), 'VIEWER'));
    expect(prices.find(({ id }) => id === 'seat:TEAM:MONTHLY:EUR')).toMatchObject({
      ...{ kind: 'SEAT', tier: 'TEAM', renewalCycle: 'MONTHLY', unitAmountMinor: '2900', tiers: [] },
      ...{ currency: 'EUR', currencyDecimals: 2, minimumMinor: '50' },
    });
    expect(prices.find(({ id }) => id === 'credits:GBP')).toMatchObject({
      ...{ kind: 'CREDITS', tier: null, unitAmountMinor: null, minimumMinor: '30' },
      tiers: expect.arrayContaining([{ fromCredits: '10000', minorPerThousand: '775' }]),
    });
    expect(new Set(prices.map(({ id, version }) => `${id} ${version}`)).size).toBe(prices.length);
    const first = await billing.prices.listPrices({ kind: ['SEAT'], limit: 3, includeTotal: true }, member('org_x'));
    expect([first.prices.length, first.totalCount]).toEqual([3, 4]);
  });
});

describe('changing a subscription', () => {
  it('answers the organisation as it is now, and identity agrees at once', async () => {
    const ada = await identity.found();
    const answer = await change(ada, team(10));
    expect(answer).toMatchObject({
      id: ada.organisation.id,
      subscriptionTier: 'TEAM',
      maxMemberLimit: 10,
      seatsRenewalEnabled: true,
      seatsRenewalCycle: 'MONTHLY',
      seatsExpiredAt: new Date('2026-05-01T12:00:00.000Z'),
      hasPlan: true,
    });
    expect(await identity.current(ada)).toEqual(answer);
    // 10 seats at 29.00, and 19 % tax.
    expect(await paymentsOf(ada)).toEqual(['succeeded 34510']);
    expect(await eventsOf(ada)).toEqual(['subscription.changed']);
  });

  it('renews by one cycle when that is asked for, and upgrades BASIC at once for the difference', async () => {
    const ada = await identity.found();
    await change(ada, basic(5));
    const renewed = await change(ada, { ...basic(5), renew: true });
    expect(renewed.seatsExpiredAt).toEqual(new Date('2026-06-01T12:00:00.000Z'));
    const upgraded = await change(ada, team(5));
    expect(upgraded).toMatchObject({ subscriptionTier: 'TEAM', seatsExpiredAt: renewed.seatsExpiredAt });
    expect(await paymentsOf(ada)).toEqual(['succeeded 5355', 'succeeded 5355', 'succeeded 23800']);
    expect(await eventsOf(ada)).toEqual(['subscription.changed', 'subscription.renewed', 'subscription.changed']);
  });

  it('takes TEAM to BASIC at the end of the period, and shows it until then', async () => {
    const ada = await identity.found();
    await change(ada, team(8));
    expect(await change(ada, basic(3))).toMatchObject({ subscriptionTier: 'TEAM', maxMemberLimit: 8 });
    expect(await subscriptionOf(ada)).toMatchObject({
      tier: 'TEAM',
      pendingTier: 'BASIC',
      pendingSeatCount: 3,
      pendingRenewalCycle: 'MONTHLY',
    });
    expect(await paymentsOf(ada)).toHaveLength(1);
  });

  it('charges seats that are added for the rest of the period, and the same request twice nothing more', async () => {
    const ada = await identity.found();
    await change(ada, team(3));
    clock.advance(22.5 * day);
    const preview = await billing.subscriptions.previewSubscription(team(5), { caller: ada.caller });
    expect(preview).toMatchObject({ changes: true, subtotal: 14.5, tax: 2.76, total: 17.26, currency: 'EUR' });
    const first = await change(ada, team(5));
    expect(await change(ada, team(5))).toEqual(first);
    expect(await paymentsOf(ada)).toEqual(['succeeded 10353', 'succeeded 1726']);
    expect(first).toMatchObject({ maxMemberLimit: 5, seatsExpiredAt: new Date('2026-05-01T12:00:00.000Z') });
    const nothing = await billing.subscriptions.previewSubscription(team(5), { caller: ada.caller });
    expect(nothing).toMatchObject({ changes: false, total: 0, lines: [] });
    const { invoices } = await billing.invoices.listInvoices({}, { caller: ada.caller });
    expect(invoices.map(({ total }) => total)).toEqual([17.26, 103.53]);
    clock.advance(-22.5 * day);
  });

  it('gives fewer seats at the end of the period, as the preview says, and shows them as pending until then', async () => {
    const ada = await identity.found();
    await change(ada, team(8));
    const preview = await billing.subscriptions.previewSubscription(team(3), { caller: ada.caller });
    expect(preview).toMatchObject({
      changes: true,
      seatCount: 3,
      total: 0,
      takesEffectAt: new Date('2026-05-01T12:00:00.000Z'),
    });
    for (let time = 0; time < 2; time += 1) {
      expect(await change(ada, team(3))).toMatchObject({ subscriptionTier: 'TEAM', maxMemberLimit: 8 });
    }
    expect(await subscriptionOf(ada)).toMatchObject({ seatCount: 8, pendingTier: 'TEAM', pendingSeatCount: 3 });
    expect(await paymentsOf(ada)).toHaveLength(1);
    expect(await eventsOf(ada)).toEqual(['subscription.changed', 'subscription.changed']);
  });

  it('renews nothing but the plan as it is', async () => {
    const ada = await identity.found();
    await change(ada, team(3));
    expect(await refusalOf(change(ada, { ...team(4), renew: true }))).toMatchObject({ code: 'renewed_as_it_is' });
    expect(await paymentsOf(ada)).toHaveLength(1);
  });

  it('keeps to what was agreed for the period when the organisation is taxed elsewhere meanwhile', async () => {
    const ada = await identity.found();
    await change(ada, team(3));
    const details = { companyName: '', addressLines: [], vatId: '', country: 'FR' };
    await billing.invoices.setBillingDetails(details, { caller: ada.caller });
    await change(ada, team(4));
    await change(ada, { ...team(4), renew: true });
    const { invoices } = await billing.invoices.listInvoices({}, { caller: ada.caller });
    expect(invoices.map(({ country, tax }) => `${country} ${tax}`).toSorted()).toEqual([
      'DE 16.53',
      'DE 5.51',
      'FR 23.2',
    ]);
  });

  it('shows what is kept as credit until the next bill has taken it', async () => {
    const ada = await identity.found();
    await change(ada, { ...team(10), renewalCycle: 'YEARLY' });
    expect(await subscriptionOf(ada)).toMatchObject({ credit: 0, currency: 'EUR', pendingRenewalCycle: null });
    await change(ada, { ...team(1), renewalCycle: 'MONTHLY' });
    const { credit } = await subscriptionOf(ada);
    expect(credit).toBeGreaterThan(29);
    const { invoices } = await billing.invoices.listInvoices({}, { caller: ada.caller });
    const kept = invoices.flatMap(({ lines }) => lines).filter(({ description }) => description.startsWith('Kept'));
    expect(kept.map(({ amount }) => amount)).toEqual([credit]);
    await change(ada, { ...team(1), renew: true });
    expect((await subscriptionOf(ada)).credit).toBeCloseTo(credit - 29, 2);
    expect(await paymentsOf(ada)).toHaveLength(1);
  });

  it('begins another cycle at once', async () => {
    const ada = await identity.found();
    await change(ada, team(2));
    const answer = await change(ada, { ...team(2), renewalCycle: 'YEARLY' });
    expect(answer).toMatchObject({ seatsRenewalCycle: 'YEARLY', seatsExpiredAt: new Date('2027-04-01T12:00:00.000Z') });
  });

  it('refuses fewer seats than active members, and nothing has changed anywhere', async () => {
    const ada = await identity.found();
    await change(ada, team(3));
    await (
      await identity.invite(ada)
    )();
    await (
      await identity.invite(ada)
    )();
    const before = [await subscriptionOf(ada), await identity.current(ada)];
    for (const wanted of [team(2), basic(2)]) {
      expect(await refusalOf(change(ada, wanted))).toEqual({
        kind: 'conflict',
        code: 'seats_in_use',
        message: 'There are more active members than seats asked for',
      });
    }
    expect([await subscriptionOf(ada), await identity.current(ada)]).toEqual(before);
    expect(await paymentsOf(ada)).toHaveLength(1);
  });

  it('never gives a seat away that somebody takes at the same moment', async () => {
    for (let round = 0; round < 4; round += 1) {
      const ada = await identity.found();
      await change(ada, basic(3));
      const join = await Promise.all([identity.invite(ada), identity.invite(ada)]);
      const [lowered, ...joined] = await Promise.allSettled([change(ada, team(2)), ...join.map((accept) => accept())]);
      const { maxMemberLimit, members } = await identity.current(ada);
      expect(members.length).toBeLessThanOrEqual(maxMemberLimit);
      expect(maxMemberLimit).toBe(lowered.status === 'fulfilled' ? 2 : 3);
      expect(members).toHaveLength(1 + joined.filter(({ status }) => status === 'fulfilled').length);
    }
  });

  it('hears that the payment was refused, and has the seats back it wanted to give up', async () => {
    const ada = await identity.found();
    await change(ada, basic(6));
    await useCard(ada, 'pm_card_visa_chargeDeclinedInsufficientFunds');
    const before = await identity.current(ada);
    expect(await refusalOf(change(ada, team(4)))).toMatchObject({
      kind: 'payment_required',
      code: 'insufficient_funds',
      message: 'The payment was refused',
    });
    expect(await identity.current(ada)).toEqual(before);
    expect(await eventsOf(ada)).toEqual(['subscription.changed', 'subscription.payment_failed']);
    await useCard(ada, 'pm_card_visa');
    expect(await change(ada, team(7))).toMatchObject({ maxMemberLimit: 7 });
  });

  it('is confirmed by the payer where the bank wants that, and given up where nobody does', async () => {
    const [ada, bob] = [await identity.found(), await identity.found()];
    for (const who of [ada, bob]) await useCard(who, 'pm_card_authenticationRequired');
    const begun = await pendingOf(change(ada, team(6)));
    expect(begun).toMatchObject({ state: 'REQUIRES_ACTION' });
    const changeId = begun?.id ?? '';
    const waiting = await billing.subscriptions.getSubscriptionChange({ changeId }, { caller: ada.caller });
    expect(waiting).toMatchObject({ state: 'REQUIRES_ACTION', change: 'started', totalMinor: '20706' });
    expect(await subscriptionOf(ada)).toMatchObject({ status: 'FREE', tier: 'BASIC', seatCount: 5 });
    const confirmation = { clientSecret: waiting.clientSecret ?? '', card: '' };
    await billing.paymentMethods.confirmInSandbox(confirmation, { caller: ada.caller });
    expect(await subscriptionOf(ada)).toMatchObject({ status: 'ACTIVE', tier: 'TEAM', seatCount: 6 });
    expect(await billing.subscriptions.getSubscriptionChange({ changeId }, { caller: ada.caller })).toMatchObject({
      state: 'SUCCEEDED',
      clientSecret: null,
    });

    const given = { changeId: (await pendingOf(change(bob, team(6))))?.id ?? '' };
    expect(await billing.subscriptions.cancelSubscriptionChange(given, { caller: bob.caller })).toMatchObject({
      state: 'REFUSED',
    });
    expect(await subscriptionOf(bob)).toMatchObject({ status: 'FREE' });
    expect(await identity.current(bob)).toMatchObject({ subscriptionTier: 'BASIC', hasPlan: false });
  });

  it('lets one of many through that come at once', async () => {
    const ada = await identity.found();
    const outcomes = await Promise.all(
      Array.from({ length: 12 }, () =>
        change(ada, team(5)).then(
          () => 'changed',
          (error: unknown) => (error as { code: string }).code,
        ),
      ),
    );
    const changed = outcomes.filter((outcome) => outcome === 'changed').length;
    expect(new Set(outcomes)).toEqual(new Set(['changed', 'subscription_change_running']));
    expect(await paymentsOf(ada)).toHaveLength(changed);
  });

  it('is refused outside of 1 to 10,000 seats', async () => {
    const ada = await identity.found();
    for (const seats of [0, 10_001])
      expect(await refusalOf(change(ada, team(seats)))).toMatchObject({ kind: 'invalid' });
    expect(await change(ada, team(10_000))).toMatchObject({ maxMemberLimit: 10_000 });
  });

  it('finds no organisation that identity does not know, and charges nobody', async () => {
    const nobody = { caller: member(newOrganisation()).caller };
    expect(await refusalOf(billing.subscriptions.changeSubscription(team(3), nobody))).toMatchObject({
      kind: 'not_found',
    });
  });
});

describe('who may do it', () => {
  it('is the OWNER who changes, and an ADMIN who looks; never a key', async () => {
    const { caller, organisation } = await identity.found();
    await change({ caller, organisation }, team(5));
    const as = (level: 'OWNER' | 'ADMIN' | 'EDITOR') => ({ caller: { ...caller, level } });
    const key = { caller: { ...caller, kind: 'api_key', apiKeyId: 'k', scopes: ['*:admin'] } as const };
    const { subscriptions } = billing;
    const writes = [
      (by: typeof key | ReturnType<typeof as>) => subscriptions.changeSubscription(team(5), by),
      (by: typeof key | ReturnType<typeof as>) => subscriptions.cancelSubscription({}, by),
      (by: typeof key | ReturnType<typeof as>) => subscriptions.resumeSubscription({}, by),
    ];
    for (const write of writes) {
      for (const by of [as('ADMIN'), as('EDITOR'), key]) {
        expect(await refusalOf(write(by))).toMatchObject({ kind: 'forbidden' });
      }
    }
    await expect(subscriptions.getSubscription({}, as('ADMIN'))).resolves.toMatchObject({ seatCount: 5 });
    await expect(subscriptions.getSubscription({}, key)).resolves.toMatchObject({ seatCount: 5 });
    expect(await refusalOf(subscriptions.getSubscription({}, as('EDITOR')))).toMatchObject({ kind: 'forbidden' });
  });

  it('never sees the subscription of another organisation', async () => {
    const [ada, bob] = [await identity.found(), await identity.found()];
    await change(ada, team(9));
    expect(await subscriptionOf(bob)).toMatchObject({ status: 'FREE', currentPeriodEnd: null });
    expect(await refusalOf(billing.subscriptions.cancelSubscription({}, { caller: bob.caller }))).toMatchObject({
      code: 'nothing_to_cancel',
    });
    expect(await subscriptionOf(ada)).toMatchObject({ seatCount: 9, status: 'ACTIVE' });
  });
});

describe('time', () => {
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
    expect(await eventsOf(renewing)).toEqual(['subscription.changed', 'subscription.changed', 'subscription.renewed']);
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
    expect(await identity.current(ada)).toMatchObject({ subscriptionTier: 'BASIC', maxMemberLimit: 5, hasPlan: false });
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
    const { refunds } = billingAreas(billing.frame).refunds.exports.ports;
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
      ...{ credits: 1000, currency: 'EUR', country: 'DE', subtotalMinor: '1000', taxMinor: '190', totalMinor: '1190' },
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
