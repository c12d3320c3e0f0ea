import type { Caller } from '@platform-backend/auth';
import { fixedClock, newId, systemClock, type Clock } from '@platform-backend/core';
import { service as byService } from '@platform-backend/service/testing';
import {
  killedCallsSuite,
  serviceSuites,
  type KnownOperation,
  type ServiceUnderTest,
} from '@platform-backend/service/testing/suites';
import { waitFor } from '@platform-backend/testing';
import type { Coupon } from '../src/coupons/domain/coupon.ts';
import { couponsStore } from '../src/coupons/store/coupons-store.ts';
import { taxExemptionsStore } from '../src/invoices/store/tax-exemptions-store.ts';
import { service } from '../src/service.ts';
import { startRealIdentity, type RealIdentity } from './real-identity.ts';
import { micros, startTestBilling, type TestBilling } from './test-billing.ts';

let identity: RealIdentity;
let billing: TestBilling;
let clock: Clock;

const startWith = (given: Clock) => async () => {
  clock = given;
  const known = (identity = await startRealIdentity());
  const environment = { IDENTITY_ADDRESS: known.process.address };
  const running = (billing = await startTestBilling({ clock, environment, idle: true }));
  for (const code of ['FIRST', 'SECOND']) await couponsStore(running.pool).add(coupon(code, clock.now()));
  const stop = async () => {
    await running.stop();
    await known.stop();
  };
  return { ...running, stop };
};

/** Gives an organisation one of each thing, or of those whose ids are wanted. */
async function seed(_running: unknown, _name: string, wanted?: ReadonlySet<string>) {
  const wants = (...ids: string[]) => wanted === undefined || ids.some((id) => wanted.has(id));
  const { organisation, caller } = await identity.found();
  const clientGroupId = wants('groupId') ? await clientGroupOf(caller) : '';
  const ofPurchase = ['purchaseId', 'invoiceId', 'refundId', 'creditNoteId', 'voidInvoiceId'];
  const paymentMethodId = wants('paymentMethodId', 'changeId', ...ofPurchase) ? await addCards(caller) : '';
  if (wanted === undefined) await billing.coupons.redeemPromotionCode({ code: 'first' }, { caller });
  const bought = wants(...ofPurchase) ? await buyCredits(caller) : { purchaseId: '', invoiceId: '' };
  const refunded = wants('refundId', 'creditNoteId') ? await refundPart(caller, bought.invoiceId) : undefined;
  const { clientSecret: unconfirmed } = wants('unconfirmed')
    ? await billing.paymentMethods.createSetupIntent({}, { caller })
    : { clientSecret: '' };
  const changeId = wants('changeId', 'voidInvoiceId') ? await subscribe(organisation.id, caller) : '';
  const voidInvoiceId = wants('voidInvoiceId') ? await voidAllBut(organisation.id, bought.invoiceId) : '';
  const { id: alertId } = wants('alertId')
    ? await billing.alerts.createBalanceAlert({ thresholdMicros: micros(5) }, { caller })
    : { id: '' };
  const meterId = wants('meterId') ? await measure(caller) : '';
  if (wanted === undefined) await useAll(organisation.id, caller, clientGroupId);
  return {
    organisationId: organisation.id,
    caller,
    ids: {
      ...bought,
      ...{ paymentMethodId, unconfirmed, changeId, voidInvoiceId, alertId, meterId },
      memberId: caller.userId ?? '',
      groupId: clientGroupId,
      keyId: newId(),
      refundId: refunded?.id ?? '',
      creditNoteId: refunded?.creditNoteId ?? '',
      reservationId: newId(),
      leaseId: newId(),
      recordId: newId(),
      eventId: newId(),
    },
  };
}

async function clientGroupOf(caller: Caller): Promise<string> {
  const { clientGroups } = await identity.clientGroups.listClientGroups({}, { caller });
  return clientGroups[0]?.id ?? '';
}

/** Two cards; answers the one that nothing is paid with. */
async function addCards(caller: Caller): Promise<string> {
  const cards = await Promise.all([1, 2].map(() => billing.paymentMethods.createSetupIntent({}, { caller })));
  const methods = [];
  for (const { clientSecret } of cards) {
    const { paymentMethod } = await billing.paymentMethods.confirmInSandbox({ clientSecret, card }, { caller });
    methods.push(paymentMethod?.id ?? '');
  }
  return methods[1] ?? '';
}

