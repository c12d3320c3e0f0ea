import { DomainError, newId, type Logger } from '@platform-backend/core';
import { systemActor } from '../../events.ts';
import { everybody, type ScheduleScope } from '../../test-clocks/domain/schedule-scope.ts';
import { paymentsLimited } from '../domain/errors.ts';
import type { ChargeOutcome } from '../domain/payment-processor.ts';
import {
  afterOutcome,
  afterSilence,
  concluded,
  isOver,
  isPastDeadline,
  isRepeatable,
  mayTryAnew,
  newPayment,
  nextAttempt,
  type Payment,
  type PaymentRequest,
} from '../domain/payment.ts';
import type { PaymentName, Payments } from '../domain/payments.ts';
import { methodOf, type PaymentMethod, type Wallet } from '../domain/wallet.ts';
import { countDecline, hasTooManyDeclines, type LimitPorts } from './limit-payments.ts';
import { isCustomerGone, openWallet, refreshWallet, reopenWallet, type WalletPorts } from './wallets.ts';

export interface PaymentPorts extends WalletPorts, LimitPorts {
  readonly payments: Payments;
  /** Does what follows from how a payment ended, such as giving the credits that were bought. Is safe to repeat. */
  readonly paymentOver: (payment: Payment) => Promise<void>;
  /** Takes over what is known of a payment that is not over, such as that its payer has to confirm it. Is safe to repeat. */
  readonly paymentPending: (payment: Payment) => Promise<void>;
  /** How long whoever looks at a payment may be silent before others do; longer than a request takes. */
  readonly leaseMs: number;
  readonly logger: Logger;
}

/**
 * Has something paid: once, however often and by however many it is asked for. Answers what is known of the payment, also
 * when that is nothing yet: the schedule goes on with it, and `paymentOver` hears how it ends. A payment method that does
 * not exist is a reason to decline.
 */
export async function collectPayment(ports: PaymentPorts, request: PaymentRequest): Promise<Payment> {
  const { at, leaseUntil } = leaseFrom(ports);
  const first = newPayment(request, newId(), leaseUntil);
  const { payment, isOurs } = await ports.payments.begin(first, at, leaseUntil);
  return isOurs ? goOnWith(ports, payment) : payment;
}

/** Finds out what became of a payment, or asks for it. */
async function goOnWith(ports: PaymentPorts, payment: Payment): Promise<Payment> {
  if (isOver(payment)) return payment;
  try {
    const outcome = await ask(ports, payment);
    const after = await recordOutcome(ports, payment, outcome);
    if (after.state !== 'CANCELLED' || after.reason !== 'processor_failed' || !mayTryAnew(after)) return after;
    return await goOnWith(ports, await beginNextAttempt(ports, after));
  } catch (error) {
    const { logger, payments, clock } = ports;
    if (isUncertain(error)) {
      const { id: paymentId, organisationId } = payment;
      logger.warn(
        { event: 'payment.not_known', err: error, paymentId, organisationId },
        'what became of a payment is not known yet, it will be looked for',
      );
      return payments.update(payment, (known) => afterSilence(known, clock.now()));
    }
    // Nothing was paid and nothing will be, such as with a payment method that does not exist.
    const reason = error instanceof DomainError ? error.code : 'refused';
    return recordOutcome(ports, payment, { status: 'declined', processorReference: '', reason });
  }
}

async function ask(ports: PaymentPorts, payment: Payment): Promise<ChargeOutcome | null> {
  const at = ports.clock.now();
  if (isPastDeadline(payment, at)) return giveUp(ports, payment);
  const { reference } = payment;
  if (reference === null) return isRepeatable(payment, at) ? charge(ports, payment) : find(ports, payment);
  const outcome = await ports.provider.getPayment(await openWallet(ports, payment.organisationId), reference);
  // After a failed attempt the payer may try again with another card.
  return outcome.status === 'declined' && payment.state === 'REQUIRES_ACTION' ? null : outcome;
}

async function charge(ports: PaymentPorts, payment: Payment): Promise<ChargeOutcome> {
  const wallet = await openWallet(ports, payment.organisationId);
  try {
    const method = payment.paymentMethod ?? (await chosenMethod(ports, wallet, payment));
    if (method === null) return nothingToPayWith;
    const paymentMethod = await ports.payments.pinMethod(payment, method);
    if (paymentMethod === null) return givenUp;
    const card = `card:${await cardOf(ports, wallet, paymentMethod)}`;
    const isFirst = payment.paymentMethod === null;
    // One that was asked for before may be paid: whether it is only the processor knows.
    if (isFirst && (await hasTooManyDeclines(ports, systemActor(payment.organisationId, payment.id), card)))
      return { status: 'declined', processorReference: '', reason: paymentsLimited.code };
    const outcome = await ports.provider.charge(wallet, { ...payment, paymentMethod });
    if (outcome.status === 'declined') await countDecline(ports, payment.organisationId, card);
    return outcome;
  } catch (error) {
    if (!isCustomerGone(error)) throw error;
    // With the customer all is gone that it could pay with.
    await reopenWallet(ports, wallet);
    return nothingToPayWith;
  }
}

/** What the processor tells cards apart by, whoever has set them up; its own name for it where it does not. */
async function cardOf({ wallets }: PaymentPorts, wallet: Wallet, reference: string): Promise<string> {
  const isIt = (method: PaymentMethod) => method.reference === reference;
  // It may have been heard of only now.
  const known = wallet.methods.find(isIt) ?? (await wallets.get(wallet.organisationId))?.methods.find(isIt);
  return known === undefined || known.fingerprint === '' ? reference : known.fingerprint;
}

