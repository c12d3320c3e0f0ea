import { generateServiceKeys } from '@platform-backend/auth';
import { billingContract } from '@platform-backend/contract-billing';
import type {
  BalanceAlertServiceClient,
  BillingMailServiceClient,
  CouponServiceClient,
  CreditServiceClient,
  ExportServiceClient,
  InvoiceServiceClient,
  MeterServiceClient,
  PaymentMethodServiceClient,
  RefundServiceClient,
  PriceServiceClient,
  SubscriptionServiceClient,
  TestClockServiceClient,
  TopUpServiceClient,
  UsageServiceClient,
  WebhookServiceClient,
} from '@platform-backend/contract-billing';
import { newId, systemClock } from '@platform-backend/core';
import type { CallOptions } from '@platform-backend/grpc';
import { callers, startTestService, type Callers, type TestServiceOptions } from '@platform-backend/service/testing';
import { compose } from '../src/areas.ts';
import { grantCredits } from '../src/credits/domain/credit-account.ts';
import type { CreditGrant } from '../src/credits/domain/credit-grant.ts';
import { creditsToMicros } from '../src/credits/domain/credits.ts';
import type { Debit } from '../src/credits/domain/debit.ts';
import { creditAccountsStore } from '../src/credits/store/credit-accounts-store.ts';
import { bookDebits } from '../src/credits/store/debit-statement.ts';
import { systemActor } from '../src/events.ts';
import { service } from '../src/service.ts';

/** The whole service on a database of its own, with clients for everybody who calls it. */
export type TestBilling = Awaited<ReturnType<typeof startTestBilling>>;

export const keys = await generateServiceKeys(['gateway', 'pipelines', 'content', 'notebooks', 'identity', 'billing']);

export async function startTestBilling({ environment, clock = systemClock, ...options }: TestServiceOptions = {}) {
  const { frame, calledBy, ...running } = await startTestService(service, compose, keys, {
    ...options,
    clock,
    environment: { BILLING_SWEEP_SECONDS: '1', BILLING_PAYMENT_PROCESSOR: 'sandbox', ...environment },
  });
  if (!frame) throw new Error('it was started elsewhere');
  const accounts = creditAccountsStore(frame.storage.database, () => undefined);

  return {
    ...running,
    calledBy,
    ...clientsOf(calledBy('gateway')),
    pipelines: clientsOf(calledBy('pipelines')),
    asService: (name: string) => clientsOf(calledBy(name)),
    frame,
    /** The app role's connections, for looking and for trying what it must not do. */
    pool: frame.storage.database,
    /** Books what work has cost an organisation, as when its service has told of it. */
    book: (organisationId: string, credits: number, more: Partial<Debit> = {}) => {
      const debit: Debit = {
        ...{ id: newId(), reservationId: null, amount: creditsToMicros(credits), creditClass: 'AI', purpose: 'run' },
        ...{ workId: 'run_1', clientGroupId: null, apiKeyId: null, memberId: null, service: 'pipelines' },
        occurredAt: clock.now(),
        ...more,
      };
      const by = systemActor(organisationId, newId());
      return frame.storage.database.tenant(organisationId, (trx) => bookDebits(trx, [{ by, debit }], clock.now()));
    },
    /** Opens an account that gets no welcome any more. */
    openAccount: (organisationId: string) =>
      accounts.open(systemActor(organisationId, newId()), clock.now(), undefined),
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
      return accounts.grant(systemActor(organisationId, newId()), source, at, (holdings) =>
        grantCredits(holdings, grant, at),
      );
    },
  };
}

/** Clients of a service that calls billing at an address. */
export type BillingClients = ReturnType<typeof connectAs>;

export function connectAs(name: string, address: string) {
  const calling = callers({ of: billingContract, address, as: name, keys });
  return { ...clientsOf(calling), close: () => calling.close() };
}

const clientsOf = ({ to }: Callers) => ({
  alerts: to<BalanceAlertServiceClient<CallOptions>>('BalanceAlertService'),
  mails: to<BillingMailServiceClient<CallOptions>>('BillingMailService'),
  coupons: to<CouponServiceClient<CallOptions>>('CouponService'),
  credits: to<CreditServiceClient<CallOptions>>('CreditService'),
  prices: to<PriceServiceClient<CallOptions>>('PriceService'),
  subscriptions: to<SubscriptionServiceClient<CallOptions>>('SubscriptionService'),
  paymentMethods: to<PaymentMethodServiceClient<CallOptions>>('PaymentMethodService'),
  invoices: to<InvoiceServiceClient<CallOptions>>('InvoiceService'),
  webhooks: to<WebhookServiceClient<CallOptions>>('WebhookService'),
  refunds: to<RefundServiceClient<CallOptions>>('RefundService'),
  testClocks: to<TestClockServiceClient<CallOptions>>('TestClockService'),
  exports: to<ExportServiceClient<CallOptions>>('ExportService'),
  meters: to<MeterServiceClient<CallOptions>>('MeterService'),
  topUps: to<TopUpServiceClient<CallOptions>>('TopUpService'),
  usage: to<UsageServiceClient<CallOptions>>('UsageService'),
});

/** Credits in micros, as they travel. */
export const micros = (credits: number): string => String(creditsToMicros(credits));
