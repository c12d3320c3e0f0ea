import { DomainError, isUnavailable, newId, type ActorContext, type DomainEvent } from '@platform-backend/core';
import type { DebitCreated } from '../generated/events.ts';
import type { CreditServiceClient } from '../generated/v1.ts';

/** Who has the work done, and whose policy and usage it counts against: the default group's unless it says another. */
export interface Payer extends ActorContext {
  readonly clientGroupId?: string | null | undefined;
  readonly apiKeyId?: string | null | undefined;
}

/** What a piece of work has cost. */
export interface Spent {
  /** A UUID that is the same for the same work, whoever writes it down. */
  readonly debitId: string;
  /** What was done: a message, a kernel, a run. */
  readonly workId: string;
  /** More than nothing. */
  readonly micros: bigint;
  /** When it was done. */
  readonly at: Date;
}

/** As it is published by whichever service does the work. */
export type DebitEvent = DomainEvent<'debit.created', DebitCreated>;

/**
 * Credits set aside for work that is going on: they limit what it may come to. They stay so until one of these is called,
 * and where this process dies for less than a minute. The work is owed all the same.
 */
export interface Reservation {
  readonly id: string;
  /** What it has cost, to be written in the transaction that ends it. Billing settles the reservation when it hears of it. */
  readonly debit: (spent: Spent) => DebitEvent;
  /** Nothing was done: gives back all of it, or where that fails has it expire. Never rejects. */
  readonly release: () => Promise<void>;
}

interface CallOptions {
  readonly caller: { readonly organisationId: string };
  readonly requestId?: string;
  readonly timeoutMs: number;
}

type CreditCalls = Pick<CreditServiceClient<CallOptions>, 'reserveCredits' | 'releaseCredits' | 'extendReservations'>;

/** Of a reservation: credits of a process that died are back after this and billing's sweep. */
const lifetimeSeconds = 50;

/** Often enough that one that gets lost does no harm. */
const heartbeatMs = 20_000;

/** As many as billing takes in one call. */
const maxExtended = 1_000;

/** Whoever has asked waits for it. */
const timeoutMs = 5_000;

/** How a service spends credits of one class and for one purpose, on its own authority for the organisation. */
export function spending(
  client: CreditCalls,
  { creditClass, purpose }: { readonly creditClass: 'AI' | 'INFRASTRUCTURE'; readonly purpose: string },
) {
  /** What work has cost, of which a reservation is remembered or none. */
  const debit = (payer: Payer, reservationId: string | null, { debitId, workId, micros, at }: Spent): DebitEvent => ({
    name: 'debit.created',
    subject: debitId,
    at,
    data: {
      debit_id: debitId,
      reservation_id: reservationId,
      amount_micros: micros.toString(),
      credit_class: creditClass,
      purpose,
      work_id: workId,
      client_group_id: payer.clientGroupId ?? null,
      api_key_id: keyOf(payer),
      member_id: payer.actor.userId,
      occurred_at: at.toISOString(),
    },
  });

  /**
   * Sets credits aside for work that outlives this process: for less than a minute, unless somebody extends that. Repeating it
   * is safe. PAYMENT_REQUIRED: too few credits, or more than the client group may spend. UNAVAILABLE: billing is away.
   */
  async function hold(payer: Payer, reservationId: string, micros: bigint): Promise<void> {
    const { organisationId, requestId, clientGroupId } = payer;
    const apiKeyId = keyOf(payer);
    await client.reserveCredits(
      {
        reservationId,
        amountMicros: micros.toString(),
        purpose,
        lifetimeSeconds,
        creditClass,
        ...(clientGroupId && { clientGroupId }),
        ...(apiKeyId !== null && { apiKeyId }),
      },
      { caller: { organisationId }, requestId, timeoutMs },
    );
  }

  /**
   * Has them set aside for longer, as far as they are still. Never rejects: the next one may get through; where none does,
   * others may spend what was set aside, and the work is owed as well.
   */
  async function extend(organisationId: string, reservationIds: readonly string[]): Promise<void> {
    for (let from = 0; from < reservationIds.length; from += maxExtended) {
      const request = { reservationIds: reservationIds.slice(from, from + maxExtended), lifetimeSeconds };
      await client.extendReservations(request, { caller: { organisationId }, timeoutMs }).catch(() => undefined);
    }
  }

  /** Gives back all of it, or where that fails has it expire. Never rejects. */
  async function release(organisationId: string, reservationId: string): Promise<void> {
    await client.releaseCredits({ reservationId }, { caller: { organisationId }, timeoutMs }).catch(() => undefined);
  }

  /** As `hold`, for work of this process alone. */
  async function reserve(payer: Payer, micros: bigint): Promise<Reservation> {
    const { organisationId } = payer;
    const reservationId = newId();
    await hold(payer, reservationId, micros);
    const heartbeat = setInterval(() => void extend(organisationId, [reservationId]), heartbeatMs).unref();
    return {
      id: reservationId,
      debit(spent) {
        clearInterval(heartbeat);
        return debit(payer, reservationId, spent);
      },
      async release() {
        clearInterval(heartbeat);
        await release(organisationId, reservationId);
      },
    };
  }

  return {
    debit,
    hold,
    extend,
    release,
    reserve,

    /**
     * For work that costs nothing, but is done only where there are credits: so many are set aside while it is done, and given
     * back. PAYMENT_REQUIRED: there are too few. Where they are nothing nobody is asked. UNAVAILABLE: billing is away, unless
     * `goesOnWithout` it, which is for what costs next to nothing and people wait for.
     */
    withCredits:
      (micros: bigint, { goesOnWithout = false } = {}): WithCredits =>
      async (payer, work) => {
        if (micros === 0n) return work();
        const reservation = await reserve(payer, micros).catch((error: unknown) => {
          if (goesOnWithout && isUnreachable(error)) return undefined;
          throw error;
        });
        try {
          return await work();
        } finally {
          void reservation?.release();
        }
      },
  };
}

/** Has work done that costs nothing, but only where there are credits. */
export type WithCredits = <Result>(payer: Payer, work: () => Promise<Result>) => Promise<Result>;

/** It cannot be reached, or nobody has said where it is. */
const isUnreachable = (error: unknown): boolean =>
  isUnavailable(error) || (error instanceof DomainError && error.kind === 'not_provided');

const keyOf = ({ apiKeyId, actor }: Payer): string | null => apiKeyId ?? (actor.type === 'api_key' ? actor.id : null);
