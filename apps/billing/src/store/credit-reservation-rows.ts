import type { CreditClass, CreditReservation, ReservationStatus } from '../domain/credits/reservation.ts';

export interface ReservationRow {
  id: string;
  organisation_id: string;
  status: ReservationStatus;
  amount_micros: string;
  settled_micros: string;
  purpose: string;
  credit_class: CreditClass;
  client_group_id: string | null;
  api_key_id: string | null;
  service: string;
  created_at: Date;
  expires_at: Date;
}

export const reservationOfRow = (row: ReservationRow): CreditReservation => ({
  id: row.id,
  status: row.status,
  amount: BigInt(row.amount_micros),
  settled: BigInt(row.settled_micros),
  purpose: row.purpose,
  creditClass: row.credit_class,
  clientGroupId: row.client_group_id,
  apiKeyId: row.api_key_id,
  service: row.service,
  createdAt: row.created_at,
  expiresAt: row.expires_at,
});
