import { fieldViolation, invalid, type Violation } from '@platform-backend/core';
import { daysAfter } from '../../credits/domain/days-after.ts';
import { hoursBeginningWithin, hoursIn, type HourRange } from '../../usage/domain/days.ts';
import type { GroupValues } from './measure.ts';
import { SUBJECT, type Meter } from './meter.ts';

export type MeterWindow = 'HOUR' | 'DAY' | 'MONTH';

/** What is asked of a meter, as it was put. */
export interface MeterQuestion {
  readonly from: Date | null;
  readonly to: Date | null;
  /** Null: all of the time together. */
  readonly window: MeterWindow | null;
  readonly groupBy: readonly string[];
  /** `region=eu` */
  readonly filters: readonly string[];
}

/** A question that can be answered. */
export interface MeterQuery extends HourRange {
  readonly window: MeterWindow | null;
  readonly groupBy: readonly string[];
  /** By name, the values of which any will do. */
  readonly filters: Readonly<Record<string, readonly string[]>>;
}

export interface MeterRow {
  readonly windowStart: Date;
  /** The first moment that does not belong to it any more. */
  readonly windowEnd: Date;
  /** A decimal number. */
  readonly value: string;
  /** Without those that events have no value for. */
  readonly groups: GroupValues;
}

/** For so long what was counted is kept. */
export const countsKeptDays = 400;

const defaultDays = 30;
const maxDaysByHour = 31;

/** INVALID: too long a time, or a group that the meter does not have. */
export function meterQuery(meter: Meter, question: MeterQuestion, now: Date): MeterQuery {
  const to = question.to ?? now;
  const hours = hoursBeginningWithin(question.from ?? daysAfter(to, -defaultDays), to);
  const violations: Violation[] = [];
  const refuse = (field: string, input: unknown, error: string): void => {
    violations.push(fieldViolation(['query', field], error, input, { error }));
  };
  const maxDays = question.window === 'HOUR' ? maxDaysByHour : countsKeptDays;
  if (hoursIn(hours) > maxDays * 24) refuse('from', hours.from.toISOString(), `ask for ${maxDays} days at the most`);
  const known = [SUBJECT, ...Object.keys(meter.groupBy)];
  const check = (field: string, input: string, name: string): void => {
    if (!known.includes(name)) refuse(field, input, `the groups of this meter are ${known.join(', ')}`);
  };
  for (const name of question.groupBy) check('group_by', name, name);
  const filters = new Map<string, string[]>();
  for (const filter of question.filters) {
    const [name, value] = [filter.slice(0, filter.indexOf('=')), filter.slice(filter.indexOf('=') + 1)];
    check('filter', filter, name);
    filters.set(name, [...(filters.get(name) ?? []), value]);
  }
  if (violations.length > 0) throw invalid(violations);
  const earliest = daysAfter(now, -countsKeptDays);
  return {
    from: hours.from < earliest ? earliest : hours.from,
    to: hours.to,
    window: question.window,
    groupBy: [...new Set(question.groupBy)],
    filters: Object.fromEntries(filters),
  };
}

/** Where a UTC window ends that begins then. */
export function windowEnd(window: MeterWindow, start: Date): Date {
  if (window === 'MONTH') return new Date(Date.UTC(start.getUTCFullYear(), start.getUTCMonth() + 1));
  return new Date(start.getTime() + (window === 'DAY' ? 86_400_000 : 3_600_000));
}
