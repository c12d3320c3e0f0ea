import type { InvoiceLine } from '../domain/invoice.ts';

/** A line of a bill or an invoice in JSON, where bigints are text. */
export interface LineJson {
  description: string;
  quantity: number;
  amount_minor: string;
}

export const linesOfJson = (lines: readonly LineJson[]): readonly InvoiceLine[] =>
  lines.map(({ amount_minor: amount, ...line }) => ({ ...line, amountMinor: BigInt(amount) }));

export const jsonOfLines = (lines: readonly InvoiceLine[]): LineJson[] =>
  lines.map(({ amountMinor, ...line }) => ({ ...line, amount_minor: amountMinor.toString() }));
