import { keyedCallId, newId, type ActorContext, type Clock, type DomainError } from '@platform-backend/core';
import type { Discount } from '../../coupons/domain/discount.ts';
import { taxOfOrganisation, type TaxPorts } from '../../invoices/app/tax-of-sale.ts';
import { invoicePaid, invoiceVoid } from '../../invoices/domain/errors.ts';
import type { Invoice } from '../../invoices/domain/invoice.ts';
import { answerInTime } from '../../payments/app/answer-within.ts';
import { paymentMethodNotFound, paymentRefused, requirePayable } from '../../payments/domain/errors.ts';
import { isOver, type Payment } from '../../payments/domain/payment.ts';
import type { Payments } from '../../payments/domain/payments.ts';
import { methodOf } from '../../payments/domain/wallet.ts';
import type { Wallets } from '../../payments/domain/wallets.ts';
import type { PreviewToken, PreviewTokens } from '../../prices/domain/preview-token.ts';
import { isBelowMinimum, taxOn, type SaleTax } from '../../prices/domain/sale-tax.ts';
import { cancelSubscription, endSubscription, resumeSubscription } from '../domain/cancel-subscription.ts';
import { changePlan, type ChangeTerms, type PlanInput } from '../domain/change-plan.ts';
import {
  changeNotFound,
  changeNotPaidYet,
  organisationNotFound,
  seatsInUse,
  subscriptionChangeRunning,
} from '../domain/errors.ts';
import type { RenewalCycle } from '../domain/paid-period.ts';
import type { SeatOffer } from '../domain/parse-seat-prices.ts';
import { awaitsPayment, payUnpaid, type UnpaidRenewal } from '../domain/pay-unpaid.ts';
import type { PlanTerms } from '../domain/plan-terms.ts';
import type { PlannedChange } from '../domain/planned-change.ts';
import { waived } from '../domain/subscription-bill.ts';
import {
  mayBePaid,
  sourceOfChange,
  startChange,
  type ChangePayer,
  type ChangeTotals,
  type SubscriptionChange,
} from '../domain/subscription-change.ts';
import { previewed, previewOf, renewalOf, type SubscriptionPreview } from '../domain/subscription-preview.ts';
import type { Subscription } from '../domain/subscription.ts';
import type { BeginChange, Subscriptions } from '../domain/subscriptions.ts';
import { changePaymentOver, runChange, type RunChangePorts } from './run-subscription-change.ts';

/** What it takes to write a change down before its first step. */
export interface PlanChangePorts extends TaxPorts {
  readonly seatPrices: SeatOffer;
  /** What an organisation has off its next cycle at a moment; null: nothing. */
  readonly discountAt: (organisationId: string, at: Date) => Promise<Discount | null>;
  /** How long whoever works on a change may be silent before others go on with it; longer than any step takes. */
  readonly leaseMs: number;
}

export interface SubscriptionPorts extends PlanChangePorts, RunChangePorts {
  /** Of a first subscription, unless the buyer asks for another. */
  readonly defaultCycle: RenewalCycle;
  readonly payments: Payments;
  readonly cancelPayment: (payment: Payment) => Promise<Payment>;
  readonly previewTokens: PreviewTokens;
  readonly wallets: Pick<Wallets, 'get'>;
  /** NOT_FOUND: none, or another organisation's. */
  readonly getInvoice: (organisationId: string, requestId: string, id: string) => Promise<Invoice>;
  readonly clock: Clock;
}

