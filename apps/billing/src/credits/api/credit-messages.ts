import type {
  CreditBalanceInput,
  CreditGrantInput,
  CreditReservationInput,
  CreditTransactionInput,
} from '@platform-backend/contract-billing';
import type { CreditBalance } from '../app/credits.ts';
import type { CreditGrant } from '../domain/credit-grant.ts';
import type { CreditTransaction } from '../domain/ledger.ts';
import type { CreditReservation } from '../domain/reservation.ts';

export const balanceMessage = ({ available, reserved, nextLoss }: CreditBalance): CreditBalanceInput => ({
  availableMicros: String(available),
  reservedMicros: String(reserved),
  expiringMicros: String(nextLoss?.amount ?? 0n),
  nextExpiresAt: nextLoss?.at ?? null,
});

export const transactionMessage = (transaction: CreditTransaction): CreditTransactionInput => ({
  id: transaction.id,
  createdAt: transaction.createdAt,
  kind: transaction.kind,
  availableChangeMicros: String(transaction.availableChange),
  reservedChangeMicros: String(transaction.reservedChange),
  availableAfterMicros: String(transaction.availableAfter),
  purpose: transaction.purpose,
  reservationId: transaction.reservationId,
  grantId: transaction.grantId,
  clientGroupId: transaction.clientGroupId,
  debitId: transaction.debitId,
  workId: transaction.workId,
});

export const grantMessage = (grant: CreditGrant): CreditGrantInput => ({
  id: grant.id,
  createdAt: grant.createdAt,
  kind: grant.kind,
  amountMicros: String(grant.amount),
  remainingMicros: String(grant.remaining),
  priority: grant.priority,
  expiresAt: grant.expiresAt,
});

export const reservationMessage = (reservation: CreditReservation): CreditReservationInput => ({
  reservationId: reservation.id,
  status: reservation.status,
  amountMicros: String(reservation.amount),
  settledMicros: String(reservation.settled),
  expiresAt: reservation.expiresAt,
});
