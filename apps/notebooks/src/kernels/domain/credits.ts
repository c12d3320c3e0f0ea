import type { ActorContext } from '@platform-backend/core';

/** For whom credits are spent. */
export interface Payer extends ActorContext {
  readonly clientGroupId: string | null;
  readonly apiKeyId: string | null;
}

/** Credits set aside, until one of these is called; they come back by themselves where this process dies. */
export interface Reservation {
  readonly settle: () => Promise<void>;
  readonly release: () => Promise<void>;
}

/** Credits for infrastructure. */
export interface Credits {
  /**
   * The minute of a kernel; the same minute is the same reservation. PAYMENT_REQUIRED: too few credits, or more than the
   * client group may spend. UNAVAILABLE: billing is away.
   */
  readonly reserveMinute: (payer: Payer, kernelId: string, minute: number) => Promise<Reservation>;
}