/** What can be done with subscriptions. */
export const subscriptionUseCases = (ports: SubscriptionPorts) => ({
  /** What the organisation has bought; null: nothing yet. */
  getSubscription: (organisationId: string) => ports.subscriptions.get(organisationId),

  /** The invoice of the renewal that was refused; null: none was, or it is paid. */
  openInvoiceOf: (organisationId: string, { unpaidChangeId: changeId }: Subscription): Promise<string | null> =>
    changeId === null ? Promise.resolve(null) : ports.subscriptions.openInvoice({ organisationId, changeId }),

  payInvoice: (by: ActorContext, invoiceId: string, paymentMethodId: string | null) =>
    payInvoice(ports, by, invoiceId, paymentMethodId),

  voidInvoice: (by: ActorContext, invoiceId: string) => voidInvoice(ports, by, invoiceId),

  /** The payment of a change; null: none has begun. */
  paymentOf: ({ organisationId, id }: SubscriptionChange): Promise<Payment | null> =>
    ports.payments.latest(organisationId, id),

  /** What has become of a change. NOT_FOUND: none, or another organisation's. */
  getSubscriptionChange: (organisationId: string, id: string) => getSubscriptionChange(ports, organisationId, id),

  cancelSubscriptionChange: (organisationId: string, id: string) => cancelSubscriptionChange(ports, organisationId, id),

  previewSubscription: (organisationId: string, wanted: PlanInput) =>
    preview(ports, organisationId, decideOn(ports, wanted)),

  previewCancellation: (organisationId: string) => preview(ports, organisationId, () => cancelSubscription),

  previewResumption: (organisationId: string) => preview(ports, organisationId, () => resumeSubscription),

  changeSubscription: (by: ActorContext, wanted: PlanInput, previewToken: string | null) =>
    changeSubscription(ports, by, wanted, previewToken),

  /** Lets the subscription end with the paid period. Repeating it is safe. CONFLICT: there is nothing to cancel. */
  cancelSubscription: (by: ActorContext, previewToken: string | null) =>
    changeWithoutPayment(ports, by, cancelSubscription, previewToken),

  /** Takes back what was to happen at the end of the period. Repeating it is safe. CONFLICT: it has ended. */
  resumeSubscription: (by: ActorContext, previewToken: string | null) =>
    changeWithoutPayment(ports, by, resumeSubscription, previewToken),
});

export type SubscriptionUseCases = ReturnType<typeof subscriptionUseCases>;

/** Whether the organisation will be charged for another period, or is to be for the one that has begun. */
export async function isRenewing(subscriptions: Subscriptions, organisationId: string): Promise<boolean> {
  const subscription = await subscriptions.get(organisationId);
  return subscription?.status === 'ACTIVE' || subscription?.status === 'PAST_DUE';
}

/**
 * Buys, upgrades, downgrades or renews; identity shows it when this is over. CONFLICT: fewer seats than active
 * members, another change is running, it comes to less than can be paid, or to something else than its preview said.
 * PAYMENT_REQUIRED: the payment was refused.
 */
export const changeSubscription = (
  ports: SubscriptionPorts,
  by: ActorContext,
  wanted: PlanInput,
  previewToken: string | null = null,
): Promise<void> => runToItsEnd(ports, by, decideOn(ports, wanted), { previewToken });

/** With a token that makes exactly that change. */
export type TokenedPreview = SubscriptionPreview & PreviewToken;

/**
 * Pays an open invoice now; answers it as it is then. Repeating it is safe. NOT_FOUND: no such invoice or payment method, or
 * another organisation's. CONFLICT: it is void. PAYMENT_REQUIRED: the payment was refused.
 */
async function payInvoice(
  ports: SubscriptionPorts,
  by: ActorContext,
  invoiceId: string,
  paymentMethodId: string | null,
): Promise<Invoice> {
  const { organisationId, requestId } = by;
  const invoice = await ports.getInvoice(organisationId, requestId, invoiceId);
  if (paymentMethodId !== null) methodOf(await ports.wallets.get(organisationId), paymentMethodId);
  if (invoice.state.status === 'PAID') return invoice;
  if (invoice.state.status === 'VOID') throw invoiceVoid();
  const pay: DecideChange = (current, _today, unpaid) => {
    if (!current || !unpaid || sourceOfChange(unpaid.id) !== invoice.source) throw subscriptionChangeRunning();
    return payUnpaid(current, unpaid, null);
  };
  await runToItsEnd(ports, by, () => pay, { paymentMethodId });
  return ports.getInvoice(organisationId, requestId, invoiceId);
}

/**
 * Ends the subscription whose renewal an open invoice is for, so that nothing is to be paid for it any more; answers the invoice as it is
 * then. Repeating it is safe. NOT_FOUND: no such invoice, or another organisation's. CONFLICT: it is paid.
 */
async function voidInvoice(ports: SubscriptionPorts, by: ActorContext, invoiceId: string): Promise<Invoice> {
  const { organisationId, requestId } = by;
  const invoice = await ports.getInvoice(organisationId, requestId, invoiceId);
  if (invoice.state.status === 'PAID') throw invoicePaid();
  if (invoice.state.status === 'VOID') return invoice;
  const end: DecideChange = (current, _today, unpaid) => {
    if (!current || !unpaid || sourceOfChange(unpaid.id) !== invoice.source) throw subscriptionChangeRunning();
    return endSubscription(current);
  };
  await runToItsEnd(ports, by, () => end, {});
  return ports.getInvoice(organisationId, requestId, invoiceId);
}

/** What is decided about a subscription as it is at a moment. */
type DecideAt = (at: Date) => DecideChange;

