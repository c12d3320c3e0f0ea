import type { ActorContext } from '@platform-backend/core';
import type { PipelinesEvent } from '../../events.ts';

/** Who has the work done. */
export interface Payer extends ActorContext {
  /** Whose policy and usage it counts against; absent: those of its reservation, or else the default group's. */
  readonly clientGroupId?: string | undefined;
}

/** What a run has cost. */
export interface WorkCost {
  /** The same for the same run, whoever writes it down. */
  readonly debitId: string;
  /** The run. */
  readonly workId: string;
  /** More than nothing. */
  readonly micros: bigint;
  readonly at: Date;
}

/** What a run has cost, to be written with its end: it is owed if and only if that was written. */
export type DebitCreated = PipelinesEvent<'debit.created'>;

/** Has work done that costs nothing, but only where there are credits: those for a second of it are set aside meanwhile. */
export type WithCredits = <Result>(payer: Payer, work: () => Promise<Result>) => Promise<Result>;

/** Credits for what runs on the platform's machines. */
export interface Credits {
  /**
   * Sets credits aside under this id for less than a minute, unless that is extended. Repeating it is safe.
   * PAYMENT_REQUIRED: too few credits, or more than the client group may spend. UNAVAILABLE: billing is away.
   */
  readonly hold: (payer: Payer, reservationId: string, micros: bigint) => Promise<void>;
  /** They limit what runs may come to while these go on, and no more. Never rejects. */
  readonly extend: (organisationId: string, reservationIds: readonly string[]) => Promise<void>;
  /** Nothing was done. Never rejects. */
  readonly release: (organisationId: string, reservationId: string) => Promise<void>;
  readonly debit: (payer: Payer, reservationId: string | null, cost: WorkCost) => DebitCreated;
}
