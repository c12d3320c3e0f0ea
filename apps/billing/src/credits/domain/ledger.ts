export type LedgerTransactionKind =
  | 'GRANT'
  | 'PURCHASE'
  | 'RESERVE'
  | 'SETTLE'
  | 'RELEASE'
  | 'EXPIRE'
  | 'DEBIT'
  | 'REFUND'
  | 'ADJUST';

/**
 * Where credits can be. `issued` is where they come from, so it is negative; `consumed`, `expired` and `refunded` are where
 * they end. All six of an organisation add up to zero, always.
 */
export type LedgerAccount = 'available' | 'reserved' | 'issued' | 'consumed' | 'expired' | 'refunded';

/** One movement of credits, about to be written. Its entries add up to zero. */
export interface LedgerTransaction {
  readonly id: string;
  readonly kind: LedgerTransactionKind;
  readonly at: Date;
  readonly purpose: string;
  /** Null: of no grant alone. */
  readonly grantId: string | null;
  readonly availableAfter: bigint;
  readonly entries: Readonly<Partial<Record<LedgerAccount, bigint>>>;
}

/** One movement of credits, as members see it. */
export interface CreditTransaction {
  readonly id: string;
  readonly createdAt: Date;
  readonly kind: LedgerTransactionKind;
  readonly availableChange: bigint;
  readonly reservedChange: bigint;
  readonly availableAfter: bigint;
  readonly purpose: string;
  readonly reservationId: string | null;
  readonly grantId: string | null;
  readonly clientGroupId: string | null;
  readonly debitId: string | null;
  readonly workId: string | null;
}

export interface CreditTransactionFilter {
  /** Any of these; none: all. */
  readonly kinds: readonly LedgerTransactionKind[];
  readonly createdAfter?: Date;
  readonly createdBefore?: Date;
}
