import { DomainError, newId, type ActorContext } from '@platform-backend/core';
import type { CallContext } from '@platform-backend/grpc';
import { member, newOrganisation } from '@platform-backend/service/testing';
import Stripe from 'stripe';
import { adjustCredits, grantCredits } from '../../src/credits/domain/credit-account.ts';
import { creditsToMicros } from '../../src/credits/domain/credits.ts';
import { systemActor } from '../../src/events.ts';
import { newRefund } from '../../src/refunds/domain/refund.ts';
import { lookAfterTestClocks, type TestClockPorts } from '../../src/test-clocks/app/test-clocks.ts';
import { timeOf } from '../../src/test-clocks/domain/test-clock.ts';
import { testClocksStore } from '../../src/test-clocks/store/test-clocks-store.ts';
import { webhookSecret, type Areas, type SimulatedBilling } from './simulated-billing.ts';
import type { Deed, Entry } from './year-actions.ts';

const hourMs = 3_600_000;

/** A dispute at Stripe. */
export interface DisputeThere {
  readonly id: string;
  readonly payment_intent: string;
  readonly amount: number;
  readonly currency: string;
  status: 'needs_response' | 'won' | 'lost' | 'warning_needs_response' | 'warning_closed';
}

/** What was done outside of billing, and has to be found in it. */
export interface DoneOutside {
  readonly organisationId: string;
  /** What work has cost, in micros, by the id of its debit. */
  readonly work: ReadonlyMap<string, bigint>;
  readonly disputes: readonly DisputeThere[];
  /** What was reported to a meter, by the id of its event. */
  readonly measured: ReadonlyMap<string, number>;
  /** The most that top-ups of a month may have come to, by currency, whatever was set when. */
  readonly highestCap: ReadonlyMap<string, bigint>;
}

interface Report {
  readonly id: string;
  readonly type: string;
  readonly object: object;
}

/** So often billing may have to be started again until a moment is over; more means that something is never done. */
const maxRounds = 300;

