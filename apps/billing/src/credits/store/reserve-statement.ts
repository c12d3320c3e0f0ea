import { newId, type ActorContext } from '@platform-backend/core';
import { encodeEvent } from '@platform-backend/events';
import { outgoing } from '../../record-events.ts';
import type { PolicyTimes } from '../domain/credit-accounts.ts';
import { creditsExhausted, creditsReserved } from '../domain/credit-events.ts';
import type { NewReservation } from '../domain/reservation.ts';

/**
 * Reserves credits, at most once for each organisation: `reserve_credits` of migration 0108 says how, in one statement. With `true` it is one
 * reservation, which waits for its account and is always answered.
 */
export const reserveStatement = {
  name: 'reserve-credits',
  text: 'SELECT * FROM reserve_credits($1, $2)',
  writes: true,
} as const;

export interface ReservationInput {
  readonly by: ActorContext;
  readonly wanted: NewReservation;
  readonly at: Date;
  readonly policy: PolicyTimes;
}

export interface ReserveRow {
  organisation_id: string;
  /** Null: nothing was reserved. */
  available_micros: string | null;
  client_group_id: string | null;
  /** Whether the policy of the group was heard of lately enough. */
  believed: boolean;
  /** What the group may have spent and set aside since the day; null: it has no hard limit. */
  group_limit: string | null;
  group_limit_since: string | null;
}

/** The values of `reserveStatement`, in order; the reservations as `reservationRecord` writes them. */
export const reserveValues = (records: readonly string[], waits: boolean): readonly unknown[] => [
  `[${records.join(',')}]`,
  waits,
];

/** A reservation with its events, as JSON. The events are part of the trace under way: it is written where somebody asks for it. */
export function reservationRecord({ by, wanted, at, policy }: ReservationInput): string {
  const fields = JSON.stringify({
    organisation_id: by.organisationId,
    id: wanted.id,
    amount: String(wanted.amount),
    purpose: wanted.purpose,
    credit_class: wanted.creditClass,
    named_group_id: wanted.clientGroupId,
    api_key_id: wanted.apiKeyId,
    service: wanted.service,
    at,
    expires_at: wanted.expiresAt,
    transaction_id: newId(),
    heard_after: policy.heardAfter,
    limits_at: policy.at,
  });
  const reserved = encodeEvent(outgoing(by, creditsReserved(wanted, at)));
  const exhausted = encodeEvent(outgoing(by, creditsExhausted(by.organisationId, 0n, at)));
  return `${fields.slice(0, -1)},"reserved":${reserved},"exhausted":${exhausted}}`;
}
