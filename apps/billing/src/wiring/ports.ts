import { newId, type Clock } from '@platform-backend/core';
import type { Database } from '@platform-backend/postgres';
import type { ServiceContext } from '@platform-backend/service';
import { readFileSync } from 'node:fs';
import { creditAccountsStore } from '../credits/store/credit-accounts-store.ts';
import { sellerOf } from '../invoices/domain/seller.ts';
import { invoicePdfThread } from '../invoices/pdf/invoice-pdf-thread.ts';
import { billingDetailsStore } from '../invoices/store/billing-details-store.ts';
import { invoiceDocumentsStore } from '../invoices/store/invoice-documents-store.ts';
import { invoicesStore } from '../invoices/store/invoices-store.ts';
import { organisationNamesStore } from '../invoices/store/organisation-names-store.ts';
import { organisationClosuresStore } from '../organisation-closure/store/organisation-closures-store.ts';
import { paymentProcessor } from '../payments/app/charge-organisation.ts';
import { sandboxProvider } from '../payments/sandbox/sandbox-provider.ts';
import { paymentsThrough, type PaymentsThrough } from '../payments/settings.ts';
import { providerEventsStore } from '../payments/store/provider-events-store.ts';
import { sandboxStore } from '../payments/store/sandbox-store.ts';
import { walletsStore } from '../payments/store/wallets-store.ts';
import { stripeProvider } from '../payments/stripe/stripe-provider.ts';
import { parsePriceBook } from '../prices/domain/parse-price-book.ts';
import { creditPurchasesStore } from '../purchases/store/credit-purchases-store.ts';
import type { service } from '../service.ts';
import {
  currentOrganisation,
  identityOrganisations,
  type IdentityClient,
} from '../subscriptions/clients/identity-organisations.ts';
import type { RenewalCycle } from '../subscriptions/domain/paid-period.ts';
import { parseSeatPrices } from '../subscriptions/domain/parse-seat-prices.ts';
import { subscriptionsStore } from '../subscriptions/store/subscriptions-store.ts';
import { policyKnowledge } from '../usage/app/client-policies.ts';
import { identityClientGroups, type ClientGroupsClient } from '../usage/clients/identity-client-groups.ts';
import { clientPoliciesStore } from '../usage/store/client-policies-store.ts';
import { usageStore } from '../usage/store/usage-store.ts';

/** What the use cases work with, made once each. */
export type Ports = ReturnType<typeof openPorts>;

export function openPorts({
  settings,
  storage: { database },
  clock,
  client,
  eventsFlow,
  wakeRelay,
  defer,
}: ServiceContext<typeof service.declaration>) {
  const organisations = client<IdentityClient>('platform.identity.v1.OrganisationService');
  const clientGroups = client<ClientGroupsClient>('platform.identity.v1.ClientGroupService');
  const book = parsePriceBook(readFileSync(settings.BILLING_PRICE_BOOK, 'utf8'));
  const priceBook = { ...book, welcomeCredits: settings.BILLING_WELCOME_CREDITS ?? book.welcomeCredits };
  const seller = sellerOf(settings.BILLING_SELLER, settings.BILLING_SELLER_ADDRESS, settings.BILLING_SELLER_VAT_ID);
  const { provider, sandbox, webhooks } = providerOf(paymentsThrough(settings), database, clock);
  const wallets = walletsStore(database, provider.name);
  const pdfs = invoicePdfThread();
  defer(() => pdfs.close());
  const identity = identityOrganisations(organisations);
  const policyDirectory = identityClientGroups(clientGroups);
  return {
    clock,
    newId,
    priceBook,
    seatPrices: parseSeatPrices(readFileSync(settings.BILLING_SEAT_PRICES, 'utf8')),
    grace: { graceDays: settings.BILLING_GRACE_DAYS, retryHours: settings.BILLING_RENEWAL_RETRY_HOURS },
    defaultCycle: 'MONTHLY' satisfies RenewalCycle as RenewalCycle,
    leaseMs: settings.BILLING_CHANGE_LEASE_SECONDS * 1000,
    credits: creditAccountsStore(database, wakeRelay),
    purchases: creditPurchasesStore(database, { seller, priceBook }),
    subscriptions: subscriptionsStore(database, { seller, priceBook }),
    invoices: invoicesStore(database, seller),
    invoiceDocument: pdfs.document,
    invoiceDocuments: invoiceDocumentsStore(database),
    billingDetails: billingDetailsStore(database),
    organisationNames: organisationNamesStore(database),
    organisations: identity,
    nameDirectory: identity,
    currentOrganisation: currentOrganisation(organisations),
    closures: organisationClosuresStore(database),
    usage: usageStore(database),
    policyKnowledge: policyKnowledge({ policies: clientPoliciesStore(database), policyDirectory, eventsFlow, clock }),
    usageDirectory: policyDirectory,
    provider,
    sandbox,
    webhooks,
    providerEvents: providerEventsStore(database),
    wallets,
    payments: paymentProcessor({ wallets, provider, clock, newId }),
  };
}

function providerOf(settings: PaymentsThrough, database: Database, clock: Clock) {
  if (settings.processor === 'stripe') {
    const stripe = stripeProvider(settings);
    return { provider: stripe, sandbox: null, webhooks: stripe };
  }
  const sandbox = sandboxProvider({ books: sandboxStore(database), clock, cardUnlessSetUp: settings.cardUnlessSetUp });
  return { provider: sandbox, sandbox, webhooks: null };
}
