/** The rate of a country's tax from a moment on. */
export interface TaxRate {
  /** Null: from the beginning. */
  readonly from: Date | null;
  /** Hundredths of a percent. */
  readonly basisPoints: bigint;
}

/** The rates of a country, one after the other; the first has no beginning. */
export type TaxRates = readonly [TaxRate, ...TaxRate[]];

/** The rate at a moment. */
export const taxRateAt = (rates: TaxRates, at: Date): TaxRate =>
  rates.findLast(({ from }) => from === null || from <= at) ?? rates[0];
