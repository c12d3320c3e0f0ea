import type { CreditReservation } from '../../domain/credits/reservation.ts';
import type { CreditParts } from './credit-parts.ts';

/** The heartbeat of work that is still running: its reservations live for another lifetime. Answers the open ones. */
export const extendReservations =
  ({ credits, clock }: CreditParts) =>
  (organisationId: string, ids: readonly string[], lifetimeSeconds: number): Promise<readonly CreditReservation[]> =>
    credits.extend(organisationId, ids, new Date(clock.now().getTime() + lifetimeSeconds * 1000));