async function buyCredits(caller: Caller) {
  const { id: purchaseId } = await billing.credits.purchaseCredits({ credits: 70 }, { caller });
  const { invoices } = await billing.invoices.listInvoices({}, { caller });
  return { purchaseId, invoiceId: invoices[0]?.id ?? '' };
}

const refundPart = (caller: Caller, invoiceId: string) =>
  billing.refunds.createRefund({ invoiceId, amountMinor: '1' }, { caller });

async function subscribe(organisationId: string, caller: Caller): Promise<string> {
  const change = { seatCount: 2, subscriptionTier: 'BASIC' } as const;
  // A busy machine may not know within seconds whether it is paid: then it is asked for again.
  await waitFor(() => billing.subscriptions.changeSubscription(change, { caller }));
  return billing.pool.tenant(organisationId, async (trx) => {
    const row = await trx<{ id: string }>('subscription_changes').first('id');
    return row?.id ?? '';
  });
}

/** As one whose renewal was refused until nobody wanted it any more. */
async function voidAllBut(organisationId: string, invoiceId: string): Promise<string> {
  return billing.pool.tenant(organisationId, async (trx) => {
    const [{ id } = { id: '' }] = await trx<{ id: string }>('invoices').whereNot({ id: invoiceId }).select('id');
    const state = { invoice_id: id, status: 'VOID', attempt_count: 1 };
    await trx('invoice_states').insert({ organisation_id: organisationId, ...state });
    return id;
  });
}

async function measure(caller: Caller): Promise<string> {
  const measured = { slug: 'tokens', eventType: 'prompt', aggregation: 'SUM' as const, valueProperty: '$.tokens' };
  const { id } = await billing.meters.createMeter({ ...measured, groupBy: {} }, { caller });
  return id;
}

/** What an organisation has that no operation names: its wishes, and what it has used. */
async function useAll(organisationId: string, caller: Caller, clientGroupId: string): Promise<void> {
  await billing.invoices.setBillingDetails({ companyName: 'Acme', addressLines: [], vatId: '' }, { caller });
  const exemption = { reason: 'charity', validFrom: clock.now(), validUntil: null };
  await taxExemptionsStore(billing.pool).set(organisationId, exemption);
  await billing.credits.previewCreditPurchase({ credits: 70 }, { caller });
  const work = { reservationId: newId(), amountMicros: micros(1), purpose: 'run', clientGroupId };
  await billing.pipelines.credits.reserveCredits(work, byService('pipelines', organisationId));
  await billing.book(organisationId, 1, { clientGroupId, memberId: caller.userId ?? '' });
  await billing.mails.setBillingMailPreferences({ disabled: ['TOP_UP_SUCCEEDED'] }, { caller });
  const topUp = { thresholdMicros: micros(1), credits: 500, monthlyCapMinor: '100000' };
  await billing.topUps.setAutomaticTopUp(topUp, { caller });
  const used = { id: newId(), clientGroupId, requests: '3', occurredAt: clock.now() };
  await billing.pipelines.usage.recordUsage({ records: [used] }, byService('pipelines', organisationId));
  const leased = { leaseId: newId(), requested: 5, clientGroupId };
  await billing.usage.leaseQuota(leased, byService('gateway', organisationId));
  await billing.meters.ingestUsageEvents({ events: [usageEvent(newId(), 2)] }, { caller });
}

const usageEvent = (id: string, tokens: number) => ({
  ...{ specversion: '1.0', id, source: 'shop', type: 'prompt', subject: 'shop', time: clock.now() },
  data: { tokens },
});

/** Of one cycle a tenth is taken off. */
const coupon = (code: string, createdAt: Date): Coupon => ({
  ...{ code, percentOff: 10, amountOffMinor: null, currency: null, duration: 'ONCE', durationMonths: null },
  ...{ redeemBy: null, maxRedemptions: null, redemptions: 0, archivedAt: null, createdAt },
});

type Ids = Awaited<ReturnType<typeof seed>>['ids'];
const card = 'pm_card_visa';
const workers = ['pipelines', 'content', 'notebooks'];