function decideOn({ defaultCycle, seatPrices }: SubscriptionPorts, wanted: PlanInput): DecideAt {
  const { trialDays } = seatPrices;
  const terms: Omit<ChangeTerms, 'today' | 'unpaid'> = { defaultCycle, newSubscriptionId: newId(), trialDays };
  return (at) => (current, today, unpaid) => changePlan(current, wanted, { ...terms, today, unpaid }, at);
}

/**
 * What a change would come to, with a token that makes exactly that change. Nothing is changed. CONFLICT: as for the change,
 * except that active members are not counted.
 */
async function preview(ports: SubscriptionPorts, organisationId: string, decideAt: DecideAt): Promise<TokenedPreview> {
  const at = ports.clock.now();
  const [current, unpaid, today] = await Promise.all([
    ports.subscriptions.get(organisationId),
    unpaidRenewal(ports, organisationId),
    todaysTerms(ports, organisationId, at),
  ]);
  const plan = payable(decideAt(at)(current, today, unpaid), today, 'refuse');
  const shown = previewOf(current, plan, totalsOf(plan, today), today, at);
  return { ...shown, ...(await ports.previewTokens.sign(organisationId, previewed(current, shown), at)) };
}

async function getSubscriptionChange(
  { subscriptions }: SubscriptionPorts,
  organisationId: string,
  id: string,
): Promise<SubscriptionChange> {
  const change = await subscriptions.change(organisationId, id);
  if (!change) throw changeNotFound();
  return change;
}

/**
 * Gives up a change whose payment is waited for. Repeating it is safe; one that turns out to be paid comes about all the
 * same. NOT_FOUND: none, or another organisation's.
 */
async function cancelSubscriptionChange(
  ports: SubscriptionPorts,
  organisationId: string,
  id: string,
): Promise<SubscriptionChange> {
  const change = await getSubscriptionChange(ports, organisationId, id);
  const payment = change.state === 'charging' ? await ports.payments.latest(organisationId, id) : null;
  if (!payment) return change;
  const ended = await ports.cancelPayment(payment);
  if (isOver(ended)) await changePaymentOver(ports, ended);
  return getSubscriptionChange(ports, organisationId, id);
}

/** Makes a change that costs nothing; answers the subscription as it is afterwards. */
async function changeWithoutPayment(
  ports: SubscriptionPorts,
  by: ActorContext,
  decide: DecideChange,
  previewToken: string | null,
): Promise<Subscription> {
  await runToItsEnd(ports, by, () => decide, { previewToken });
  const subscription = await ports.subscriptions.get(by.organisationId);
  if (!subscription) throw new Error('what was never bought can neither be cancelled nor resumed');
  return subscription;
}

interface RunOptions {
  readonly previewToken?: string | null;
  readonly paymentMethodId?: string | null;
}

/** Makes a change for somebody who waits for it, and can confirm its payment. */
async function runToItsEnd(
  ports: SubscriptionPorts,
  by: ActorContext,
  decideAt: DecideAt,
  { previewToken = null, paymentMethodId = null }: RunOptions,
): Promise<void> {
  const { organisationId } = by;
  const now = ports.clock.now();
  const opened = previewToken === null ? null : await ports.previewTokens.open(organisationId, previewToken, now);
  const at = opened?.at ?? now;
  const begun = await ports.subscriptions.begin(
    by,
    await planChange(ports, by, { decidedAt: at, startedAt: now }, decideAt(at), {
      ifBelowMinimum: 'refuse',
      payer: { isAbsent: false, paymentMethodId },
      require: (current, plan, today) => {
        opened?.requireSame(previewed(current, previewOf(current, plan, totalsOf(plan, today), today, at)));
      },
    }),
  );
  if (!begun) return;
  const change = await answerInTime(() => runChange(ports, begun)).catch(async (error: unknown) => {
    // Once money may have moved nobody is told that it has failed: it goes on by itself.
    const stored = await ports.subscriptions.change(organisationId, begun.id).catch(() => null);
    if (stored && mayBePaid(stored)) return stored;
    throw error;
  });
  if (change?.state !== 'done') throw await notPaidYet(ports, begun);
  const refusal = refusalOf(change);
  if (refusal) throw refusal;
}

/** What shall become of a subscription, where seats are sold on these terms now. Null: nothing else than it is. */
export type DecideChange = (
  current: Subscription | null,
  today: PlanTerms,
  unpaid: UnpaidRenewal | null,
) => PlannedChange | null;

