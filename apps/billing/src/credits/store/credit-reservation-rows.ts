import { bigintColumn, columns } from '@platform-backend/postgres';
import type { CreditReservation, ReservationStatus } from '../domain/reservation.ts';

export interface ReservationRow {
  id: string;
  organisation_id: string;
  status: ReservationStatus;
  expires_at: Date;
}

export const reservationColumns = columns<CreditReservation>({
  id: 'id',
  status: 'status',
  amount: bigintColumn('amount_micros'),
  settled: bigintColumn('settled_micros'),
  purpose: 'purpose',
  creditClass: 'credit_class',
  clientGroupId: 'client_group_id',
  apiKeyId: 'api_key_id',
  service: 'service',
  createdAt: 'created_at',
  expiresAt: 'expires_at',
});
