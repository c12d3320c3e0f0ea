import type { ActorContext } from '@platform-backend/core';
import type { ContentEvent } from '../../events.ts';

/** Who has the work done. */
export interface Payer extends ActorContext {
  /** Whose policy and usage it counts against; absent: the default group's. */
  readonly clientGroupId?: string | null | undefined;
  /** Unless it is the actor. */
  readonly apiKeyId?: string | null | undefined;
}

/** What a piece of work has cost. */
export interface WorkCost {
  /** A UUID that is the same for the same work, whoever writes it down. */
  readonly debitId: string;
  /** What was done. */
  readonly workId: string;
  /** More than nothing. */
  readonly micros: bigint;
  readonly at: Date;
}

/** What work has cost, to be written with the end of the work: it is owed if and only if that was written. */
export type DebitCreated = ContentEvent & { readonly name: 'debit.created' };

/** Credits set aside for work that goes on. Where this process dies, they come back within a minute. */
export interface Reservation {
  readonly id: string;
  /** What the work has cost. Billing takes it of the reservation and gives back the rest. */
  readonly debit: (cost: WorkCost) => DebitCreated;
  /** Nothing was done. Never rejects. */
  readonly release: () => Promise<void>;
}

/** Credits for artificial intelligence, for one purpose. */
export interface Credits {
  /** PAYMENT_REQUIRED: too few credits, or more than the client group may spend. UNAVAILABLE: billing is away. */
  readonly reserve: (payer: Payer, micros: bigint) => Promise<Reservation>;
  /** What work has cost whose reservation is held by nobody here any more. */
  readonly debit: (payer: Payer, reservationId: string | null, cost: WorkCost) => DebitCreated;
}

/** Has work done that costs nothing, but only where there are credits. PAYMENT_REQUIRED: there are none. */
export type WithCredits = <Result>(payer: Payer, work: () => Promise<Result>) => Promise<Result>;

/** Writes down what work has cost whose end can be written no more, such as that of a conversation that was deleted. */
export type RecordDebit = (by: ActorContext, debit: DebitCreated) => Promise<void>;
