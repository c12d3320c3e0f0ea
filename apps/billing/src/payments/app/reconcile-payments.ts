import type { Clock, Logger } from '@platform-backend/core';
import type { PaymentProvider } from '../domain/payment-provider.ts';
import type { Payment } from '../domain/payment.ts';
import type { Payments } from '../domain/payments.ts';
import { differenceHere, differencesOf, type PaymentDifference } from '../domain/reconciliation.ts';

export interface ReconciliationPorts {
  readonly payments: Payments;
  readonly provider: Pick<PaymentProvider, 'listPayments'>;
  /** Whether what a payment was for was given. */
  readonly isBooked: (payment: Payment) => Promise<boolean>;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** What is younger may be on its way from one side to the other. */
const settlingMs = 10 * 60_000;

/** What we ask for may reach the processor so much later. */
const lateMs = 24 * 3_600_000;

/**
 * Compares what was paid in the last days with what the processor says, both ways. Each difference is a warning in the log;
 * nothing is changed.
 */
export async function reconcilePayments(
  ports: ReconciliationPorts,
  days: number,
): Promise<readonly PaymentDifference[]> {
  const { payments, provider, isBooked, clock, logger } = ports;
  const until = new Date(clock.now().getTime() - settlingMs);
  const from = new Date(until.getTime() - days * lateMs);
  const differences: PaymentDifference[] = [];
  const there = new Set<string>();
  // The processor's clock is another one.
  for await (const listed of provider.listPayments(new Date(from.getTime() - settlingMs))) {
    there.add(listed.reference);
    const name = await payments.find(listed.paymentId, listed.reference);
    differences.push(...differencesOf(listed, name && (await payments.get(name))));
  }
  for await (const payment of payments.paid(from, until)) {
    if (payment.reference === null || !there.has(payment.reference)) {
      differences.push(differenceHere('unknown_there', payment));
    }
    // What has just become paid is being booked.
    if (payment.nextLookAt === null && !(await isBooked(payment))) {
      differences.push(differenceHere('not_booked', payment));
    }
  }
  for (const { kind, organisationId, paymentId, reference } of differences) {
    logger.error(
      { event: 'payment.differs', difference: kind, organisationId, paymentId, reference },
      'a payment here and at the processor do not agree',
    );
  }
  return differences;
}
