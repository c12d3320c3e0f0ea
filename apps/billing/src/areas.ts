import type { CallContext } from '@platform-backend/grpc';
import { composeAreas, type Area } from '@platform-backend/service';
import { balanceAlertsArea } from './balance-alerts/area.ts';
import { couponsArea } from './coupons/area.ts';
import { creditsArea } from './credits/area.ts';
import { exportsArea } from './exports/area.ts';
import { invoicesArea } from './invoices/area.ts';
import { mailsArea } from './mails/area.ts';
import { metersArea } from './meters/area.ts';
import { organisationClosureArea } from './organisation-closure/area.ts';
import { paymentsArea } from './payments/area.ts';
import { pricesArea } from './prices/area.ts';
import { purchasesArea } from './purchases/area.ts';
import { refundsArea } from './refunds/area.ts';
import { service, type BillingContext } from './service.ts';
import { subscriptionsArea } from './subscriptions/area.ts';
import { testClocksArea } from './test-clocks/area.ts';
import type { OrganisationTime } from './test-clocks/domain/organisation-time.ts';
import { topUpsArea } from './top-ups/area.ts';
import { usageArea } from './usage/area.ts';

/**
 * The areas, each after those that it builds on; what one of them asks of a later one is asked when there are all. With a live
 * processor there are no test clocks.
 */
export const billingAreas = async (
  real: BillingContext,
  { hasTestClocks = real.settings.BILLING_PAYMENT_PROCESSOR === 'sandbox' } = {},
) => {
  const testClocks = testClocksArea(real, {
    hasTestClocks,
    runSchedules: async (scope) => {
      let happened = 0;
      for (const { exports } of [payments, purchases, subscriptions, refunds, credits, topUps, balanceAlerts])
        happened += await exports.onSchedule(scope);
      return happened;
    },
    nextDueAt: async (organisationId) => {
      const due = await Promise.all(
        [payments, subscriptions, refunds, credits, topUps].map(({ exports }) => exports.nextDueAt(organisationId)),
      );
      const [next = null] = due.filter((at) => at !== null).toSorted((one, other) => one.getTime() - other.getTime());
      return next;
    },
  });
  const { time } = testClocks.exports;
  const context: BillingContext = { ...real, clock: time.clock };
  const prices = pricesArea(context);
  const invoices = invoicesArea(context, {
    prices: prices.exports,
    givenBack: (organisationId, ids) => refunds.exports.givenBack(organisationId, ids),
  });
  const mails = mailsArea(real, { invoices: invoices.exports });
  const credits = creditsArea(context, {
    prices: prices.exports,
    groupPolicies: {
      ask: (by, clientGroupId) => usage.exports.groupPolicies.ask(by, clientGroupId),
      heardAfter: (by, clientGroupId) => usage.exports.groupPolicies.heardAfter(by, clientGroupId),
      now: () => real.clock.now(),
    },
    time,
    nowIn: testClocks.exports.nowIn,
  });
  // Work that is done, and what client groups may have of it, counts for the day on which it really is done.
  const usage = usageArea(real);
  const meters = metersArea(real);
  const payments = await paymentsArea(context, {
    paymentOver: (payment) =>
      payment.purpose === 'CREDIT_PURCHASE'
        ? purchases.exports.takeOver(payment)
        : subscriptions.exports.paymentOver(payment),
    paymentPending: async (payment) => {
      // A change of a subscription shows its payment itself.
      if (payment.purpose === 'CREDIT_PURCHASE') await purchases.exports.takeOver(payment);
    },
    isBooked: async (payment) =>
      (await (payment.purpose === 'CREDIT_PURCHASE'
        ? purchases.exports.isBooked(payment)
        : subscriptions.exports.isBooked(payment))) || refunds.exports.isSurplus(payment),
    defaultChanged: (organisationId) => subscriptions.exports.tryNow(organisationId),
    isChargedAgain: (organisationId) => subscriptions.exports.isRenewing(organisationId),
    refundReported: (organisationId, id) => refunds.exports.refundReported(organisationId, id),
    disputeReported: (payment, dispute, requestId) => refunds.exports.disputeReported(payment, dispute, requestId),
    time,
  });
  const balanceAlerts = balanceAlertsArea(context, { credits: credits.exports, time });
  const purchases = purchasesArea(context, {
    prices: prices.exports,
    invoices: invoices.exports,
    credits: credits.exports,
    payments: payments.exports,
    refundSurplus: (payment) => refunds.exports.refundSurplus(payment),
    time,
  });
  const topUps = topUpsArea(context, {
    credits: credits.exports,
    payments: payments.exports,
    purchases: purchases.exports,
    time,
  });
  const coupons = couponsArea(context);
  const subscriptions = subscriptionsArea(context, {
    coupons: coupons.exports,
    prices: prices.exports,
    invoices: invoices.exports,
    payments: payments.exports,
    givenBack: (organisationId, ids) => refunds.exports.givenBack(organisationId, ids),
    refundSurplus: (payment) => refunds.exports.refundSurplus(payment),
    takenAtOnce: (trx, by, credits) => refunds.exports.takenAtOnce(trx, by, credits),
    time,
  });
  const refunds = refundsArea(context, { invoices: invoices.exports, payments: payments.exports, time });
  const exports = exportsArea(context);
  const organisationClosure = organisationClosureArea(context, {
    testClocks: testClocks.exports,
    balanceAlerts: balanceAlerts.exports,
    purchases: purchases.exports,
    subscriptions: subscriptions.exports,
    meters: meters.exports,
  });
  return {
    testClocks,
    prices,
    invoices,
    mails,
    credits,
    usage,
    meters,
    payments,
    balanceAlerts,
    purchases,
    topUps,
    coupons,
    subscriptions,
    refunds,
    exports,
    organisationClosure,
  };
};

/** Puts the service together. */
export const compose = composeAreas(service, async (context) => {
  const { exports, ...areas } = await billingAreas(context);
  const { time } = areas.testClocks.exports;
  // What is exported is what is stored, by whatever time, and is no single answer.
  return [...Object.values(areas).map((area) => answeringInTime(area, time)), exports];
});

type Handler = (request: unknown, context: CallContext) => Promise<unknown>;

/** The area with handlers that go by the time of the caller's organisation. */
function answeringInTime(area: Area<typeof service.declaration>, time: OrganisationTime): typeof area {
  const inTime =
    (handle: Handler): Handler =>
    (request, context) => {
      const { organisationId } = context.caller;
      return organisationId === undefined
        ? handle(request, context)
        : time.by(organisationId, () => handle(request, context));
    };
  const handlers = Object.fromEntries(
    Object.entries(area.handlers ?? {}).map(([name, methods]) => [
      name,
      Object.fromEntries(Object.entries(methods).map(([method, handle]) => [method, inTime(handle as Handler)])),
    ]),
  ) as NonNullable<typeof area.handlers>;
  return { ...area, handlers };
}
