import type { Acting } from '../../domain/acting.ts';
import { releasedAlready, type CreditReservation } from '../../domain/credits/reservation.ts';
import type { CreditParts } from './credit-parts.ts';

/** Gives back all that was reserved. Repeating it is safe. */
export const releaseCredits =
  ({ credits, clock }: CreditParts) =>
  async (by: Acting, reservationId: string): Promise<CreditReservation> => {
    const outcome = await credits.release(by, reservationId, clock.now());
    return outcome.kind === 'finished' ? outcome.reservation : releasedAlready(outcome.reservation);
  };
