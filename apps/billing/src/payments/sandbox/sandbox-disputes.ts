import type { Clock, Logger } from '@platform-backend/core';
import { everybody, type ScheduleScope } from '../../test-clocks/domain/schedule-scope.ts';
import type { ReportedDispute } from '../domain/provider-event.ts';
import type { SandboxDispute, SandboxDisputeBooks, SandboxPayment } from '../domain/sandbox-books.ts';
import { sandboxCards } from './sandbox-cards.ts';

/** How long the bank takes to decide, in milliseconds. */
const decidedAfterMs = 7 * 86_400_000;

/** The dispute about a payment with a card whose payments are disputed; null: they are not. */
export function disputeOf(
  card: string,
  organisationId: string,
  { id: paymentId, amount, currency }: SandboxPayment,
  at: Date,
): SandboxDispute | null {
  const behaviour = sandboxCards[card]?.behaviour;
  const disputed = behaviour?.payments === 'succeed' ? behaviour.disputed : undefined;
  return disputed === undefined
    ? null
    : {
        ...{ id: paymentId.replace(/^pi_/, 'dp_'), organisationId, paymentId, amount, currency },
        ...{ reason: disputed.reason, state: 'OPEN', ends: disputed.ends, nextReportAt: at },
      };
}

export interface SandboxDisputePorts {
  readonly books: SandboxDisputeBooks;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Takes in what is reported of it. Is safe to repeat. */
  readonly report: (dispute: ReportedDispute) => Promise<void>;
}

/** How much one round takes on. */
const roundSize = 50;

/** Tells of disputes what a processor would report of them by now. Answers of how many. */
export async function reportSandboxDisputes(
  { books, clock, report, logger }: SandboxDisputePorts,
  scope: ScheduleScope = everybody,
): Promise<number> {
  let told = 0;
  for (const dispute of await books.dueDisputes(clock.now(), scope, roundSize)) {
    const { id: reference, paymentId: paymentReference, amount: amountMinor, currency, reason, state, ends } = dispute;
    try {
      await report({ reference, paymentReference, amountMinor, currency, reason, state, isInquiry: false });
      const decidedAt = new Date(clock.now().getTime() + decidedAfterMs);
      await books.updateDispute({ ...dispute, state: ends, nextReportAt: state === 'OPEN' ? decidedAt : null });
      told += 1;
    } catch (error) {
      logger.warn(
        { event: 'dispute.not_reported', err: error, organisationId: dispute.organisationId, reference },
        'a dispute of the sandbox could not be told of now, trying again',
      );
    }
  }
  return told;
}
