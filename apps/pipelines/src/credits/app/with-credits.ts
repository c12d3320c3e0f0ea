import type { Payer, WithCredits } from '../domain/credits.ts';

interface ReservePorts {
  readonly reserve: (payer: Payer, micros: bigint) => Promise<{ readonly release: () => Promise<void> }>;
}

/** PAYMENT_REQUIRED: there are too few. UNAVAILABLE: billing is away. Where nothing costs anything, nobody is asked. */
export const withCredits =
  ({ reserve }: ReservePorts, micros: bigint): WithCredits =>
  async (payer, work) => {
    if (micros === 0n) return work();
    const reservation = await reserve(payer, micros);
    try {
      return await work();
    } finally {
      void reservation.release();
    }
  };
