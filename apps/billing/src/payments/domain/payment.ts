import { nextRetryAt } from '@platform-backend/core';
import type { ChargeOutcome } from './payment-processor.ts';

export type PaymentPurpose = 'CREDIT_PURCHASE' | 'SUBSCRIPTION_CHANGE' | 'SUBSCRIPTION_RENEWAL';

/**
 * What is known of a payment:
 *
 * - `PENDING`: it is written down, and not known yet what the processor did about it
 * - `PROCESSING`: the processor has taken it up, and the bank takes its time
 * - `REQUIRES_ACTION`: the payer has to confirm it
 * - `UNRESOLVED`: its deadline is over and the processor could not say; a person has to look
 * - `SUCCEEDED`, `DECLINED`, `CANCELLED`: it is over
 */
export type PaymentState = (typeof paymentStates)[number];

export const paymentStates = [
  'PENDING',
  'PROCESSING',
  'REQUIRES_ACTION',
  'UNRESOLVED',
  'SUCCEEDED',
  'DECLINED',
  'CANCELLED',
] as const;

/** What somebody wants to be paid, in the currency's minor units: 1234n is 12.34 EUR. */
export interface PaymentRequest {
  /** Whose customer pays: found by the organisation, never by anything a request says. */
  readonly organisationId: string;
  readonly purpose: PaymentPurpose;
  /** The purchase or the change that it pays for: however often it is asked for, that is one payment. */
  readonly subjectId: string;
  /** Under which the processor makes the first attempt once. */
  readonly idempotencyKey: string;
  readonly amountMinor: bigint;
  /** ISO 4217. */
  readonly currency: string;
  /** Ours, not the processor's. Null: the organisation's default. */
  readonly paymentMethodId: string | null;
  /** Nobody is there to confirm: a payment that needs it is declined, and can never be confirmed later. */
  readonly payerIsAway: boolean;
  /** What the payer reads on the statement. */
  readonly description: string;
  /** When it was asked for: after a day nothing is charged any more that nobody expects by then. */
  readonly askedAt: Date;
}

/** One attempt to be paid. A further one has an id and a key of its own. */
export interface Payment extends Omit<PaymentRequest, 'askedAt'> {
  /** Stands in the processor's metadata. */
  readonly id: string;
  /** Counted from 1. */
  readonly attempt: number;
  /** The processor's name for the payment method that it was first tried with; null: it was not tried yet. */
  readonly paymentMethod: string | null;
  /** The processor's name for it, once that is known. */
  readonly reference: string | null;
  /** With which the payer confirms; null unless the state is REQUIRES_ACTION. */
  readonly clientSecret: string | null;
  readonly state: PaymentState;
  /** Why it was not paid, by the processor's code where it has one; null where there is nothing to say. */
  readonly reason: string | null;
  readonly createdAt: Date;
  /** Until when it is waited for. */
  readonly deadlineAt: Date;
  /** When the schedule looks at it again; null: all is done. */
  readonly nextLookAt: Date | null;
}

const minute = 60_000;
const hour = 60 * minute;
const day = 24 * hour;

/** How long a payer is waited for, or a processor that does not answer. */
const waitingMs = day;

/** How long a bank may take. */
const processingMs = 14 * day;

/**
 * Processors forget the keys that make a charge safe to repeat after a day. What is not known by then is only looked for, and
 * never asked for again.
 */
const repeatableMs = 23 * hour;

/** After so many attempts of which the processor itself made nothing a person may try. */
const maxAttempts = 3;

/** Nobody else looks at it until `leaseUntil`. */
export const newPayment = ({ askedAt, ...request }: PaymentRequest, id: string, leaseUntil: Date): Payment => ({
  ...request,
  id,
  attempt: 1,
  paymentMethod: null,
  reference: null,
  clientSecret: null,
  state: 'PENDING',
  reason: null,
  createdAt: askedAt,
  deadlineAt: after(askedAt, waitingMs),
  nextLookAt: leaseUntil,
});

/** Of what was given up before a payment began. */
export const neverCharged = (payment: Payment): Payment => ({
  ...payment,
  state: 'CANCELLED',
  reason: 'never_charged',
  nextLookAt: null,
});

/** The attempt after one that is over, with a key that the processor does not know. */
export const nextAttempt = (former: Payment, id: string, at: Date, leaseUntil: Date): Payment => ({
  ...newPayment({ ...former, askedAt: at }, id, leaseUntil),
  attempt: former.attempt + 1,
  idempotencyKey: id,
});