/** Has a history happen to a new organisation. Afterwards all outages are over, and some days have passed. */
export async function liveThrough(billing: SimulatedBilling, history: readonly Entry[]): Promise<DoneOutside> {
  const organisationId = newOrganisation();
  const clocks = testClocksStore(billing.database);
  const work = new Map<string, bigint>();
  const disputes: DisputeThere[] = [];
  const measured = new Map<string, number>();
  const highestCap = new Map<string, bigint>();
  const lateDebits: object[] = [];
  const lateReports: Report[] = [];
  const told = new Map<string, unknown>();
  const { stripe, identity } = billing;
  let isDisturbed = false;

  const now = async (): Promise<Date> => {
    const clock = await clocks.get(organisationId);
    return clock ? timeOf(clock, billing.clock.now()) : billing.clock.now();
  };
  const caller = member(organisationId).caller;
  const context = (): CallContext => {
    const by: ActorContext = {
      ...{ organisationId, requestId: newId() },
      actor: { type: 'user', id: 'ada', name: 'Ada', userId: 'ada', level: 'OWNER' },
    };
    return {
      ...{ caller, requestId: by.requestId, signal: new AbortController().signal, logger: billing.service.logger },
      organisationId: () => organisationId,
      actorContext: () => by,
    };
  };

  /** Asks billing for something by the organisation's time; null: it was killed, or has refused. */
  async function ask<Answer>(work: (areas: Areas, context: CallContext) => Promise<Answer>): Promise<Answer | null> {
    try {
      const done = await billing.inProcess((areas) =>
        areas.testClocks.exports.time.by(organisationId, () => work(areas, context())),
      );
      isDisturbed ||= done.isKilled;
      return done.isKilled ? null : done.answer;
    } catch (error) {
      if (!(error instanceof DomainError) || error.kind === 'internal') throw error;
      if (!isDisturbed && ['upstream_failed', 'unavailable', 'deadline_exceeded'].includes(error.kind)) throw error;
      return null;
    }
  }

  /** As somebody who asks until it is so. */
  async function insist(work: (areas: Areas, context: CallContext) => Promise<unknown>): Promise<void> {
    billing.killNext(null);
    await ask(work);
  }

  /** Clocks of the others stand still, so that a year takes as long after a hundred others as before them. */
  const onlyOurs = (ports: TestClockPorts): TestClockPorts => ({
    ...ports,
    testClocks: { ...ports.testClocks, organisations: () => Promise.resolve([organisationId]) },
  });

  async function pass(hours: number): Promise<void> {
    if (hours === 0) return;
    const to = new Date((await now()).getTime() + hours * hourMs);
    const { testClocks } = billing.areas();
    await testClocks.handlers.TestClockService.advanceTestClock({ to }, context());
    for (let round = 0; (await clocks.get(organisationId))?.advancingTo; round += 1) {
      if (round === maxRounds) throw new Error('time stands still: something that is due never happens');
      await billing.inProcess((areas) =>
        lookAfterTestClocks(
          onlyOurs(areas.testClocks.exports.ports),
          billing.service.logger,
          new AbortController().signal,
        ),
      );
      // Whoever died at it had a lease.
      if (round > 0) billing.clock.advance(61_000);
    }
  }

  const intents = () =>
    [...stripe.intents.values()].filter(
      ({ metadata }) => (metadata as { organisation_id?: string }).organisation_id === organisationId,
    );
  const refundsThere = () =>
    stripe.refunds.filter(
      ({ metadata }) => (metadata as { organisation_id?: string }).organisation_id === organisationId,
    );

  /** What Stripe would report by now and has not. */
  function newReports(): Report[] {
    const objects = [
      ...intents().flatMap((object) =>
        object['status'] === 'succeeded' || object['status'] === 'canceled'
          ? [{ type: `payment_intent.${object['status']}`, object }]
          : [],
      ),
      ...refundsThere().map((object) => ({ type: 'charge.refund.updated', object })),
    ];
    return objects.flatMap(({ type, object }) => {
      const id = String(object['id']);
      if (told.get(id) === object['status']) return [];
      told.set(id, object['status']);
      return [{ id: `evt_${newId()}`, type, object: structuredClone(object) }];
    });
  }

  /** Stripe tells again until it hears that it was understood. */
  async function deliver({ id, type, object }: Report): Promise<boolean> {
    const payload = JSON.stringify({
      ...{ id, object: 'event', type, created: Math.floor(Date.now() / 1000), data: { object } },
    });
    const signature = Stripe.webhooks.generateTestHeaderString({ payload, secret: webhookSecret });
    const answer = await ask((areas, by) =>
      areas.payments.handlers.WebhookService.receiveStripeWebhook({ payload: Buffer.from(payload), signature }, by),
    );
    return answer !== null;
  }

  async function report(how: Entry['reports'], always: readonly Report[] = []): Promise<void> {
    const reports = newReports();
    if (how === 'late') lateReports.push(...reports, ...always);
    const reported = how === 'lost' ? always : how === 'late' ? [] : [...reports, ...always];
    for (const one of how === 'twice' ? [...reported, ...reported] : reported) {
      if (!(await deliver(one))) lateReports.push(one);
    }
  }

  async function bookDebits(events: readonly object[]): Promise<void> {
    const { 'billing-on-debit-created': reaction } = billing.areas().credits.reactions;
    if (events.length > 0) await reaction.ofAll(events as never);
  }

  async function doWork(deed: Deed & { readonly kind: 'work' }): Promise<void> {
    const { micros, byMember, reserves, isTold } = deed;
    const reservationId = reserves === 'nothing' ? null : newId();
    if (reservationId !== null) {
      const amountMicros = String(reserves === 'too_little' ? Math.ceil(micros / 3) : micros);
      const wanted = { ...{ reservationId, amountMicros, purpose: 'run', lifetimeSeconds: 30 }, ...nobodyNamed };
      const reserved = await ask((areas, by) => areas.credits.handlers.CreditService.reserveCredits(wanted, by));
      if (reserved === null) return;
    }
    const debitId = newId();
    work.set(debitId, BigInt(micros));
    if (reserves === 'and_is_late') await pass(1);
    const event = {
      ...{ id: newId(), organisationId, type: 'platform.v1.pipelines.debit.created', requestId: newId() },
      data: {
        ...{ debit_id: debitId, reservation_id: reservationId, amount_micros: String(micros), credit_class: 'AI' },
        ...{ purpose: 'run', work_id: `run_${debitId}`, client_group_id: null, api_key_id: null },
        ...{ member_id: byMember ? 'ada' : null, occurred_at: (await now()).toISOString() },
      },
    };
    if (isTold === 'at_once' || isTold === 'twice') await bookDebits([event]);
    if (isTold === 'twice') await bookDebits([event, event]);
    if (isTold === 'late' || isTold === 'late_and_twice') lateDebits.unshift(event);
    if (isTold === 'late_and_twice') lateDebits.push(event);
  }

  const purchaseCredits = (credits: number, currency: string) =>
    ask((areas, by) =>
      areas.purchases.handlers.CreditService.purchaseCredits(
        { credits, currency, country: null, paymentMethodId: null, previewToken: null },
        by,
      ),
    );

  async function newCard(card: string): Promise<void> {
    const made = await ask((areas, by) => areas.payments.handlers.PaymentMethodService.createSetupIntent({}, by));
    if (!made) return;
    stripe.confirmSetup(made.clientSecret, card);
    const list = await ask((areas, by) =>
      areas.payments.handlers.PaymentMethodService.listPaymentMethods(
        { limit: 50, cursor: '', includeTotal: false },
        by,
      ),
    );
    const newest = list?.paymentMethods[0];
    if (!newest) return;
    await ask((areas, by) =>
      areas.payments.handlers.PaymentMethodService.setDefaultPaymentMethod({ paymentMethodId: newest.id }, by),
    );
  }

  async function refund({ by: whose, pick, percent }: Deed & { readonly kind: 'refund' }): Promise<void> {
    const invoices = await rows<{ id: string; total_minor: string }>('invoices');
    const invoice = invoices[pick % (invoices.length || 1)];
    if (!invoice) return;
    const part = percent === 100 ? null : String((BigInt(invoice.total_minor) * BigInt(percent)) / 100n || 1n);
    if (whose === 'member') {
      const wanted = { invoiceId: invoice.id, amountMinor: part, reason: null, memo: '' };
      await ask((areas, by) => areas.refunds.handlers.RefundService.createRefund(wanted, by));
      return;
    }
    await ask(async (areas) => {
      const at = await now();
      const by = systemActor(organisationId, newId());
      const request = {
        ...{ id: newId(), organisationId, reason: 'GOODWILL' as const, memo: 'sorry', requestedBy: by.actor },
        ...{ requestId: by.requestId, amountMinor: part === null ? null : BigInt(part) },
      };
      return areas.refunds.exports.ports.refunds.begin(by, invoice.id, 'not_asked', at, (of) =>
        newRefund(of, request, at, at),
      );
    });
  }

  async function dispute(deed: Deed & { readonly kind: 'dispute' }, reports: Entry['reports']): Promise<void> {
    const { pick, percent, ends, isInquiry } = deed;
    const paid = intents().filter(
      ({ id, status }) => status === 'succeeded' && !disputes.some((one) => one.payment_intent === id),
    );
    const intent = paid[pick % (paid.length || 1)];
    if (!intent) return;
    const given = refundsThere()
      .filter(({ payment_intent: of, status }) => of === intent['id'] && status !== 'failed')
      .reduce((sum, { amount }) => sum + Number(amount), 0);
    const amount = Math.floor(((Number(intent['amount']) - given) * percent) / 100);
    if (amount <= 0) return;
    const there: DisputeThere = {
      ...{ id: `dp_${newId()}`, payment_intent: String(intent['id']), amount, currency: String(intent['currency']) },
      status: isInquiry ? 'warning_needs_response' : 'needs_response',
    };
    disputes.push(there);
    const tell = (type: string): Promise<void> =>
      report(reports, [
        { id: `evt_${newId()}`, type, object: { ...there, object: 'dispute', reason: 'fraudulent', metadata: {} } },
      ]);
    await tell('charge.dispute.created');
    if (ends === null) return;
    await pass(40);
    if (isInquiry && ends === 'lost') {
      there.status = 'needs_response';
      await tell('charge.dispute.updated');
    }
    there.status = isInquiry && ends === 'won' ? 'warning_closed' : ends === 'won' ? 'won' : 'lost';
    await tell('charge.dispute.closed');
  }

  const rows = <Row>(table: string): Promise<Row[]> =>
    billing.database.tenant(
      organisationId,
      (trx) => trx(table).where({ organisation_id: organisationId }).orderBy('created_at') as unknown as Promise<Row[]>,
    );

  async function payInvoice(): Promise<void> {
    const invoices = await rows<{ id: string }>('invoices');
    const last = invoices.at(-1);
    if (!last) return;
    await ask((areas, by) =>
      areas.subscriptions.handlers.InvoiceService.payInvoice({ invoiceId: last.id, paymentMethodId: null }, by),
    );
  }

  async function giveByHand(deed: Deed & { readonly kind: 'grant' }): Promise<void> {
    const at = await now();
    const { credits, days, priority } = deed;
    const source = `operator:${newId()}`;
    const wanted = {
      ...{ id: newId(), transactionId: newId(), source, reason: 'a present', kind: 'PROMOTIONAL' as const },
      ...{ amount: creditsToMicros(credits), priority },
      expiresAt: days === null ? null : new Date(at.getTime() + days * 24 * hourMs),
    };
    await ask((areas) =>
      areas.credits.exports.credits.grant(systemActor(organisationId, newId()), source, at, (holdings) =>
        grantCredits(holdings, wanted, at),
      ),
    );
  }

  async function takeByHand(credits: number): Promise<void> {
    const at = await now();
    const wanted = { transactionId: newId(), amount: creditsToMicros(credits), reason: 'a mistake' };
    await ask((areas) =>
      areas.credits.exports.credits.adjust(
        systemActor(organisationId, newId()),
        `operator:${newId()}`,
        at,
        (holdings) => adjustCredits(holdings, organisationId, wanted, at),
      ),
    );
  }

  async function topUp({ threshold, credits, times }: Deed & { readonly kind: 'top_up' }): Promise<void> {
    if (threshold === null) {
      await ask((areas, by) => areas.topUps.handlers.TopUpService.disableAutomaticTopUp({}, by));
      return;
    }
    // No more than they come to with any price list and tax.
    const monthlyCapMinor = BigInt(times * credits * 200);
    highestCap.set(
      'EUR',
      [highestCap.get('EUR') ?? 0n, monthlyCapMinor].reduce((one, other) => (one > other ? one : other)),
    );
    const wanted = {
      ...{ thresholdMicros: String(creditsToMicros(threshold)), credits, currency: 'EUR' },
      monthlyCapMinor: String(monthlyCapMinor),
    };
    await ask((areas, by) => areas.topUps.handlers.TopUpService.setAutomaticTopUp(wanted, by));
  }

  async function alert({ threshold, isRemoved }: Deed & { readonly kind: 'alert' }): Promise<void> {
    if (!isRemoved) {
      const wanted = { thresholdMicros: String(creditsToMicros(threshold)) };
      await ask((areas, by) => areas.balanceAlerts.handlers.BalanceAlertService.createBalanceAlert(wanted, by));
      return;
    }
    const [last] = (await rows<{ id: string; purpose: string }>('balance_thresholds'))
      .filter(({ purpose }) => purpose === 'ALERT')
      .toReversed();
    if (!last) return;
    await ask((areas, by) =>
      areas.balanceAlerts.handlers.BalanceAlertService.deleteBalanceAlert({ alertId: last.id }, by),
    );
  }

  /** Reports what was measured until it is known, and some of it again. */
  async function measure({ values, times }: Deed & { readonly kind: 'measure' }): Promise<void> {
    const definition = {
      ...{ slug: 'tried', name: 'Tried', description: '', eventType: 'tried', aggregation: 'SUM' as const },
      ...{ valueProperty: '$.tries', groupBy: {} },
    };
    if ((await rows('meters')).length === 0) {
      billing.killNext(null);
      await ask((areas, by) => areas.meters.handlers.MeterService.createMeter(definition, by));
    }
    const events = values.map((tries) => ({
      ...{ specversion: '1.0', source: 'here', id: newId(), type: 'tried', subject: 'somebody', time: null },
      datacontenttype: null,
      data: { tries },
    }));
    for (const { id, data } of events) measured.set(id, data.tries);
    for (let time = 0; time < times; time += 1) {
      await ask((areas, by) => areas.meters.handlers.MeterService.ingestUsageEvents({ events }, by));
    }
    await insist((areas, by) => areas.meters.handlers.MeterService.ingestUsageEvents({ events }, by));
  }

  async function perform(deed: Deed, reports: Entry['reports']): Promise<unknown> {
    switch (deed.kind) {
      case 'work':
        return doWork(deed);
      case 'buy':
        return purchaseCredits(deed.credits, deed.currency);
      case 'subscribe':
        return ask((areas, by) =>
          areas.subscriptions.handlers.SubscriptionService.changeSubscription(
            {
              ...{ seatCount: deed.seats, subscriptionTier: deed.tier, renewalCycle: deed.cycle },
              ...{ renew: deed.renew, previewToken: null },
              ...{ trial: deed.trial && !deed.renew, trialMissingPaymentMethod: deed.trialEnd },
            },
            by,
          ),
        );
      case 'cancel':
        return ask((areas, by) =>
          areas.subscriptions.handlers.SubscriptionService.cancelSubscription({ previewToken: null }, by),
        );
      case 'resume':
        return ask((areas, by) =>
          areas.subscriptions.handlers.SubscriptionService.resumeSubscription({ previewToken: null }, by),
        );
      case 'pay_invoice':
        return payInvoice();
      case 'new_card':
        return newCard(deed.card);
      case 'card_turns':
        for (const method of ourMethods()) method.behaves = deed.into;
        return undefined;
      case 'refund':
        return refund(deed);
      case 'refund_fails': {
        const made = refundsThere().filter(({ status }) => status === 'succeeded');
        const one = made[deed.pick % (made.length || 1)];
        if (!one) return undefined;
        Object.assign(one, { status: 'failed', failure_reason: 'lost_or_stolen_card' });
        told.set(String(one['id']), 'failed');
        // Nothing looks after one that has succeeded, so Stripe tells until it is heard.
        return report(reports, [{ id: `evt_${newId()}`, type: 'refund.failed', object: structuredClone(one) }]);
      }
      case 'dispute':
        return dispute(deed, reports);
      case 'prices':
        await billing.restartWithPrices(deed.level);
        return undefined;
      case 'redeem':
        return ask((areas, by) => areas.coupons.handlers.CouponService.redeemPromotionCode({ code: deed.code }, by));
      case 'grant':
        return giveByHand(deed);
      case 'adjust':
        return takeByHand(deed.credits);
      case 'details': {
        const { country, vatId } = deed;
        const wanted = { companyName: 'Acme', addressLines: [], vatId, country, email: null };
        return ask((areas, by) => areas.invoices.handlers.InvoiceService.setBillingDetails(wanted, by));
      }
      case 'top_up':
        return topUp(deed);
      case 'alert':
        return alert(deed);
      case 'mails':
        return ask((areas, by) =>
          areas.mails.handlers.BillingMailService.setBillingMailPreferences({ disabled: [...deed.disabled] }, by),
        );
      case 'measure':
        return measure(deed);
      case 'members':
        identity.of(organisationId).activeMembers = deed.count;
        return undefined;
    }
  }

  const ourMethods = () => {
    const ours = new Set(
      [...stripe.customers.values()]
        .filter(({ metadata }) => (metadata as { organisation_id?: string }).organisation_id === organisationId)
        .map(({ id }) => id),
    );
    return [...stripe.methods.values()].filter(({ customer }) => ours.has(customer));
  };

  /** What waits for somebody outside: a payer who has to confirm, or a bank. */
  async function answerOutside({ payer, bankAgrees }: Pick<Entry, 'payer' | 'bankAgrees'>): Promise<void> {
    for (const intent of intents()) {
      if (intent['status'] === 'requires_action' && payer === 'confirms') stripe.confirmPayment(String(intent['id']));
      if (intent['status'] === 'processing') intent['status'] = afterBank(bankAgrees);
    }
    if (payer !== 'cancels' || !intents().some(({ status }) => status === 'requires_action')) return;
    for (const { id } of await rows<{ id: string }>('credit_purchases').then((all) => all.slice(-1))) {
      await insist((areas, by) => areas.purchases.handlers.CreditService.cancelCreditPurchase({ purchaseId: id }, by));
    }
    const changes = await billing.database.tenant(organisationId, (trx) =>
      trx('subscription_changes').whereNot('state', 'done').pluck<string[]>('id'),
    );
    for (const changeId of changes) {
      await insist((areas, by) =>
        areas.subscriptions.handlers.SubscriptionService.cancelSubscriptionChange({ changeId }, by),
      );
    }
  }

  async function catchUp(): Promise<void> {
    await bookDebits(lateDebits.splice(0));
    for (const one of lateReports.splice(0).toReversed()) if (!(await deliver(one))) lateReports.push(one);
  }

  function disturb({ outage, brokenPayments, isSlow, death }: Entry): void {
    isDisturbed = outage !== null || brokenPayments > 0 || isSlow;
    if (outage?.of === 'processor') stripe.loseAnswers(outage.when);
    if (outage?.of === 'identity') identity.breakDown(outage.when);
    stripe.failPayments(brokenPayments);
    if (isSlow) stripe.meanwhile(slowly());
    billing.killNext(death);
  }

  /** One answer that comes so late that another process has taken over by then. */
  const slowly = () => {
    let isFirst = true;
    return async () => {
      if (!isFirst) return;
      isFirst = false;
      if (!(await clocks.get(organisationId))?.advancingTo) await pass(1);
    };
  };

  /** Payments that begin while nobody is there, as renewals, are decided within some hours. */
  const decideMeanwhile = ({ payer, bankAgrees }: Pick<Entry, 'payer' | 'bankAgrees'>): void =>
    stripe.decide({
      processing: { looks: 5, becomes: afterBank(bankAgrees) },
      requires_action: { looks: 8, becomes: payer === 'leaves' ? 'requires_payment_method' : 'succeeded' },
    });

  function calm(): void {
    stripe.loseAnswers('no');
    stripe.failPayments(0);
    stripe.meanwhile(() => undefined);
    identity.breakDown('no');
    billing.killNext(null);
    isDisturbed = false;
  }

  async function live(entry: Entry): Promise<void> {
    decideMeanwhile(entry);
    await pass(entry.after);
    await catchUp();
    disturb(entry);
    await perform(entry.deed, entry.reports);
    await report(entry.reports);
    if (entry.outage) await pass(entry.outage.hours);
    calm();
    await answerOutside(entry);
    await report(entry.reports);
  }

  calm();
  billing.timeIs(async () => (await now()).getTime());
  await billing.areas().testClocks.handlers.TestClockService.createTestClock({ name: '' }, context());
  billing.clock.advance(1_000);
  await newCard('pm_card_visa');
  for (const entry of history) await live(entry);
  await answerOutside({ payer: 'confirms', bankAgrees: true });
  for (let day = 0; day < 3; day += 1) {
    await catchUp();
    await pass(24);
  }
  return { organisationId, work, disputes, measured, highestCap };
}

const afterBank = (agrees: boolean): string => (agrees ? 'succeeded' : 'requires_payment_method');

const nobodyNamed = { clientGroupId: null, apiKeyId: null, creditClass: null } as const;