/** The renewal that was refused and can still be paid. */
async function unpaidRenewal({ subscriptions }: SubscriptionPorts, organisationId: string) {
  const current = await subscriptions.get(organisationId);
  if (!current || current.unpaidChangeId === null || !awaitsPayment(current)) return null;
  return subscriptions.change(organisationId, current.unpaidChangeId);
}

const payerAway: ChangePayer = { isAbsent: true, paymentMethodId: null };

interface PlanOptions {
  readonly ifBelowMinimum: 'refuse' | 'waive';
  /** Absent: nobody is there, and the default payment method is charged. */
  readonly payer?: ChangePayer;
  /** Throws where it is not to be. */
  readonly require?: (current: Subscription | null, plan: PlannedChange | null, today: PlanTerms) => void;
}

/** Turns a decision about a subscription into a change that can be written down, with tax and versions. */
export async function planChange(
  ports: PlanChangePorts,
  by: ActorContext,
  { decidedAt, startedAt: at }: { readonly decidedAt: Date; readonly startedAt: Date },
  decide: DecideChange,
  { ifBelowMinimum, payer = payerAway, require }: PlanOptions,
): Promise<BeginChange> {
  const { leaseMs } = ports;
  const today = await todaysTerms(ports, by.organisationId, decidedAt);
  const id = keyedCallId(newId);
  return (current, versionBefore, unpaid): SubscriptionChange | null => {
    const plan = payable(decide(current, today, unpaid), today, ifBelowMinimum);
    require?.(current, plan, today);
    if (!plan) return null;
    return startChange(plan, {
      id,
      organisationId: by.organisationId,
      versionBefore,
      totals: totalsOf(plan, today),
      payer,
      startedBy: by.actor,
      requestId: by.requestId,
      at,
      leaseMs,
    });
  };
}

/**
 * A change whose bill can be paid. What is less than processors take is nobody's to pay where nobody has asked for it, as when credit
 * pays for all but some cents of a renewal. CONFLICT: somebody has asked for it.
 */
function payable(
  plan: PlannedChange | null,
  today: PlanTerms,
  ifBelowMinimum: 'refuse' | 'waive',
): PlannedChange | null {
  const { totalMinor, currency } = totalsOf(plan, today);
  if (!plan || !isBelowMinimum(totalMinor, currency)) return plan;
  if (ifBelowMinimum === 'refuse') requirePayable(totalMinor, currency);
  return { ...plan, bill: waived(plan.bill) };
}

/** On which seats are sold to an organisation now. */
async function todaysTerms(ports: PlanChangePorts, organisationId: string, at: Date): Promise<PlanTerms> {
  const [taxed, discount] = await Promise.all([
    taxOfOrganisation(ports, organisationId, null, at),
    ports.discountAt(organisationId, at),
  ]);
  return { prices: ports.seatPrices, taxed, discount };
}

/** What the next cycle of a subscription of this organisation comes to, by what is sold now. */
export async function renewalTotals(ports: PlanChangePorts, organisationId: string, at: Date) {
  const today = await todaysTerms(ports, organisationId, at);
  return (current: Subscription) => renewalOf(current, today);
}

/** What a change comes to with tax, by the terms of its bill. */
function totalsOf(plan: PlannedChange | null, today: PlanTerms): ChangeTotals & { readonly taxed: SaleTax } {
  const { prices, taxed } = plan?.terms ?? today;
  const { currency } = prices;
  const subtotalMinor = plan?.bill.amountMinor ?? 0n;
  const taxMinor = taxOn(taxed, subtotalMinor, currency);
  const { country } = taxed;
  return { currency, country, taxed, subtotalMinor, taxMinor, totalMinor: subtotalMinor + taxMinor };
}

async function notPaidYet(ports: SubscriptionPorts, { id, organisationId }: SubscriptionChange): Promise<DomainError> {
  const payment = await ports.payments.latest(organisationId, id);
  const state = payment?.state === 'REQUIRES_ACTION' ? payment.state : 'PENDING';
  return changeNotPaidYet({ pending: { id, state, location: `/subscription/changes/${id}/` } });
}

/** What the caller hears of a change that did not come about; null when it did. */
function refusalOf({ outcome, refusal }: SubscriptionChange): DomainError | null {
  switch (outcome) {
    case 'payment_refused':
      if (refusal?.code === paymentMethodNotFound.code) return paymentMethodNotFound();
      return paymentRefused(refusal?.code, refusal?.message);
    case 'seats_taken':
      return seatsInUse();
    case 'organisation_gone':
      return organisationNotFound();
    case 'accepted':
    case null:
      return null;
  }
}