export const overStates: readonly string[] = ['SUCCEEDED', 'DECLINED', 'CANCELLED'];

export const isOver = ({ state }: { readonly state: string }): boolean => overStates.includes(state);

export const isPastDeadline = ({ deadlineAt }: Payment, at: Date): boolean => deadlineAt <= at;

export const isRepeatable = ({ createdAt }: Payment, at: Date): boolean =>
  at.getTime() - createdAt.getTime() < repeatableMs;

export const mayTryAnew = ({ attempt }: Payment): boolean => attempt < maxAttempts;

/**
 * What a payment becomes by what the processor says, whoever says it how often and in whatever order: what is paid stays
 * paid, and what was declined or cancelled can only turn out to be paid.
 */
export function afterOutcome(payment: Payment, outcome: ChargeOutcome, at: Date): Payment {
  if (payment.state === 'SUCCEEDED' || (isOver(payment) && outcome.status !== 'succeeded')) return payment;
  const reference = outcome.processorReference === '' ? payment.reference : outcome.processorReference;
  const known: Payment = { ...payment, reference, clientSecret: null, reason: null };
  switch (outcome.status) {
    case 'succeeded':
      return { ...known, state: 'SUCCEEDED', nextLookAt: at };
    case 'declined':
      return { ...known, state: 'DECLINED', reason: outcome.reason, nextLookAt: at };
    case 'cancelled':
      return { ...known, state: 'CANCELLED', reason: outcome.reason, nextLookAt: at };
    case 'processing': {
      // What was to be given up already waits no longer than the bank makes it.
      const deadlineAt = isPastDeadline(payment, at) ? payment.deadlineAt : after(payment.createdAt, processingMs);
      const state = deadlineAt <= at ? 'UNRESOLVED' : 'PROCESSING';
      return { ...known, state, deadlineAt, nextLookAt: after(at, hour) };
    }
    case 'requires_action':
      // Nobody can confirm it now, and it is cancelled so that nobody does later.
      if (payment.payerIsAway)
        return { ...known, state: 'DECLINED', reason: 'authentication_required', nextLookAt: at };
      return {
        ...known,
        state: 'REQUIRES_ACTION',
        clientSecret: outcome.clientSecret,
        nextLookAt: earlier(payment.deadlineAt, after(at, 10 * minute)),
      };
  }
}

/** Nothing was heard: it is looked at again, first soon and then less and less often. */
export function afterSilence(payment: Payment, at: Date): Payment {
  if (isOver(payment)) return payment;
  const state = isPastDeadline(payment, at) ? 'UNRESOLVED' : payment.state;
  const clientSecret = state === 'REQUIRES_ACTION' ? payment.clientSecret : null;
  return { ...payment, state, clientSecret, nextLookAt: nextRetryAt(payment.createdAt, at, hour) };
}

/** What a person wants done with a payment, or a sentence why that cannot be. */
type Wish = { readonly payment: Payment } | { readonly refused: string };

/** Has it given up now. */
export function cancelByHand(payment: Payment, at: Date): Wish {
  if (isOver(payment)) return { refused: `It is over: it is ${payment.state}.` };
  return { payment: { ...payment, deadlineAt: at, nextLookAt: at } };
}

/** Has one that is not over looked at now, and one that was not paid tried once more. */
export function retryByHand(
  payment: Payment,
  { isLatest, id, at }: { readonly isLatest: boolean; readonly id: string; readonly at: Date },
): Wish {
  if (payment.state === 'SUCCEEDED') return { refused: 'It is paid.' };
  if (!isOver(payment)) return { payment: { ...payment, nextLookAt: at } };
  if (payment.purpose !== 'CREDIT_PURCHASE') {
    return {
      refused: 'Its change is over: a renewal is tried again by itself, and the organisation can change again.',
    };
  }
  if (!isLatest) return { refused: 'There was a later attempt: retry that one.' };
  if (payment.nextLookAt !== null) return { refused: 'It is being cancelled at the processor: try again in a minute.' };
  const next = nextAttempt({ ...payment, paymentMethodId: null }, id, at, at);
  // Its buyer is told nothing of it, and cannot confirm it.
  return { payment: { ...next, payerIsAway: true } };
}

/** All that follows from how it ended is done. */
export const concluded = (payment: Payment): Payment => ({ ...payment, nextLookAt: null });

const after = (at: Date, ms: number): Date => new Date(at.getTime() + ms);
const earlier = (one: Date, other: Date): Date => (one < other ? one : other);