/** Who may call what (D14), with a request that is carried out. */
const operations: Readonly<Record<string, KnownOperation<Ids>>> = {
  'BalanceAlertService/ListBalanceAlerts': ['ADMIN', 'key'],
  'BalanceAlertService/CreateBalanceAlert': ['ADMIN', 'key', () => ({ thresholdMicros: micros(7) })],
  'BalanceAlertService/UpdateBalanceAlert': [
    'ADMIN',
    'key',
    ({ alertId }) => ({ alertId, thresholdMicros: micros(8) }),
  ],
  'BalanceAlertService/DeleteBalanceAlert': ['ADMIN', 'key', ({ alertId }) => ({ alertId })],
  'BillingMailService/ListBillingMails': ['ADMIN', 'no key'],
  'BillingMailService/GetBillingMailPreferences': ['ADMIN', 'no key'],
  'BillingMailService/SetBillingMailPreferences': ['ADMIN', 'no key', () => ({ disabled: ['TOP_UP_FAILED'] })],
  'CouponService/RedeemPromotionCode': ['OWNER', 'no key', () => ({ code: 'SECOND' })],
  'CouponService/ListCouponRedemptions': ['ADMIN', 'no key'],
  'CreditService/PreviewPrice': ['VIEWER', 'key', () => ({ credits: 70 })],
  'CreditService/PreviewCreditPurchase': ['ADMIN', 'key', ({ paymentMethodId }) => ({ credits: 70, paymentMethodId })],
  'PriceService/ListPrices': ['VIEWER', 'key'],
  'CreditService/GetCreditBalance': ['ADMIN', 'key'],
  'CreditService/ListCreditTransactions': ['ADMIN', 'key'],
  'CreditService/ListCreditGrants': ['ADMIN', 'key'],
  'CreditService/ListCreditPurchases': ['ADMIN', 'key'],
  'CreditService/GetCreditPurchase': ['ADMIN', 'key', ({ purchaseId }) => ({ purchaseId })],
  'CreditService/PurchaseCredits': ['OWNER', 'no key', ({ paymentMethodId }) => ({ credits: 70, paymentMethodId })],
  'CreditService/ReserveCredits': [
    workers,
    'no key',
    ({ reservationId, groupId: clientGroupId, keyId: apiKeyId }) => ({
      reservationId,
      amountMicros: micros(3),
      purpose: 'run',
      clientGroupId,
      apiKeyId,
    }),
    { needs: ['purchaseId'] },
  ],
  'CreditService/SettleCredits': [
    workers,
    'no key',
    ({ reservationId }) => ({ reservationId, amountMicros: micros(2) }),
    { after: 'CreditService/ReserveCredits' },
  ],
  'CreditService/ReleaseCredits': [
    workers,
    'no key',
    ({ reservationId }) => ({ reservationId }),
    { after: 'CreditService/ReserveCredits' },
  ],
  'CreditService/ExtendReservations': [
    workers,
    'no key',
    ({ reservationId }) => ({ reservationIds: [reservationId] }),
    { after: 'CreditService/ReserveCredits' },
  ],
  'ExportService/ExportCreditTransactions': [
    'ADMIN',
    'key',
    ({ groupId, keyId, memberId }) => ({ clientGroupId: groupId, apiKeyId: keyId, memberId }),
  ],
  'ExportService/ExportUsage': [
    'ADMIN',
    'key',
    ({ groupId, keyId, memberId }) => ({ clientGroupId: groupId, apiKeyId: keyId, memberId }),
  ],
  'ExportService/ExportInvoices': ['ADMIN', 'key'],
  'ExportService/ExportCreditNotes': ['ADMIN', 'key'],
  'ExportService/ExportPayments': ['ADMIN', 'key'],
  'InvoiceService/ListInvoices': ['ADMIN', 'key'],
  'InvoiceService/GetInvoice': ['ADMIN', 'key', ({ invoiceId }) => ({ invoiceId })],
  'InvoiceService/PayInvoice': [
    'OWNER',
    'no key',
    ({ invoiceId, paymentMethodId }) => ({ invoiceId, paymentMethodId }),
  ],
  'InvoiceService/VoidInvoice': ['OWNER', 'no key', ({ voidInvoiceId }) => ({ invoiceId: voidInvoiceId })],
  'InvoiceService/GetInvoicePdf': ['ADMIN', 'key', ({ invoiceId }) => ({ invoiceId })],
  'InvoiceService/GetBillingDetails': ['ADMIN', 'key'],
  'InvoiceService/SetBillingDetails': ['OWNER', 'no key', () => ({ companyName: 'mine', addressLines: [], vatId: '' })],
  'MeterService/CreateMeter': [
    'ADMIN',
    'key',
    () => ({ slug: 'mine', eventType: 'mine', aggregation: 'SUM', valueProperty: '$.tokens' }),
  ],
  'MeterService/ListMeters': ['ADMIN', 'key', () => ({ includeArchived: true })],
  'MeterService/GetMeter': ['ADMIN', 'key', ({ meterId }) => ({ meterId })],
  'MeterService/UpdateMeter': [
    'ADMIN',
    'key',
    ({ meterId }) => ({ meterId, name: 'mine', updateMask: { paths: ['name'] } }),
  ],
  'MeterService/ArchiveMeter': ['ADMIN', 'key', ({ meterId }) => ({ meterId })],
  'MeterService/QueryMeter': ['ADMIN', 'key', ({ meterId }) => ({ meterId, groupBy: ['subject'] })],
  'MeterService/IngestUsageEvents': [
    'EDITOR',
    'key',
    ({ eventId }) => ({ events: [usageEvent(eventId, 3)] }),
    { needs: ['meterId'] },
  ],
  'PaymentMethodService/CreateSetupIntent': ['ADMIN', 'key', undefined, { openable: true }],
  'PaymentMethodService/ConfirmInSandbox': [
    'ADMIN',
    'no key',
    ({ unconfirmed: clientSecret }) => ({ clientSecret, card }),
  ],
  'PaymentMethodService/ListPaymentMethods': ['ADMIN', 'key'],
  'PaymentMethodService/SetDefaultPaymentMethod': ['OWNER', 'no key', ({ paymentMethodId }) => ({ paymentMethodId })],
  'PaymentMethodService/DetachPaymentMethod': ['OWNER', 'no key', ({ paymentMethodId }) => ({ paymentMethodId })],
  'RefundService/CreateRefund': ['OWNER', 'no key', ({ invoiceId }) => ({ invoiceId, amountMinor: '1' })],
  'RefundService/ListRefunds': ['ADMIN', 'key', ({ invoiceId }) => ({ invoiceId })],
  'RefundService/GetRefund': ['ADMIN', 'key', ({ refundId }) => ({ refundId })],
  'RefundService/ListCreditNotes': ['ADMIN', 'key'],
  'RefundService/GetCreditNote': ['ADMIN', 'key', ({ creditNoteId }) => ({ creditNoteId })],
  'RefundService/GetCreditNotePdf': ['ADMIN', 'key', ({ creditNoteId }) => ({ creditNoteId })],
  'RefundService/ListDisputes': ['ADMIN', 'key'],
  'SubscriptionService/ChangeSubscription': [
    'OWNER',
    'no key',
    () => ({ seatCount: 3, subscriptionTier: 'TEAM' }),
    { needs: ['changeId'] },
  ],
  'SubscriptionService/PreviewSubscription': ['ADMIN', 'key', () => ({ seatCount: 3, subscriptionTier: 'TEAM' })],
  'CreditService/CancelCreditPurchase': ['OWNER', 'no key', ({ purchaseId }) => ({ purchaseId })],
  'SubscriptionService/PreviewCancellation': [
    'ADMIN',
    'key',
    undefined,
    { after: 'SubscriptionService/ChangeSubscription' },
  ],
  'SubscriptionService/PreviewResumption': [
    'ADMIN',
    'key',
    undefined,
    { after: 'SubscriptionService/ChangeSubscription' },
  ],
  'SubscriptionService/CancelSubscriptionChange': ['OWNER', 'no key', ({ changeId }) => ({ changeId })],
  'SubscriptionService/GetSubscriptionChange': ['ADMIN', 'key', ({ changeId }) => ({ changeId })],
  'SubscriptionService/GetSubscription': [
    'ADMIN',
    'key',
    undefined,
    { after: 'SubscriptionService/ChangeSubscription' },
  ],
  'SubscriptionService/CancelSubscription': [
    'OWNER',
    'no key',
    undefined,
    { after: 'SubscriptionService/ChangeSubscription' },
  ],
  'SubscriptionService/ResumeSubscription': [
    'OWNER',
    'no key',
    undefined,
    { after: 'SubscriptionService/CancelSubscription' },
  ],
  'TestClockService/CreateTestClock': ['ADMIN', 'no key', () => ({ name: 'mine' })],
  'TestClockService/GetTestClock': ['ADMIN', 'key', undefined, { after: 'TestClockService/CreateTestClock' }],
  'TestClockService/AdvanceTestClock': [
    'ADMIN',
    'no key',
    () => ({ to: new Date(clock.now().getTime() + 86_400_000) }),
    { after: 'TestClockService/CreateTestClock' },
  ],
  'TestClockService/DeleteTestClock': ['ADMIN', 'no key', undefined, { after: 'TestClockService/CreateTestClock' }],
  'TopUpService/GetAutomaticTopUp': ['ADMIN', 'key'],
  'TopUpService/SetAutomaticTopUp': [
    'OWNER',
    'no key',
    () => ({ thresholdMicros: micros(2), credits: 500, monthlyCapMinor: '100000' }),
    // With credits above the threshold nothing is bought by itself.
    { needs: ['purchaseId'] },
  ],
  'TopUpService/DisableAutomaticTopUp': ['OWNER', 'no key', undefined, { after: 'TopUpService/SetAutomaticTopUp' }],
  'UsageService/GetUsage': [
    'ADMIN',
    'key',
    ({ groupId, keyId, memberId }) => ({ clientGroupId: groupId, apiKeyId: keyId, memberId }),
  ],
  'UsageService/LeaseQuota': [
    ['gateway'],
    'no key',
    ({ leaseId, groupId, keyId }) => ({ leaseId, requested: 5, clientGroupId: groupId, apiKeyId: keyId }),
  ],
  'UsageService/RecordUsage': [
    ['gateway', ...workers],
    'no key',
    ({ recordId: id, groupId, keyId }) => ({
      records: [{ id, clientGroupId: groupId, apiKeyId: keyId, requests: '3', occurredAt: clock.now() }],
    }),
  ],
  'WebhookService/ReceiveStripeWebhook': ['anybody', 'no key'],
};

