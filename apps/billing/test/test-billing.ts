import { callerAssertions, generateServiceKeys, type Caller, type PermissionLevel } from '@platform/auth';
import { loadContract } from '@platform/contract';
import type {
  CreditServiceClient,
  InvoiceServiceClient,
  PaymentMethodServiceClient,
  SubscriptionServiceClient,
  UsageServiceClient,
  WebhookServiceClient,
} from '@platform/contract/billing';
import { createLogger, DomainError, newId, newUlid, systemClock, type Clock } from '@platform/core';
import { createClient, type CallOptions, type Closable } from '@platform/grpc';
import { openDatabase } from '@platform/postgres';
import { throwawayPostgres } from '@platform/testing';
import { startBilling } from '../src/compose.ts';
import { readConfig } from '../src/config.ts';
import { billingItself } from '../src/domain/acting.ts';
import { grantCredits } from '../src/domain/credits/credit-account.ts';
import type { CreditGrant } from '../src/domain/credits/credit-grant.ts';
import { creditsToMicros } from '../src/domain/credits/credits.ts';
import { migrateBilling } from '../src/migrate-billing.ts';
import { creditAccountsStore } from '../src/store/credit-accounts-store.ts';

export interface TestBillingOptions {
  readonly clock?: Clock;
  /** Without one, events stay in the outbox, where tests can see them. */
  readonly natsUrl?: string;
  /** Further variables, such as the address of a real identity service. */
  readonly environment?: Readonly<Record<string, string>>;
}

/** The whole service on a database of its own, with clients for everybody who calls it. */
export type TestBilling = Awaited<ReturnType<typeof startTestBilling>>;

const services = ['gateway', 'pipelines', 'content', 'identity', 'billing'] as const;
type ServiceName = (typeof services)[number];
export const keys = await generateServiceKeys(services);
const nobodyListens = 'nats://127.0.0.1:9';

export async function startTestBilling({
  clock = systemClock,
  natsUrl = nobodyListens,
  environment = {},
}: TestBillingOptions = {}) {
  const database = await throwawayPostgres();
  const logger = createLogger({ service: 'billing', level: 'silent' });
  await migrateBilling({ migrationUrl: database.ownerUrl, databaseUrl: database.appUrl, logger });
  const config = readConfig({
    BILLING_DATABASE_URL: database.appUrl,
    BILLING_LISTEN: '127.0.0.1:0',
    BILLING_SWEEP_SECONDS: '1',
    BILLING_PAYMENT_PROCESSOR: 'sandbox',
    IDENTITY_ADDRESS: '127.0.0.1:9',
    NATS_URL: natsUrl,
    SERVICE_PRIVATE_KEY: JSON.stringify(keys.privateKeys.billing),
    SERVICE_PUBLIC_KEYS: JSON.stringify(keys.publicKeys),
    // A busy machine is no reason to refuse anything.
    BILLING_DATABASE_WAIT_MS: '120000',
    BILLING_LOCK_TIMEOUT_MS: '60000',
    ...environment,
  });
  const running = await startBilling({ config, logger, clock });
  const opened: Closable[] = [];
  const clientsOf = (service: ServiceName): BillingClients => {
    const clients = connectAs(service, running.address, clock);
    opened.push(clients);
    return clients;
  };
  const pool = openDatabase({ url: database.appUrl, applicationName: 'test', logger });
  const accounts = creditAccountsStore(pool, () => undefined);

  return {
    ...clientsOf('gateway'),
    pipelines: clientsOf('pipelines'),
    asService: clientsOf,
    database,
    config,
    logger,
    address: running.address,
    /** The app role's connection, for looking and for trying what it must not do. */
    pool,
    /** Gives an organisation credits as a grant. */
    grant: (organisationId: string, credits: number, more: Partial<CreditGrant> = {}) => {
      const source = more.source ?? `test:${newId()}`;
      const at = clock.now();
      const grant = {
        id: newId(),
        transactionId: newId(),
        source,
        kind: 'ADJUSTMENT' as const,
        amount: creditsToMicros(credits),
        priority: 100,
        expiresAt: null,
        ...more,
      };
      return accounts.grant(billingItself(organisationId, newId()), source, at, (holdings) =>
        grantCredits(holdings, grant, at),
      );
    },
    stop: async () => {
      for (const client of opened) client.close();
      await running.stop();
      await pool.close();
      await database.drop();
    },
  };
}

/** Clients of a service that calls billing at an address. */
export type BillingClients = ReturnType<typeof connectAs>;

export function connectAs(service: ServiceName, address: string, clock: Clock = systemClock) {
  const opened: Closable[] = [];
  const assertions = callerAssertions({ service, privateKey: keys.privateKeys[service], clock });
  // eslint-disable-next-line @typescript-eslint/no-unnecessary-type-parameters -- only the caller knows the generated type
  const connect = <T extends object>(name: string): T => {
    const made = createClient<T>({
      contract: loadContract(),
      service: `platform.billing.v1.${name}`,
      address,
      assertions,
      // A busy machine is no reason to refuse anything.
      timeoutMs: 120_000,
      connectLimitMs: 60_000,
    });
    opened.push(made);
    return made;
  };
  return {
    credits: connect<CreditServiceClient<CallOptions>>('CreditService'),
    subscriptions: connect<SubscriptionServiceClient<CallOptions>>('SubscriptionService'),
    paymentMethods: connect<PaymentMethodServiceClient<CallOptions>>('PaymentMethodService'),
    invoices: connect<InvoiceServiceClient<CallOptions>>('InvoiceService'),
    webhooks: connect<WebhookServiceClient<CallOptions>>('WebhookService'),
    usage: connect<UsageServiceClient<CallOptions>>('UsageService'),
    close: () => {
      for (const client of opened) client.close();
    },
  };
}

export const newOrganisation = (): string => newUlid('org_');

/** The options of a call by a member of an organisation. */
export const member = (organisationId: string, level: PermissionLevel = 'OWNER'): { caller: Caller } => ({
  caller: {
    kind: 'user',
    service: 'gateway',
    organisationId,
    userId: newId(),
    userName: 'Ada',
    userEmail: 'ada@people.example',
    emailVerified: true,
    level,
    scopes: [],
  },
});

/** The options of a call by a service on its own authority. */
export const service = (name: ServiceName, organisationId: string): { caller: Caller } => ({
  caller: { kind: 'service', service: name, organisationId, scopes: [] },
});

/** How a call was refused, in everything a caller can see of it; fails when it was not. */
export async function refusalOf(call: Promise<unknown>) {
  try {
    await call;
  } catch (error) {
    if (!(error instanceof DomainError)) throw error;
    const { kind, code, message, violations } = error;
    return { kind, code, message, ...(violations && { violations }) };
  }
  throw new Error('it was not refused');
}

/** Credits in micros, as they travel. */
export const micros = (credits: number): string => String(creditsToMicros(credits));
