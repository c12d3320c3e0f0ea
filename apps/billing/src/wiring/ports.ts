import { newId, type Clock } from '@platform-backend/core';
import type { Database } from '@platform-backend/postgres';
import type { ServiceContext } from '@platform-backend/service';
import { readFileSync } from 'node:fs';
import { paymentProcessor } from '../app/charge-organisation.ts';
import { policyKnowledge } from '../app/client-policies.ts';
import { identityClientGroups, type ClientGroupsClient } from '../clients/identity-client-groups.ts';
import { currentOrganisation, identityOrganisations, type IdentityClient } from '../clients/identity-organisations.ts';
import { invoicePdfThread } from '../documents/invoice-pdf-thread.ts';
import { sellerOf } from '../domain/invoices/seller.ts';
import { parsePriceBook } from '../domain/prices/parse-price-book.ts';
import type { RenewalCycle } from '../domain/subscriptions/paid-period.ts';
import { parseSeatPrices } from '../domain/subscriptions/parse-seat-prices.ts';
import { sandboxProvider } from '../providers/sandbox/sandbox-provider.ts';
import { stripeProvider } from '../providers/stripe/stripe-provider.ts';
import type { service } from '../service.ts';
import { billingDetailsStore } from '../store/billing-details-store.ts';
import { clientPoliciesStore } from '../store/client-policies-store.ts';
import { creditAccountsStore } from '../store/credit-accounts-store.ts';
import { creditPurchasesStore } from '../store/credit-purchases-store.ts';
import { invoiceDocumentsStore } from '../store/invoice-documents-store.ts';
import { invoicesStore } from '../store/invoices-store.ts';
import { organisationClosuresStore } from '../store/organisation-closures-store.ts';
import { organisationNamesStore } from '../store/organisation-names-store.ts';
import { providerEventsStore } from '../store/provider-events-store.ts';
import { sandboxStore } from '../store/sandbox-store.ts';
import { subscriptionsStore } from '../store/subscriptions-store.ts';
import { usageStore } from '../store/usage-store.ts';
import { walletsStore } from '../store/wallets-store.ts';
import { paymentsThrough, type PaymentsThrough } from './payment-settings.ts';

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
