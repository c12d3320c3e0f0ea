import { describe, expect, it } from '@jest/globals';
import { member, newOrganisation, refusalOf } from '@platform-backend/service/testing';
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

/** What is sold, and changes of what was bought. */
export const changesSuite = (): void => {
  describe('what is sold', () => {
    it('is a list of prices, each with the version that it has now', async () => {
      const { prices } = await billing.prices.listPrices({}, member(newOrganisation(), 'VIEWER'));
      expect(prices.find(({ id }) => id === 'seat:TEAM:MONTHLY:EUR')).toMatchObject({
        ...{ kind: 'SEAT', tier: 'TEAM', renewalCycle: 'MONTHLY', unitAmountMinor: '2900', tiers: [], trialDays: 14 },
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
      expect(answer).toMatchObject({
        seatsRenewalCycle: 'YEARLY',
        seatsExpiredAt: new Date('2027-04-01T12:00:00.000Z'),
      });
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
        const [lowered, ...joined] = await Promise.allSettled([
          change(ada, team(2)),
          ...join.map((accept) => accept()),
        ]);
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

  describe('who changes a subscription', () => {
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
};
