/** In minor units, with tax: what was refunded of an invoice or is on its way, and what a bank has taken back. */
export interface GivenBack {
  readonly refundedMinor: bigint;
  readonly disputedMinor: bigint;
}

/** What was given back of invoices, by their id. */
export type GivenBackOf = (organisationId: string, ids: readonly string[]) => Promise<ReadonlyMap<string, GivenBack>>;
