import { invalid, nextRetryAt, type Actor } from '@platform-backend/core';
import type { BillingEvent } from '../../events.ts';
import type { Payment } from '../../payments/domain/payment.ts';
import type { RefundOutcome } from '../../payments/domain/refund-provider.ts';
import { currencyOf, roundedHalfUp, type Currency } from '../../prices/domain/currency.ts';
import { nothingToRefund, refundTooLarge } from './errors.ts';

/** `PENDING`: on its way, perhaps without the processor having heard of it. The others are how it ended. */
export type RefundState = 'PENDING' | 'SUCCEEDED' | 'FAILED';

export const refundReasons = ['REQUESTED_BY_CUSTOMER', 'DUPLICATE', 'GOODWILL'] as const;
export type RefundReason = (typeof refundReasons)[number];

/** Money that is given back of what was paid with one payment: once, whatever dies while it is asked for. */
export interface Refund {
  /** In the processor's metadata, and its idempotency key. */
  readonly id: string;
  readonly organisationId: string;
  /** Null: nothing was given for the payment. */
  readonly invoiceId: string | null;
  readonly paymentId: string;
  /** The processor's name for the payment. */
  readonly paymentReference: string;
  readonly state: RefundState;
  /** With tax, in minor units; `taxMinor` of it is tax. */
  readonly amountMinor: bigint;
  readonly taxMinor: bigint;
  readonly currency: string;
  readonly reason: RefundReason;
  readonly memo: string;
  /** Taken of the credits that were bought. */
  readonly creditsMicros: bigint;
  /** Taken of what the subscription has left over, before tax. */
  readonly balanceMinor: bigint;
  /** The processor's name for it. */
  readonly reference: string | null;
  /** Why nothing was given back; null unless it has failed. */
  readonly failure: string | null;
  /** Null until it has succeeded, and where there is no invoice. It is void where the refund has failed after that. */
  readonly creditNoteId: string | null;
  readonly requestedBy: Actor;
  readonly requestId: string;
  readonly createdAt: Date;
  /** When the schedule looks at it again; null: it is over. */
  readonly nextLookAt: Date | null;
}

/** What is given back has not been used: */
export type Unused =
  /** credits of a purchase, of those that were bought; */
  | { readonly kind: 'credits'; readonly micros: bigint; readonly boughtMicros: bigint }
  /** what changes of the subscription have left over, before tax; */
  | { readonly kind: 'balance'; readonly minor: bigint }
  /** or nobody asks: an operator gives it back. */
  | { readonly kind: 'not_asked' };

/** An invoice that is paid, and what was given back of it. */
export interface Refundable {
  readonly invoice: {
    readonly id: string;
    readonly currency: string;
    readonly subtotalMinor: bigint;
    readonly taxMinor: bigint;
    readonly totalMinor: bigint;
  };
  readonly payment: { readonly id: string; readonly reference: string };
  /** By refunds that have not failed, and by disputes that are not won. */
  readonly givenBackMinor: bigint;
  readonly unused: Unused;
}

export interface RefundRequest {
  readonly id: string;
  readonly organisationId: string;
  /** Null: all that can be given back. */
  readonly amountMinor: bigint | null;
  readonly reason: RefundReason;
  readonly memo: string;
  readonly requestedBy: Actor;
  readonly requestId: string;
}

/** The most that can be given back now, with tax: processors take amounts of whole steps of the currency alone. */
export function maxRefund(of: Refundable): bigint {
  const max = maxInMinor(of);
  return max - (max % currencyOf(of.invoice.currency).step);
}

function maxInMinor({ invoice, givenBackMinor, unused }: Refundable): bigint {
  const { subtotalMinor, totalMinor } = invoice;
  const left = totalMinor > givenBackMinor ? totalMinor - givenBackMinor : 0n;
  switch (unused.kind) {
    case 'credits':
      return smaller(left, coveredBy(unused, givenBackMinor, totalMinor));
    case 'balance': {
      const { step } = currencyOf(invoice.currency);
      const about = subtotalMinor === 0n ? 0n : (unused.minor * totalMinor) / (subtotalMinor * step);
      // One step more where the tax on it is rounded up.
      const more = (about + 1n) * step;
      const isCovered = more - taxOf(invoice, givenBackMinor, more) <= unused.minor;
      return smaller(left, unused.minor > 0n && isCovered ? more : about * step);
    }
    case 'not_asked':
      return left;
  }
}

/** The most that takes no more than the unused credits: what was taken before was rounded up, as this will be. */
function coveredBy({ micros, boughtMicros }: Unused & { kind: 'credits' }, givenBack: bigint, total: bigint): bigint {
  if (boughtMicros === 0n) return 0n;
  return ((partOf(boughtMicros, givenBack, total) + micros) * total) / boughtMicros - givenBack;
}

/**
 * Begins to give money back, which nobody else asks the processor for until `leaseUntil`. Tax and credits go by all that was given
 * back so far, so that all parts together make the invoice exactly. CONFLICT: nothing is left, or less than asked for. INVALID:
 * the currency has no such amounts.
 */
export function newRefund(of: Refundable, request: RefundRequest, at: Date, leaseUntil: Date): Refund {
  const { invoice, payment, givenBackMinor, unused } = of;
  const max = maxRefund(of);
  if (max === 0n) throw nothingToRefund();
  const amountMinor = request.amountMinor ?? max;
  if (amountMinor > max) throw refundTooLarge({ max: max.toString() });
  requireWholeSteps(amountMinor, currencyOf(invoice.currency));
  const taxMinor = taxOf(invoice, givenBackMinor, amountMinor);
  const ofCredits = unused.kind === 'credits';
  return {
    ...request,
    invoiceId: invoice.id,
    paymentId: payment.id,
    paymentReference: payment.reference,
    state: 'PENDING',
    amountMinor,
    taxMinor,
    currency: invoice.currency,
    creditsMicros: ofCredits
      ? smaller(unused.micros, creditsOf(unused.boughtMicros, invoice.totalMinor, givenBackMinor, amountMinor))
      : 0n,
    balanceMinor: unused.kind === 'balance' ? smaller(unused.minor, amountMinor - taxMinor) : 0n,
    reference: null,
    failure: null,
    creditNoteId: null,
    createdAt: at,
    nextLookAt: leaseUntil,
  };
}

