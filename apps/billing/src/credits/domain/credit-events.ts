import type { CreditsDebited, CreditsReleased, CreditsSettled } from '@platform-backend/contract-billing/events';
import type { DomainEvent } from '@platform-backend/core';
import type { BillingEvent } from '../../events.ts';
import type { CreditGrant } from './credit-grant.ts';
import type { Debit } from './debit.ts';
import type { NewReservation } from './reservation.ts';

/** Of what was bought, or given by hand, the audit log tells as well; the others follow from a plan. */
export function creditsGranted(
  { id, kind, amount, expiresAt, createdAt }: CreditGrant,
  reason: string | undefined,
): BillingEvent {
  const fields = { kind, amount_micros: String(amount), expires_at: expiresAt?.toISOString() ?? null };
  const isNoted = kind === 'PURCHASE' || reason !== undefined;
  return {
    name: 'credits.granted',
    subject: id,
    at: createdAt,
    data: { grant_id: id, ...fields },
    ...(isNoted && { change: { before: null, after: reason === undefined ? fields : { ...fields, reason } } }),
  };
}

export const creditsExpired = ({ id }: CreditGrant, lost: bigint, at: Date): BillingEvent => ({
  name: 'credits.expired',
  subject: id,
  at,
  data: { grant_id: id, amount_micros: String(lost) },
});

export function creditsAdjusted(
  organisationId: string,
  amount: bigint,
  available: bigint,
  reason: string,
  at: Date,
): BillingEvent {
  const data = { amount_micros: String(amount), available_micros: String(available), reason };
  const change = { before: { available_micros: String(available - amount) }, after: data };
  return { name: 'credits.adjusted', subject: organisationId, at, data, change };
}

export const creditsReserved = (reservation: NewReservation, at: Date): BillingEvent => ({
  name: 'credits.reserved',
  subject: reservation.id,
  at,
  data: {
    reservation_id: reservation.id,
    amount_micros: String(reservation.amount),
    purpose: reservation.purpose,
    client_group_id: reservation.clientGroupId,
    api_key_id: reservation.apiKeyId,
  },
});

export const creditsExhausted = (organisationId: string, available: bigint, at: Date): BillingEvent => ({
  name: 'credits.exhausted',
  subject: organisationId,
  at,
  data: { available_micros: String(available) },
});

/** The event of a settlement; the store completes the data with what it reads of the reservation. */
export const creditsSettled = (
  reservationId: string,
  settled: bigint,
  at: Date,
): DomainEvent<'credits.settled', Pick<CreditsSettled, 'reservation_id' | 'settled_micros'>> => ({
  name: 'credits.settled',
  subject: reservationId,
  at,
  data: { reservation_id: reservationId, settled_micros: String(settled) },
});

/** The event of a debit; the store completes the data with what it reads of the reservation. */
export const creditsDebited = (
  { id, amount, purpose, workId, memberId }: Debit,
  at: Date,
): DomainEvent<
  'credits.debited',
  Pick<CreditsDebited, 'debit_id' | 'amount_micros' | 'purpose' | 'work_id' | 'member_id'>
> => ({
  name: 'credits.debited',
  subject: id,
  at,
  data: { debit_id: id, amount_micros: String(amount), purpose, work_id: workId, member_id: memberId },
});

/** The event of a release; the store completes the data with what it reads of the reservation. */
export const creditsReleased = (
  reservationId: string,
  reason: ReleaseReason,
  at: Date,
): DomainEvent<'credits.released', Pick<CreditsReleased, 'reservation_id' | 'reason'>> => ({
  name: 'credits.released',
  subject: reservationId,
  at,
  data: { reservation_id: reservationId, reason },
});

/** Given back by who reserved them, or taken back because nobody was heard of any more. */
export type ReleaseReason = 'released' | 'expired';
