import { fieldViolation, invalid, type Violation } from '@platform-backend/core';
import { SUBJECT, type Meter } from './meter.ts';
import { valueAt } from './property-path.ts';

/** An event as it was reported. */
export interface UsageEvent {
  readonly source: string;
  readonly id: string;
  readonly type: string;
  readonly subject: string | null;
  readonly time: Date;
  readonly data: Readonly<Record<string, unknown>>;
}

export type GroupValues = Readonly<Record<string, string>>;

/** What one event adds to one meter. */
export interface Measurement {
  readonly event: UsageEvent;
  readonly meterId: string;
  readonly groups: GroupValues;
  /** A decimal number; null: it is only counted. */
  readonly number: string | null;
  /** Of a UNIQUE_COUNT; null for the others. */
  readonly distinct: string | null;
  /** Tells apart which of two is the latest; null where that is not asked for. */
  readonly order: string | null;
}

/** How late an event may come, in milliseconds. */
export const latestArrivalMs = 30 * 86_400_000;

/** By how much the clock of who reports may be ahead of ours, in milliseconds. */
const aheadMs = 3_600_000;

const maxGroupLength = 256;

/** So much that sums of them stay exact. */
const decimal = /^-?\d{1,18}(\.\d{1,9})?$/;

/**
 * What events add to the meters that count. INVALID, for all of them together: each event that is too late or too early, or has no value that
 * one of its meters counts, by its place.
 */
export function measure(events: readonly UsageEvent[], meters: readonly Meter[], now: Date): readonly Measurement[] {
  const violations: Violation[] = [];
  const measured = events.flatMap((event, index) => {
    const refuse = (loc: readonly string[], input: unknown, error: string): void => {
      violations.push(fieldViolation(['body', index, ...loc], error, input, { error }));
    };
    if (event.time.getTime() < now.getTime() - latestArrivalMs || event.time.getTime() > now.getTime() + aheadMs)
      refuse(['time'], event.time.toISOString(), 'an event may be 30 days late, and an hour ahead');
    return meters
      .filter(({ eventType }) => eventType === event.type)
      .map((meter) => measurementOf(event, meter, refuse));
  });
  if (violations.length > 0) throw invalid(withAllNamed(violations));
  return measured;
}

/** What is wrong with so many is told each by itself; an error has no room for many more. */
const shownEach = 10;

/** Of many, the first one names all events by their places: `0-4,7`. */
function withAllNamed(violations: readonly Violation[]): readonly Violation[] {
  if (violations.length <= shownEach) return violations;
  const wrong = [...new Set(violations.map(({ loc }) => Number(loc[1])))];
  const ranges: [number, number][] = [];
  for (const index of wrong) {
    const last = ranges.at(-1);
    if (last && last[1] === index - 1) last[1] = index;
    else ranges.push([index, index]);
  }
  const events = ranges.map(([from, to]) => (from === to ? String(from) : `${from}-${to}`)).join(',');
  const error = `${wrong.length} events of the list cannot be counted; the first of them follow`;
  return [fieldViolation(['body'], error, null, { error, events }), ...violations];
}

type Refuse = (loc: readonly string[], input: unknown, error: string) => void;

function measurementOf(event: UsageEvent, meter: Meter, refuse: Refuse): Measurement {
  const { aggregation, valueProperty } = meter;
  const given = valueProperty === null ? undefined : valueAt(event.data, valueProperty);
  const locOf = (path: string) => ['data', ...path.split('.').slice(1)];
  let number: string | null = null;
  let distinct: string | null = null;
  if (aggregation === 'UNIQUE_COUNT') {
    distinct = textOf(given);
    if (distinct === null)
      refuse(
        locOf(valueProperty ?? ''),
        given ?? null,
        `the meter ${meter.slug} counts a text, a number or a boolean here`,
      );
  } else if (valueProperty !== null) {
    number = decimalOf(given);
    if (number === null)
      refuse(
        locOf(valueProperty),
        given ?? null,
        `the meter ${meter.slug} counts a number here, of at most 18 digits before and 9 behind the point`,
      );
  }
  const groups = new Map<string, string>(event.subject === null ? [] : [[SUBJECT, event.subject]]);
  for (const [name, path] of Object.entries(meter.groupBy)) {
    const value = textOf(valueAt(event.data, path));
    if (value === null) continue;
    if (value.length > maxGroupLength)
      refuse(locOf(path), value.slice(0, 20), `a group has ${maxGroupLength} letters at most`);
    groups.set(name, value);
  }
  const order = aggregation === 'LATEST' ? `${event.source}\n${event.id}` : null;
  return { event, meterId: meter.id, groups: Object.fromEntries(groups), number, distinct, order };
}

/** Null: it is neither a text, a number nor a boolean. */
function textOf(value: unknown): string | null {
  if (typeof value === 'string') return value;
  return typeof value === 'number' || typeof value === 'boolean' ? String(value) : null;
}

/** A number, or a text that is one, in decimal digits; null: it is none, or more exact than numbers are here. */
export function decimalOf(value: unknown): string | null {
  if (typeof value === 'string') return decimal.test(value) ? value : null;
  if (typeof value !== 'number' || !Number.isFinite(value)) return null;
  const text = String(value);
  // Small ones have an exponent.
  const written = text.includes('e-') ? value.toFixed(9) : text;
  return decimal.test(written) && Number(written) === value ? written : null;
}
