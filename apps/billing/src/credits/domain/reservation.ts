import {
  reservationDiffers,
  reservationFinished,
  reservationNotFound,
  reservationReleased,
  reservationSettled,
  settlementDiffers,
  settlementTooLarge,
} from './errors.ts';

export type ReservationStatus = 'OPEN' | 'SETTLED' | 'RELEASED';
export type CreditClass = 'AI' | 'INFRASTRUCTURE';

export interface NewReservation {
  /** Chosen by the service that reserves. */
  readonly id: string;
  readonly amount: bigint;
  readonly purpose: string;
  /** Which limit of a client group's policy it counts against. */
  readonly creditClass: CreditClass;
  readonly clientGroupId: string | null;
  readonly apiKeyId: string | null;
  /** The service that reserves. */
  readonly service: string;
  readonly expiresAt: Date;
}

/** Credits set aside for work that is running, or was. */
export interface CreditReservation extends NewReservation {
  readonly status: ReservationStatus;
  /** What was taken of it. */
  readonly settled: bigint;
  readonly createdAt: Date;
}

/** The first reservation, when a caller repeats itself. CONFLICT: the id was used otherwise, or is finished. */
export function repeatedReservation(earlier: CreditReservation, wanted: NewReservation): CreditReservation {
  if (earlier.amount !== wanted.amount) {
    throw reservationDiffers();
  }
  if (earlier.status !== 'OPEN') throw reservationFinished();
  return earlier;
}

/** Why a reservation could not be settled, or that it is settled just so already. */
export function settledAlready(earlier: CreditReservation | null, amount: bigint): CreditReservation {
  if (!earlier) throw reservationNotFound();
  if (amount > earlier.amount) throw settlementTooLarge();
  if (earlier.status === 'RELEASED') throw reservationReleased();
  if (earlier.settled !== amount) throw settlementDiffers();
  return earlier;
}

/** Why a reservation could not be released, or that it is released already. */
export function releasedAlready(earlier: CreditReservation | null): CreditReservation {
  if (!earlier) throw reservationNotFound();
  if (earlier.status === 'SETTLED') throw reservationSettled();
  return earlier;
}
