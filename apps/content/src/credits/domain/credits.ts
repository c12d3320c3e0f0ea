import type { ActorContext } from '@platform-backend/core';

/** Who has the work done. */
export interface Payer extends ActorContext {
  /** Whose policy and usage it counts against; absent: the default group's. */
  readonly clientGroupId?: string | undefined;
}

export interface CreditsInput {
  /** A UUID; the same one with the same amount is the same reservation. */
  readonly operationId: string;
  readonly micros: bigint;
  /** Shown in the ledger: `assistant_message`, `transcription`. */
  readonly purpose: string;
}

/** Credits set aside. They stay so until one of these is called, or for less than a minute where this process dies. */
export interface Reservation {
  /** Takes what the work has really cost, at most what was reserved, and gives back the rest. */
  readonly settle: (micros: bigint) => Promise<void>;
  /** Gives back all of it. */
  readonly release: () => Promise<void>;
}

/** Credits for artificial intelligence. */
export interface Credits {
  /** PAYMENT_REQUIRED: too few credits, or more than the client group may spend. UNAVAILABLE: billing is away. */
  readonly reserve: (payer: Payer, wanted: CreditsInput) => Promise<Reservation>;
}