const chosen = 'the caller chooses the id, and two organisations may choose the same';

const tested: Omit<ServiceUnderTest<Ids>, 'start'> = {
  service,
  seed,
  operations,
  // For the organisations that they are called with (docs/decisions/0089), and their owner is shown no others.
  ownersFunctions: ['book_debits', 'reserve_credits'],
  emptyTables: [
    'charge_attempts',
    'credit_adjustments',
    // No refund of theirs has failed late.
    'credit_note_voids',
    'disputes',
    'events_set_aside',
    'inbox',
    // The release before counted in it.
    'invoice_counts',
    'invoice_documents',
    'organisation_closures',
    'provider_events',
    'provider_payments',
    'sandbox_disputes',
    'test_clocks',
  ],
  idsOfTheirOwn: {
    'CreditService/ReserveCredits': chosen,
    'MeterService/IngestUsageEvents': chosen,
    'UsageService/LeaseQuota': chosen,
    'UsageService/RecordUsage': chosen,
  },
  inSteps: {
    'PaymentMethodService/CreateSetupIntent': 'the processor makes it, and then it is told',
  },
  unaudited: {
    'CreditService/ReserveCredits': 'it happens many times a second; the ledger has it',
    'CreditService/SettleCredits': 'it happens many times a second; the ledger has it',
    'CreditService/ReleaseCredits': 'it happens many times a second; the ledger has it',
  },
  silent: {
    'CreditService/ExtendReservations': 'it is said every few seconds of all work',
    'CreditService/CancelCreditPurchase': 'what is paid stays paid',
    'SubscriptionService/CancelSubscriptionChange': 'what is paid comes about',
    'InvoiceService/PayInvoice': 'what is paid is not paid again',
    'InvoiceService/VoidInvoice': 'what is void stays void',
    'MeterService/IngestUsageEvents': 'who reports knows of it, and meters tell what it came to',
    'UsageService/LeaseQuota': 'requests are told when they come near a limit',
    'UsageService/RecordUsage': 'usage is told when it comes near a limit',
    'WebhookService/ReceiveStripeWebhook': 'what it says is taken for true only with a signature',
  },
};

// Ahead of the clock of the database, however slow the machine is.
serviceSuites({ ...tested, start: startWith(fixedClock(new Date(Date.now() + 3_600_000))) });
killedCallsSuite(
  { ...tested, start: startWith(systemClock) },
  {
    environment: { BILLING_SWEEP_SECONDS: '1', BILLING_SCHEDULE_SECONDS: '1', BILLING_CHANGE_LEASE_SECONDS: '2' },
    uncounted: {
      invoice_documents: 'the first who needs one makes it: a mail that the kill interrupts is sent some minutes later',
    },
  },
);