const givenUp: ChargeOutcome = { status: 'cancelled', processorReference: '', reason: 'never_charged' };

const nothingToPayWith: ChargeOutcome = {
  status: 'declined',
  processorReference: '',
  reason: 'payment_method_required',
};

/** A default may have been set up a moment ago, and nobody has told us yet. */
async function chosenMethod(ports: PaymentPorts, wallet: Wallet, payment: Payment): Promise<string | null> {
  if (payment.paymentMethodId !== null) return methodOf(wallet, payment.paymentMethodId).reference;
  const known = wallet.methods.find(({ isDefault }) => isDefault);
  if (known) return known.reference;
  const { methods } = await refreshWallet(ports, systemActor(wallet.organisationId, payment.id));
  return methods.find(({ isDefault }) => isDefault)?.reference ?? ports.provider.methodUnlessSetUp;
}

/** What the processor knows of it, by our id; null: nothing. */
async function find(ports: PaymentPorts, payment: Payment): Promise<ChargeOutcome | null> {
  const wallet = await ports.wallets.get(payment.organisationId);
  if (!wallet) return null;
  try {
    return await ports.provider.findPayment(wallet, payment);
  } catch (error) {
    if (isCustomerGone(error)) return null;
    throw error;
  }
}

/**
 * Gives a payment up, so that it cannot be paid later; the processor is asked before. Answers what is true of it from then
 * on. UPSTREAM_FAILED: it could not be asked.
 */
async function giveUp(ports: PaymentPorts, payment: Payment): Promise<ChargeOutcome> {
  const reference = payment.reference ?? (await find(ports, payment))?.processorReference;
  if (reference === undefined) return givenUp;
  return ports.provider.cancelPayment(await openWallet(ports, payment.organisationId), reference);
}

/** Ends a payment for a person or because its organisation is no more; answers how it ended, which may be that it is paid. */
export async function cancelPayment(ports: PaymentPorts, payment: Payment): Promise<Payment> {
  if (payment.state === 'SUCCEEDED') return payment;
  return recordOutcome(ports, payment, await giveUp(ports, payment));
}

function beginNextAttempt(ports: PaymentPorts, former: Payment): Promise<Payment> {
  const { at, leaseUntil } = leaseFrom(ports);
  return ports.payments.addAttempt(nextAttempt(former, newId(), at, leaseUntil), 'refused');
}

const recordOutcome = ({ payments, clock }: PaymentPorts, name: PaymentName, outcome: ChargeOutcome | null) =>
  payments.update(name, (known) =>
    outcome === null ? afterSilence(known, clock.now()) : afterOutcome(known, outcome, clock.now()),
  );

/** What a processor reports on its own account, perhaps more than once, late, and out of order. */
export async function paymentReported(ports: PaymentPorts, name: PaymentName, outcome: ChargeOutcome): Promise<void> {
  const payment = await recordOutcome(ports, name, outcome);
  if (isOver(payment) && payment.nextLookAt !== null) await conclude(ports, payment);
}

/** How much one round takes on. */
const roundSize = 50;

/**
 * One round of looking after payments that are not over, or of which not all is done that follows. Replicas share it: what
 * one has taken, the others pass by. Answers how many were concluded.
 */
export async function lookAfterPayments(ports: PaymentPorts, scope: ScheduleScope = everybody): Promise<number> {
  const { payments, logger } = ports;
  let done = 0;
  for (const name of await payments.due(ports.clock.now(), scope, roundSize)) {
    try {
      const { at, leaseUntil } = leaseFrom(ports);
      const taken = await payments.take(name, at, leaseUntil);
      if (!taken) continue;
      const payment = await goOnWith(ports, taken);
      if (!isOver(payment)) {
        // However often: whoever has learned it first may have died before it was told.
        await ports.paymentPending(payment);
        continue;
      }
      await conclude(ports, payment);
      done += 1;
    } catch (error) {
      logger.warn(
        { event: 'payment.not_concluded', err: error, paymentId: name.id, organisationId: name.organisationId },
        'a payment could not be looked after, it will be tried again',
      );
    }
  }
  return done;
}

/** Does what follows from how a payment ended. What was not paid is cancelled at the processor, so that it cannot be paid later. */
async function conclude(ports: PaymentPorts, payment: Payment): Promise<void> {
  const ended =
    payment.state === 'SUCCEEDED' || payment.reference === null ? payment : await cancelledThere(ports, payment);
  const latest = await ports.payments.latest(ended.organisationId, ended.subjectId);
  // What became of an attempt that another one has followed counts only when it was paid after all.
  if (ended.state === 'SUCCEEDED' || latest?.id === ended.id) await ports.paymentOver(ended);
  await ports.payments.update(ended, (known) => (known.state === ended.state ? concluded(known) : known));
}

async function cancelledThere(ports: PaymentPorts, payment: Payment): Promise<Payment> {
  const { reference, organisationId } = payment;
  if (reference === null) return payment;
  const outcome = await ports.provider.cancelPayment(await openWallet(ports, organisationId), reference);
  return recordOutcome(ports, payment, outcome);
}

/** Whether a payment may have happened although asking for it failed. Defects count as that, too. */
const isUncertain = (error: unknown): boolean =>
  !(error instanceof DomainError) ||
  ['upstream_failed', 'unavailable', 'deadline_exceeded', 'internal'].includes(error.kind);

function leaseFrom({ clock, leaseMs }: PaymentPorts): { readonly at: Date; readonly leaseUntil: Date } {
  const at = clock.now();
  return { at, leaseUntil: new Date(at.getTime() + leaseMs) };
}
