import type { Credits, DebitCreated, Payer, WorkCost } from '../domain/credits.ts';

/** Credits set aside for one piece of work; none where it may cost nothing. */
export interface ReservedCredits {
  /** Null: nothing is set aside. */
  readonly reservationId: string | null;
  /** As much of this cost as it pays for, in micros: what exceeds it was promised to nobody. */
  readonly covered: (cost: bigint) => bigint;
  /** What the work has cost, as far as that is covered, for the write that ends it; nothing where it cost nothing. */
  readonly debit: (cost: WorkCost) => readonly DebitCreated[];
  /** Gives back all of it. Never rejects. */
  readonly release: () => Promise<void>;
}

/** Sets aside what the work may cost, in micros. PAYMENT_REQUIRED: there is too little. UNAVAILABLE: billing is away. */
export async function reserveCredits(
  credits: Pick<Credits, 'reserve'>,
  payer: Payer,
  micros: bigint,
): Promise<ReservedCredits> {
  const reservation = micros === 0n ? undefined : await credits.reserve(payer, micros);
  const covered = (cost: bigint): bigint => (cost < micros ? cost : micros);
  return {
    reservationId: reservation?.id ?? null,
    covered,
    debit(spent) {
      const cost = covered(spent.micros);
      return reservation && cost > 0n ? [reservation.debit({ ...spent, micros: cost })] : [];
    },
    release: async () => reservation?.release(),
  };
}
