import type { ActorContext } from '@platform-backend/core';

/** Credits for what runs on the platform's machines. */
export interface Credits {
  /**
   * Sets credits aside under this id for less than a minute, unless that is prolonged. Repeating it is safe.
   * PAYMENT_REQUIRED: too few credits, or more than the client group may spend. UNAVAILABLE: billing is away.
   */
  readonly reserve: (payer: Payer, reservationId: string, micros: bigint) => Promise<void>;
  /** Answers those that are still set aside. */
  readonly prolong: (organisationId: string, reservationIds: readonly string[]) => Promise<ReadonlySet<string>>;
  /** Takes what it has cost and gives back the rest. Repeating it is safe. False: it is set aside no longer. */
  readonly settle: (organisationId: string, reservationId: string, micros: bigint) => Promise<boolean>;
}

/** Who has the work done. */
export interface Payer extends ActorContext {
  /** Whose policy and usage it counts against; absent: the default group's. */
  readonly clientGroupId?: string | undefined;
}
