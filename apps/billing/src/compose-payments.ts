import type { CallerAssertions } from '@platform/auth';
import { loadContract } from '@platform/contract';
import { newId, type Clock } from '@platform/core';
import { createClient, tlsFrom } from '@platform/grpc';
import type { Database } from '@platform/postgres';
import { readFileSync } from 'node:fs';
import { paymentProcessor } from './app/payments/charge-organisation.ts';
import type { PaymentParts } from './app/payments/payment-parts.ts';
import type { InvoiceParts } from './app/invoices/invoice-parts.ts';
import { rememberingNames } from './app/invoices/remembering-names.ts';
import { countryOfTax } from './app/prices/country-of-tax.ts';
import type { SubscriptionParts } from './app/subscriptions/subscription-parts.ts';
import { identityNames, identityOrganisations, type IdentityClient } from './clients/identity-organisations.ts';
import type { Config, PaymentSettings } from './config.ts';
import { taxOn, type PriceBook } from './domain/prices/price-book.ts';
import { invoicePdfThread } from './documents/invoice-pdf-thread.ts';
import type { InvoiceTerms } from './domain/invoices/invoice-terms.ts';
import { sellerOf } from './domain/invoices/seller.ts';
import { parseSeatPrices } from './domain/subscriptions/parse-seat-prices.ts';
import { sandboxProvider } from './providers/sandbox/sandbox-provider.ts';
import { stripeProvider } from './providers/stripe/stripe-provider.ts';
import { billingDetailsStore } from './store/billing-details-store.ts';
import { invoiceDocumentsStore } from './store/invoice-documents-store.ts';
import { invoicesStore } from './store/invoices-store.ts';
import { organisationNamesStore } from './store/organisation-names-store.ts';
import { providerEventsStore } from './store/provider-events-store.ts';
import { subscriptionsStore } from './store/subscriptions-store.ts';
import { walletsStore } from './store/wallets-store.ts';

export interface PaymentEnvironment {
  readonly config: Config;
  readonly database: Database;
  readonly clock: Clock;
  readonly assertions: CallerAssertions;
  readonly priceBook: PriceBook;
  readonly paymentSettled: PaymentParts['paymentSettled'];
}

/** Puts together what subscriptions and payments work with, and what purchases of credits share with them; `close` ends the connection to identity and the thread of PDFs. */
export function composePayments({
  config,
  database,
  clock,
  assertions,
  priceBook,
  paymentSettled,
}: PaymentEnvironment) {
  const identity = createClient<IdentityClient>({
    contract: loadContract(),
    service: 'platform.identity.v1.OrganisationService',
    address: config.IDENTITY_ADDRESS,
    assertions,
    tls: tlsFrom(config),
  });
  const seller = sellerOf(config.BILLING_SELLER, config.BILLING_SELLER_ADDRESS, config.BILLING_SELLER_VAT_ID);
  const invoiceTerms: InvoiceTerms = { seller, priceBook };
  const { provider, sandbox, webhooks } = providerOf(config.payments, database, clock);
  const subscriptions = subscriptionsStore(database, invoiceTerms);
  const wallets = walletsStore(database, provider.name);
  const payments: PaymentParts = {
    provider,
    sandbox,
    webhooks,
    providerEvents: providerEventsStore(database),
    paymentSettled,
    wallets,
    subscriptions,
    clock,
    newId,
  };
  const organisationNames = organisationNamesStore(database);
  const billingDetails = billingDetailsStore(database);
  const pdfs = invoicePdfThread();
  const parts: PaymentParts & SubscriptionParts & InvoiceParts = {
    ...payments,
    invoices: invoicesStore(database, seller),
    invoiceDocument: pdfs.document,
    invoiceDocuments: invoiceDocumentsStore(database),
    billingDetails,
    organisationNames,
    nameDirectory: identityNames(identity),
    organisations: rememberingNames(identityOrganisations(identity), organisationNames, clock),
    payments: paymentProcessor(payments),
    seatPrices: parseSeatPrices(readFileSync(config.BILLING_SEAT_PRICES, 'utf8')),
    salesTax: {
      countryOf: countryOfTax({ billingDetails, priceBook }),
      on: (country, amount) => taxOn(priceBook, country, amount),
    },
    grace: { graceDays: config.BILLING_GRACE_DAYS, retryHours: config.BILLING_RENEWAL_RETRY_HOURS },
    usualCycle: 'MONTHLY',
    leaseMs: config.BILLING_CHANGE_LEASE_SECONDS * 1000,
  };
  const close = async () => {
    identity.close();
    await pdfs.close();
  };
  return { parts, invoiceTerms, close };
}

function providerOf(
  settings: PaymentSettings,
  database: Database,
  clock: Clock,
): Pick<PaymentParts, 'provider' | 'sandbox' | 'webhooks'> {
  if (settings.processor === 'stripe') {
    const stripe = stripeProvider(settings);
    return { provider: stripe, sandbox: null, webhooks: stripe };
  }
  const sandbox = sandboxProvider({ database, clock, cardUnlessSetUp: settings.cardUnlessSetUp });
  return { provider: sandbox, sandbox, webhooks: null };
}
