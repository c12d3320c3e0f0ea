import type { ActorContext } from '@platform-backend/core';
import type { NotebooksEvent } from '../../events.ts';

/** For whom credits are spent. */
export interface Payer extends ActorContext {
  readonly clientGroupId: string | null;
  readonly apiKeyId: string | null;
}

/** What a minute of a kernel has cost, to be written with its being counted: it is owed if and only if that was written. */
export type DebitCreated = NotebooksEvent<'debit.created'>;

/** Which minute, from 0 on, and when it began. */
export interface KernelMinute {
  readonly kernelId: string;
  readonly minute: number;
  readonly at: Date;
}

/** Credits set aside for a minute; they come back by themselves where this process dies. */
export interface Reservation {
  readonly debit: (minute: KernelMinute) => DebitCreated;
  /** The minute did not begin. Never rejects. */
  readonly release: () => Promise<void>;
}

/** Credits for infrastructure. */
export interface Credits {
  /**
   * Sets aside what the next minute of a kernel costs; undefined where it costs nothing. PAYMENT_REQUIRED: too few credits,
   * or more than the client group may spend. UNAVAILABLE: billing is away.
   */
  readonly reserveMinute: (payer: Payer) => Promise<Reservation | undefined>;
  /** What a minute has cost for which nothing is set aside; undefined where that is nothing. */
  readonly debitMinute: (payer: Payer, minute: KernelMinute) => DebitCreated | undefined;
}
