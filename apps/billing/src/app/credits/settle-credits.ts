import type { Acting } from '../../domain/acting.ts';
import { settledAlready, type CreditReservation } from '../../domain/credits/reservation.ts';
import type { CreditParts } from './credit-parts.ts';

/** Takes what the work has cost and gives back the rest of its reservation. Repeating it is safe. */
export const settleCredits =
  ({ credits, clock }: CreditParts) =>
  async (by: Acting, reservationId: string, amount: bigint): Promise<CreditReservation> => {
    const outcome = await credits.settle(by, reservationId, amount, clock.now());
    return outcome.kind === 'finished' ? outcome.reservation : settledAlready(outcome.reservation, amount);
  };
