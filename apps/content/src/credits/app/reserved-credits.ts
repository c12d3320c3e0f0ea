import type { Logger } from '@platform-backend/core';
import type { Credits, Payer } from '../domain/credits.ts';

export interface ReservingPorts {
  readonly credits: Credits;
  readonly newId: () => string;
  readonly logger: Pick<Logger, 'warn'>;
}

/**
 * Credits set aside for one piece of work, whose outcome does not depend on what becomes of them: neither call rejects, as what is
 * neither spent nor given back expires by itself.
 */
export interface ReservedCredits {
  /** As much of this cost as it pays for, in micros. */
  readonly covered: (cost: bigint) => bigint;
  /** Takes what the work has cost, as far as that is covered, and gives back the rest. */
  readonly settle: (cost: bigint) => Promise<void>;
  /** Gives back all of it. */
  readonly release: () => Promise<void>;
}

/** Sets aside what the work may cost, in micros. PAYMENT_REQUIRED: there is too little. UNAVAILABLE: billing is away. */
export async function reserveCredits(
  { credits, newId, logger }: ReservingPorts,
  payer: Payer,
  { micros, purpose }: { readonly micros: bigint; readonly purpose: string },
): Promise<ReservedCredits> {
  const reservation =
    micros === 0n ? undefined : await credits.reserve(payer, { operationId: newId(), micros, purpose });
  const finish = async (end: Promise<void> | undefined): Promise<void> => {
    await end?.catch((error: unknown) =>
      logger.warn({ event: 'credits.settlement_failed', err: error }, 'a reservation could not be finished'),
    );
  };
  const covered = (cost: bigint): bigint => (cost < micros ? cost : micros);
  return {
    covered,
    settle: (cost) => finish(reservation?.settle(covered(cost))),
    release: () => finish(reservation?.release()),
  };
}
