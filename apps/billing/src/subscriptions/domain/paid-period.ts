export type RenewalCycle = 'MONTHLY' | 'YEARLY';

/** Time that is paid for: one cycle, or several that were paid in advance. */
export interface PaidPeriod {
  readonly start: Date;
  readonly end: Date;
  readonly cycles: number;
  /** Day of the month on which cycles end, so that one begun on the 31st ends on 28 February and then on 31 March. */
  readonly anchorDay: number;
}

/** One cycle from this moment on. */
export const firstPeriod = (start: Date, cycle: RenewalCycle): PaidPeriod =>
  periodAfter({ end: start, anchorDay: start.getUTCDate() }, cycle);

/** The cycle that follows a period without a gap. */
export const periodAfter = (
  { end: start, anchorDay }: Pick<PaidPeriod, 'end' | 'anchorDay'>,
  cycle: RenewalCycle,
): PaidPeriod => ({ start, end: endOfCycle(start, cycle, anchorDay), cycles: 1, anchorDay });

/** The first cycle after a period that is not over at that moment. It follows without a gap unless whole cycles were missed. */
export function nextPeriodAt(period: PaidPeriod, cycle: RenewalCycle, at: Date): PaidPeriod {
  let next = periodAfter(period, cycle);
  while (next.end <= at) next = periodAfter(next, cycle);
  return next;
}

/** The same period with one more cycle at its end. */
export const extendedBy = (period: PaidPeriod, cycle: RenewalCycle): PaidPeriod => ({
  ...period,
  end: endOfCycle(period.end, cycle, period.anchorDay),
  cycles: period.cycles + 1,
});

/**
 * What is left at `at` of what was paid for the cycles of the period, each at the price of its place (from 0), in minor
 * units. Whole cycles to come count in full, the running one by the millisecond, rounded down to what can be paid.
 */
export function valueLeft(
  priceOfCycle: (index: number) => bigint,
  period: PaidPeriod,
  cycle: RenewalCycle,
  at: Date,
  step = 1n,
): bigint {
  const value = cyclesOf(period, cycle).reduce(
    (sum, { start, end }, index) => sum + shareLeft(priceOfCycle(index), start, end, at),
    0n,
  );
  return value - (value % step);
}

/** The cycles of a period, one after the other. */
export function cyclesOf(period: PaidPeriod, cycle: RenewalCycle): readonly Pick<PaidPeriod, 'start' | 'end'>[] {
  const cycles: Pick<PaidPeriod, 'start' | 'end'>[] = [];
  for (let { start } = period; cycles.length < period.cycles; start = cycles.at(-1)?.end ?? start) {
    cycles.push({ start, end: endOfCycle(start, cycle, period.anchorDay) });
  }
  return cycles;
}

/** What is left at `at` of something that is for the time from `start` to `end`, by the millisecond, rounded down. */
export function shareLeft(price: bigint, start: Date, end: Date, at: Date): bigint {
  if (at <= start) return price;
  if (at >= end) return 0n;
  return (price * BigInt(end.getTime() - at.getTime())) / BigInt(end.getTime() - start.getTime());
}

/** The same time of day one month or year later, in UTC, on the anchor day or on the last day of a shorter month. */
function endOfCycle(start: Date, cycle: RenewalCycle, anchorDay: number): Date {
  const month = start.getUTCMonth() + (cycle === 'YEARLY' ? 12 : 1);
  const lastDay = new Date(Date.UTC(start.getUTCFullYear(), month + 1, 0)).getUTCDate();
  const end = new Date(start);
  end.setUTCFullYear(start.getUTCFullYear(), month, Math.min(anchorDay, lastDay));
  return end;
}
