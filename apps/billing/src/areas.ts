import { composeAreas } from '@platform-backend/service';
import { creditsArea } from './credits/area.ts';
import { invoicesArea } from './invoices/area.ts';
import { organisationClosureArea } from './organisation-closure/area.ts';
import { paymentsArea } from './payments/area.ts';
import { pricesArea } from './prices/area.ts';
import { purchasesArea } from './purchases/area.ts';
import { service, type BillingContext } from './service.ts';
import { subscriptionsArea } from './subscriptions/area.ts';
import { usageArea } from './usage/area.ts';

/** The areas, each after those that it builds on; what one of them asks of a later one is asked when there are all. */
export const billingAreas = (context: BillingContext) => {
  const prices = pricesArea(context);
  const invoices = invoicesArea(context, { prices: prices.exports });
  const credits = creditsArea(context, {
    prices: prices.exports,
    groupPolicies: {
      ask: (by, clientGroupId) => usage.exports.groupPolicies.ask(by, clientGroupId),
      heardAfter: (by, clientGroupId) => usage.exports.groupPolicies.heardAfter(by, clientGroupId),
    },
  });
  const usage = usageArea(context);
  const payments = paymentsArea(context, {
    paymentOver: (payment) =>
      payment.purpose === 'CREDIT_PURCHASE'
        ? purchases.exports.paymentOver(payment)
        : subscriptions.exports.paymentOver(payment),
    isBooked: (payment) =>
      payment.purpose === 'CREDIT_PURCHASE'
        ? purchases.exports.isBooked(payment)
        : subscriptions.exports.isBooked(payment),
    defaultChanged: (organisationId) => subscriptions.exports.tryNow(organisationId),
    isChargedAgain: (organisationId) => subscriptions.exports.isRenewing(organisationId),
  });
  const purchases = purchasesArea(context, {
    prices: prices.exports,
    invoices: invoices.exports,
    credits: credits.exports,
    payments: payments.exports,
  });
  const subscriptions = subscriptionsArea(context, {
    prices: prices.exports,
    invoices: invoices.exports,
    payments: payments.exports,
  });
  const organisationClosure = organisationClosureArea(context, {
    purchases: purchases.exports,
    subscriptions: subscriptions.exports,
  });
  return { prices, invoices, credits, usage, payments, purchases, subscriptions, organisationClosure };
};

/** Puts the service together. */
export const compose = composeAreas(service, (context) => Object.values(billingAreas(context)));
