import type { LedgerTransactionKind } from '../../credits/domain/ledger.ts';
import type { UsageFilter } from '../../usage/domain/usage.ts';
import type { ExportedColumns, ExportedRow } from './exported.ts';

/** `from` is the first moment, `to` the first one after it; null: without an end there. */
export interface Period {
  readonly from: Date | null;
  readonly to: Date | null;
}

export interface CreditTransactionsToExport extends Period, UsageFilter {
  /** Any of these; none: all. */
  readonly kinds: readonly LedgerTransactionKind[];
}

/** Rows that are read once, as they all were at one moment, in an order that is always the same. */
export interface Exported {
  readonly columns: ExportedColumns;
  /** RATE_LIMITED: too many of the organisation are being read. UNAVAILABLE: too many of all organisations are. */
  readonly batches: AsyncIterable<readonly ExportedRow[]>;
}

/** What can be exported of an organisation. */
export interface ExportedRows {
  creditTransactions(organisationId: string, asked: CreditTransactionsToExport): Exported;
  /** Days from the first to the last, both within. */
  usage(organisationId: string, asked: UsageFilter & { readonly firstDay: string; readonly lastDay: string }): Exported;
  invoices(organisationId: string, period: Period): Exported;
  creditNotes(organisationId: string, period: Period): Exported;
  payments(organisationId: string, period: Period): Exported;
}
