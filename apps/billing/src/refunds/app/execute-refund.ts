import { upstreamFailed, type ActorContext, type Clock, type Logger } from '@platform-backend/core';
import { openWallet, type WalletPorts } from '../../payments/app/wallets.ts';
import type { PaymentProvider } from '../../payments/domain/payment-provider.ts';
import type { RefundOutcome, RefundProvider } from '../../payments/domain/refund-provider.ts';
import { everybody, type ScheduleScope } from '../../test-clocks/domain/schedule-scope.ts';
import { afterOutcome, afterSilence, isRepeatable, type Refund } from '../domain/refund.ts';
import type { Refunds } from '../domain/refunds.ts';

export interface RefundPorts extends WalletPorts {
  readonly refunds: Refunds;
  readonly provider: PaymentProvider & RefundProvider;
  readonly clock: Clock;
  readonly newId: () => string;
  /** How long whoever looks at a refund may be silent before others do; longer than a request takes. */
  readonly leaseMs: number;
  readonly logger: Logger;
  /** Whether an organisation can have another refund, and that it has one. RATE_LIMITED: it has had too many. */
  readonly requireRefundAllowed: (by: ActorContext) => Promise<void>;
  readonly countRefund: (by: ActorContext) => Promise<void>;
}

/** Asks the processor for a refund that is written down, or what has become of it. Repeating it is safe, after any death as well. */
export async function executeRefund(ports: RefundPorts, refund: Refund): Promise<Refund> {
  const { refunds, clock, newId, logger } = ports;
  const by: ActorContext = {
    organisationId: refund.organisationId,
    actor: refund.requestedBy,
    requestId: refund.requestId,
  };
  try {
    const outcome = await ask(ports, refund);
    const at = clock.now();
    const noteId = newId();
    return await refunds.update(refund, by, at, (known) => afterOutcome(known, outcome, noteId, at));
  } catch (error) {
    const { id: refundId, organisationId } = refund;
    logger.warn(
      { event: 'refund.not_known', err: error, refundId, organisationId },
      'what became of a refund is not known yet, it will be looked for',
    );
    const at = clock.now();
    return refunds.update(refund, by, at, (known) => afterSilence(known, at));
  }
}

async function ask(ports: RefundPorts, refund: Refund): Promise<RefundOutcome> {
  const { provider, clock } = ports;
  const payer = await openWallet(ports, refund.organisationId);
  const isFirst = refund.reference === null && isRepeatable(refund, clock.now());
  const outcome = isFirst ? await provider.refund(payer, refund) : await provider.findRefund(payer, refund);
  if (outcome) return outcome;
  // The processor has told of it before: it was made, and what was taken for it must not be given again.
  if (refund.reference !== null) throw upstreamFailed(new Error(`refund ${refund.id} is not found at the processor`));
  return { status: 'failed', reference: '', reason: 'never_made' };
}

/** How much one round takes on. */
const roundSize = 50;

/** One round of looking after refunds that are not over. Replicas share it. Answers how many have ended. */
export async function lookAfterRefunds(ports: RefundPorts, scope: ScheduleScope = everybody): Promise<number> {
  const { refunds, clock, leaseMs, logger } = ports;
  let ended = 0;
  for (const name of await refunds.due(clock.now(), scope, roundSize)) {
    try {
      const at = clock.now();
      const taken = await refunds.take(name, at, new Date(at.getTime() + leaseMs));
      if (taken && (await executeRefund(ports, taken)).state !== 'PENDING') ended += 1;
    } catch (error) {
      logger.warn(
        { event: 'refund.not_concluded', err: error, refundId: name.id, organisationId: name.organisationId },
        'a refund could not be looked after, it will be tried again',
      );
    }
  }
  return ended;
}

/**
 * Has a refund looked at of which the processor has told. Nothing happens to one that is unknown or has failed. One that had succeeded may
 * have failed after all, as banks send money back days later: what was taken for it is there again, and a person hears of it.
 */
export async function refundReported(ports: RefundPorts, organisationId: string, id: string): Promise<void> {
  const refund = await ports.refunds.get({ organisationId, id });
  if (refund?.state === 'PENDING') await executeRefund(ports, { ...refund, reference: refund.reference ?? '' });
  if (refund?.state !== 'SUCCEEDED') return;
  const outcome = await ports.provider.findRefund(await openWallet(ports, organisationId), refund);
  if (outcome?.status !== 'failed') return;
  const at = ports.clock.now();
  const by: ActorContext = { organisationId, actor: refund.requestedBy, requestId: refund.requestId };
  await ports.refunds.update(refund, by, at, (known) => afterOutcome(known, outcome, ports.newId(), at));
  ports.logger.error(
    { event: 'refund.failed_late', refundId: id, organisationId, reference: outcome.reference, code: outcome.reason },
    'a refund has failed after it had succeeded: its money is back at the processor, and not with the payer',
  );
}
