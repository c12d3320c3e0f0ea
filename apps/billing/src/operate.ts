/** `npm run -s billing -- payments list`: what an operator does. The commands belong to the areas; here they are listed. */
import { runOneOf, type Command } from '@platform-backend/command-line';
import { systemClock, type Configuration } from '@platform-backend/core';
import { createLogger } from '@platform-backend/core/logger';
import { createMetrics } from '@platform-backend/core/metrics';
import type { Database } from '@platform-backend/postgres';
import { readFileSync } from 'node:fs';
import { couponCommands, type CouponCommandParts } from './coupons/operate/coupon-commands.ts';
import { couponsStore } from './coupons/store/coupons-store.ts';
import { creditCommands, type CreditCommandParts } from './credits/operate/credit-commands.ts';
import { creditAccountsStore } from './credits/store/credit-accounts-store.ts';
import { taxCommands, type TaxCommandParts } from './invoices/operate/tax-commands.ts';
import { taxExemptionsStore } from './invoices/store/tax-exemptions-store.ts';
import { reconcilePayments, type ReconciliationPorts } from './payments/app/reconcile-payments.ts';
import type { Payment } from './payments/domain/payment.ts';
import { paymentCommands, type PaymentCommandParts } from './payments/operate/payment-commands.ts';
import { sandboxProvider } from './payments/sandbox/sandbox-provider.ts';
import { paymentSettings, paymentsThrough, type PaymentsThrough } from './payments/settings.ts';
import { paymentsStore } from './payments/store/payments-store.ts';
import { sandboxStore } from './payments/store/sandbox-store.ts';
import { parsePriceBook } from './prices/domain/parse-price-book.ts';
import { noEvidence, taxOfSale } from './prices/domain/sale-tax.ts';
import { priceSettings } from './prices/settings.ts';
import { refundCommands, type RefundCommandParts } from './refunds/operate/refund-commands.ts';
import { refundsStore } from './refunds/store/refunds-store.ts';
import { service } from './service.ts';
import { parseSeatPrices } from './subscriptions/domain/parse-seat-prices.ts';
import { changeCommands, type ChangeCommandParts } from './subscriptions/operate/change-commands.ts';
import { trialCommands, type TrialCommandParts } from './subscriptions/operate/trial-commands.ts';
import { subscriptionSettings } from './subscriptions/settings.ts';
import { openChangesStore } from './subscriptions/store/open-changes-store.ts';
import { trialsStore } from './subscriptions/store/trials-store.ts';
import { timeOf } from './test-clocks/domain/test-clock.ts';
import { testClocksStore } from './test-clocks/store/test-clocks-store.ts';

type StorageSettings = Parameters<typeof service.declaration.storage.open>[0]['settings'];

type Parts = PaymentCommandParts &
  ChangeCommandParts &
  RefundCommandParts &
  CreditCommandParts &
  CouponCommandParts &
  TrialCommandParts &
  TaxCommandParts;

const groups = {
  payments: paymentCommands,
  changes: changeCommands,
  refunds: refundCommands,
  credits: creditCommands,
  coupons: couponCommands,
  trials: trialCommands,
  tax: taxCommands,
};

const all = Object.values(groups);

const usage = `${all.map((group) => group.usage).join('\n')}

Looks after payments, and after changes of subscriptions that are not over. Answers are lines of JSON. What is asked for is written
down; billing does it within its BILLING_SCHEDULE_SECONDS, and has to run for that. It is that of the platform that npm start runs on
PLATFORM_HOME (.platform unless given), or another one, with the environment of billing.

${all.map((group) => group.help).join('\n')}`;

/** All of them, by the word with which they begin. */
export const operatorCommands = (open: () => Promise<Parts & AsyncDisposable>): Readonly<Record<string, Command>> =>
  Object.fromEntries(Object.entries(groups).map(([name, group]) => [name, group.command(usage, open)]));

/** With the processor that billing has. */
async function comparedWith(
  database: Database,
  through: PaymentsThrough,
): Promise<Pick<ReconciliationPorts, 'provider' | 'isBooked'>> {
  const provider =
    through.processor === 'sandbox'
      ? sandboxProvider({ books: sandboxStore(database), clock: systemClock, cardUnlessSetUp: null })
      : (await import('./payments/stripe/stripe-provider.ts')).stripeProvider(through);
  const refunds = refundsStore(database);
  const isSold = ({ organisationId, purpose, subjectId: id, reference }: Payment): Promise<boolean> =>
    database.tenant(organisationId, async (trx) => {
      const sold =
        purpose === 'CREDIT_PURCHASE'
          ? trx('credit_purchases').where({ id, status: 'SUCCEEDED', processor_reference: reference })
          : trx('subscription_changes').where({ id, outcome: 'accepted', processor_reference: reference });
      return (await sold.first<object | undefined>('id')) !== undefined;
    });
  return { provider, isBooked: async (payment) => (await isSold(payment)) || refunds.isSurplus(payment) };
}

/** By what time an organisation goes, and what is sold then. */
function soldNow(
  database: Database,
  settings: Configuration<typeof subscriptionSettings & typeof priceSettings>,
): Pick<TrialCommandParts, 'timeOf' | 'termsAt'> {
  const testClocks = testClocksStore(database);
  const prices = parseSeatPrices(readFileSync(settings.BILLING_SEAT_PRICES, 'utf8'));
  const priceBook = parsePriceBook(readFileSync(settings.BILLING_PRICE_BOOK, 'utf8'));
  return {
    timeOf: async (organisationId) => {
      const known = await testClocks.get(organisationId);
      return known ? timeOf(known, systemClock.now()) : systemClock.now();
    },
    termsAt: (at) => ({ prices, taxed: taxOfSale(priceBook, noEvidence, at) }),
  };
}

if (import.meta.main) {
  const open = async (): Promise<Parts & AsyncDisposable> => {
    const { declaration, readSettings } = service;
    const logger = createLogger({ service: 'billing', level: 'warn', destination: process.stderr });
    const { storage, own } = readSettings(process.env);
    const opening = {
      settings: storage as StorageSettings,
      applicationName: 'billing operator',
      logger,
      metrics: createMetrics(),
    };
    const storageOpened = await declaration.storage.open(opening);
    const { database } = storageOpened.opened;
    const compared = await comparedWith(database, paymentsThrough(own as Configuration<typeof paymentSettings>));
    const ports = { ...compared, payments: paymentsStore(database), clock: systemClock, logger };
    return {
      payments: ports.payments,
      changes: openChangesStore(database),
      refunds: refundsStore(database),
      // Its relay looks by itself.
      credits: creditAccountsStore(database, () => undefined),
      coupons: couponsStore(database),
      taxExemptions: taxExemptionsStore(database),
      trials: trialsStore(database),
      ...soldNow(database, own as Configuration<typeof subscriptionSettings & typeof priceSettings>),
      reconcile: (days) => reconcilePayments(ports, days),
      clock: systemClock,
      write: (answer) => process.stdout.write(`${JSON.stringify(answer)}\n`),
      [Symbol.asyncDispose]: () => storageOpened.close(),
    };
  };
  await runOneOf({ name: 'npm run billing --', usage, commands: operatorCommands(open) });
}
