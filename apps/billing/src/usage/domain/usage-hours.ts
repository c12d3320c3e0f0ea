import { invalidField } from '@platform-backend/core';
import { daysAfter } from '../../credits/domain/days-after.ts';
import { hoursBeginningWithin, hoursIn, type HourRange } from './days.ts';

/** Usage by hour is of so many days back. */
export const hoursKeptDays = 90;

/** How many hours are shown of one question: 31 days. */
const maxHours = 31 * 24;

/** INVALID: these are more hours than are shown at once. */
export function requireFewHours(hours: HourRange): void {
  const asked = hoursIn(hours);
  if (asked <= maxHours) return;
  const error = `these are ${asked} hours: ask for ${maxHours} at the most`;
  throw invalidField(['query', 'created_after'], error, undefined, { error });
}

/** Without those that are not kept any more, or in part only. */
export const shownHours = ({ from, to }: HourRange, now: Date): HourRange => {
  const { from: earliest } = hoursBeginningWithin(daysAfter(now, -hoursKeptDays), to);
  return { from: from < earliest ? earliest : from, to };
};
