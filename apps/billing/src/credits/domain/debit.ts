import type { CreditClass } from './reservation.ts';

/** What a piece of work has cost, as the service that did it has written down. It is owed, whatever has become of its reservation. */
export interface Debit {
  /** Chosen by that service: the same for the same work. */
  readonly id: string;
  /** What was set aside for it; null: nothing. */
  readonly reservationId: string | null;
  /** More than nothing. */
  readonly amount: bigint;
  readonly creditClass: CreditClass;
  readonly purpose: string;
  /** What was done. */
  readonly workId: string;
  /** Null: those of its reservation, or else the default group. */
  readonly clientGroupId: string | null;
  readonly apiKeyId: string | null;
  /** The user for whom it was done. */
  readonly memberId: string | null;
  readonly service: string;
  /** On whose day it is counted. */
  readonly occurredAt: Date;
}