/** Gives all of a payment back for which nothing was given, since that had been given up or paid before; due at once. */
export const newSurplusRefund = (
  {
    organisationId,
    id: paymentId,
    reference,
    currency,
  }: Pick<Payment, 'organisationId' | 'id' | 'reference' | 'currency'>,
  amountMinor: bigint,
  { id, requestedBy, requestId, at }: Pick<RefundRequest, 'id' | 'requestedBy' | 'requestId'> & { readonly at: Date },
): Refund => ({
  ...{ id, organisationId, invoiceId: null, paymentId, paymentReference: reference ?? '', state: 'PENDING' },
  ...{ amountMinor, taxMinor: 0n, currency, reason: 'DUPLICATE', memo: 'Paid, and nothing was given for it' },
  ...{ creditsMicros: 0n, balanceMinor: 0n, reference: null, failure: null, creditNoteId: null },
  ...{ requestedBy, requestId, createdAt: at, nextLookAt: at },
});

function requireWholeSteps(amountMinor: bigint, { step }: Currency): void {
  if (amountMinor % step === 0n) return;
  const [msg, ctx] = [`Input should be a multiple of ${String(step)}`, { multiple_of: Number(step) }];
  throw invalid([{ type: 'multiple_of', loc: ['body', 'amount_minor'], msg, input: amountMinor.toString(), ctx }]);
}

/** The tax of a further amount: in whole steps of the currency, as a subscription goes on to pay with what is left of its balance. */
function taxOf({ taxMinor, totalMinor, currency }: Refundable['invoice'], givenBack: bigint, amount: bigint): bigint {
  const upTo = (minor: bigint) =>
    minor >= totalMinor ? taxMinor : roundedHalfUp(taxMinor * minor, totalMinor, currency);
  return upTo(givenBack + amount) - upTo(givenBack);
}

/** The credits of a further amount, after all that was given back so far. */
const creditsOf = (boughtMicros: bigint, total: bigint, givenBack: bigint, amount: bigint): bigint =>
  partOf(boughtMicros, givenBack + amount, total) - partOf(boughtMicros, givenBack, total);

/** What so many of the minor units of a total are worth of a whole, rounded up. */
const partOf = (whole: bigint, minor: bigint, total: bigint): bigint =>
  minor >= total ? whole : (whole * minor + total - 1n) / total;

const hour = 3_600_000;

/** Processors forget keys after a day: what is not known by then is looked for, and not asked for again. */
export const isRepeatable = ({ createdAt }: Refund, at: Date): boolean =>
  at.getTime() - createdAt.getTime() < 23 * hour;

/**
 * What a refund becomes by what the processor says, whoever says it how often and in whatever order. How it ended stays, except that the
 * processor may say later that the bank has sent the money back.
 */
export function afterOutcome(refund: Refund, outcome: RefundOutcome, creditNoteId: string, at: Date): Refund {
  if (refund.state === 'SUCCEEDED' && outcome.status === 'failed' && outcome.reference === refund.reference)
    return { ...refund, state: 'FAILED', failure: outcome.reason };
  if (refund.state !== 'PENDING') return refund;
  const known = { ...refund, reference: outcome.reference === '' ? refund.reference : outcome.reference };
  switch (outcome.status) {
    case 'succeeded':
      return {
        ...{ ...known, state: 'SUCCEEDED', nextLookAt: null },
        creditNoteId: refund.invoiceId === null ? null : creditNoteId,
      };
    case 'failed':
      return { ...known, state: 'FAILED', failure: outcome.reason, nextLookAt: null };
    case 'pending':
      return { ...known, nextLookAt: new Date(at.getTime() + hour) };
  }
}

/** Nothing was heard: it is looked at again, first soon and then less and less often. */
export function afterSilence(refund: Refund, at: Date): Refund {
  if (refund.state !== 'PENDING') return refund;
  return { ...refund, nextLookAt: nextRetryAt(refund.createdAt, at, hour) };
}

const told = ({ id, invoiceId, amountMinor, currency }: Refund) => ({
  refund_id: id,
  invoice_id: invoiceId,
  amount_minor: amountMinor.toString(),
  currency,
});

export function refundCreated(refund: Refund): BillingEvent {
  const data = { ...told(refund), reason: refund.reason };
  const { amount_minor: amount, currency, reason } = data;
  const change = { before: null, after: { amount_minor: amount, currency, reason, memo: refund.memo } };
  return { name: 'refund.created', subject: refund.id, at: refund.createdAt, data, change };
}

export const refundSucceeded = (
  refund: Refund,
  note: { readonly id: string; readonly number: string } | null,
  at: Date,
): BillingEvent => ({
  name: 'refund.succeeded',
  subject: refund.id,
  at,
  data: { ...told(refund), credit_note_id: note?.id ?? null, credit_note_number: note?.number ?? null },
});

export const refundFailed = (refund: Refund, at: Date): BillingEvent => ({
  name: 'refund.failed',
  subject: refund.id,
  at,
  data: { ...told(refund), code: refund.failure ?? '', credit_note_id: refund.creditNoteId },
});

const smaller = (one: bigint, other: bigint): bigint => (one < other ? one : other);
