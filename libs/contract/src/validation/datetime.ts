import { FloatNumber } from './input-value.ts';
import { Problem } from './problem.ts';

/** A point in time since 1970-01-01T00:00:00Z, to the microsecond. `micros` is 0 to 999,999. */
export interface Instant {
  readonly seconds: number;
  readonly micros: number;
}

const notADatetime = new Problem('datetime_type', 'Input should be a valid datetime');

/**
 * A point in time from an ISO 8601 date-time or date, or from a Unix number (see `unixTime`).
 * A time without a zone is UTC. Rules and texts are those of the speedate crate.
 */
export function readDatetime(value: unknown): Instant | Problem {
  if (typeof value === 'string') return datetimeFromText(value);
  if (typeof value === 'number') return Number.isInteger(value) ? fromInteger(value) : fromFloat(value);
  if (value instanceof FloatNumber) return fromFloat(value.value);
  if (typeof value === 'bigint') return value > 0n ? notDatetime(tooLate) : notDatetime(tooEarly);
  return notADatetime;
}

const tooEarly = 'dates before 0000 are not supported as unix timestamps';
const tooLate = 'dates after 9999 are not supported as unix timestamps';
const yearZero = 'year 0 is out of range';
const tooShort = 'input is too short';
const extraCharacters = 'unexpected extra characters at the end of the input';
const noSeparator = 'invalid date separator, expected `-`';
const notInYear = 'invalid character in year';
const notInMonth = 'invalid character in month';
const notInDay = 'invalid character in day';
const noMonth = 'month value is outside expected range of 1-12';
const noDay = 'day value is outside expected range';

function notDatetime(error: string): Problem {
  return new Problem('datetime_parsing', `Input should be a valid datetime, ${error}`, { error });
}

function notDatetimeOrDate(error: string): Problem {
  return new Problem('datetime_from_date_parsing', `Input should be a valid datetime or date, ${error}`, { error });
}

// --- texts ---

const dateTime =
  /^(\d{4})-(\d\d)-(\d\d)[Tt _]([01]\d|2[0-3]):([0-5]\d)(?::([0-5]\d)(?:[.,](\d+))?)?(?:([Zz])|([-+\u2212])([01]\d|2[0-3]):?([0-5]\d))?$/;

function datetimeFromText(text: string): Instant | Problem {
  const parts = dateTime.exec(text);
  const day = parts && dayNumber(Number(parts[1]), Number(parts[2]), Number(parts[3]));
  if (parts && day !== null && day !== undefined)
    return parts[1] === '0000' ? notDatetime(yearZero) : timeOfDay(day, parts);
  return unixText(text) ?? dateFromText(text);
}

function timeOfDay(day: number, parts: RegExpExecArray): Instant {
  const [, , , , hour, minute, second = '0', fraction = '', , sign, zoneHour, zoneMinute] = parts;
  const local = day * 86_400 + Number(hour) * 3_600 + Number(minute) * 60 + Number(second);
  const offset = sign === undefined ? 0 : (Number(zoneHour) * 60 + Number(zoneMinute)) * 60;
  return {
    seconds: local - (sign === '+' ? offset : -offset),
    // Digits beyond the sixth are cut off, not rounded.
    micros: Number(fraction.slice(0, 6).padEnd(6, '0')),
  };
}

/** Midnight UTC of a date, or the reason why the text is neither a date-time nor a date. */
function dateFromText(text: string): Instant | Problem {
  const bytes = Buffer.from(text, 'utf8');
  const reason = reasonAgainstDate(bytes);
  if (reason !== undefined) return notDatetimeOrDate(reason);
  const [year, month, date] = [text.slice(0, 4), text.slice(5, 7), text.slice(8, 10)].map(Number) as [
    number,
    number,
    number,
  ];
  if (year === 0) return notDatetime(yearZero);
  return { seconds: (dayNumber(year, month, date) ?? 0) * 86_400, micros: 0 };
}

function reasonAgainstDate(bytes: Buffer): string | undefined {
  if (bytes.length < 10) return tooShort;
  if (!digitsAt(bytes, 0, 4)) return notInYear;
  if (bytes[4] !== hyphen) return noSeparator;
  if (!digitsAt(bytes, 5, 7)) return notInMonth;
  if (bytes[7] !== hyphen) return noSeparator;
  if (!digitsAt(bytes, 8, 10)) return notInDay;
  const [year, month, day] = bytes.toString('latin1', 0, 10).split('-').map(Number) as [number, number, number];
  if (month < 1 || month > 12) return noMonth;
  if (dayNumber(year, month, day) === undefined) return noDay;
  return bytes.length > 10 ? extraCharacters : undefined;
}

const hyphen = 0x2d;

function digitsAt(bytes: Buffer, from: number, to: number): boolean {
  for (let at = from; at < to; at++) {
    const byte = bytes[at] ?? 0;
    if (byte < 0x30 || byte > 0x39) return false;
  }
  return true;
}

/** Days since 1970-01-01 in the Gregorian calendar; undefined when there is no such day. */
function dayNumber(year: number, month: number, day: number): number | undefined {
  const leap = year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0);
  const length = month === 2 ? (leap ? 29 : 28) : [4, 6, 9, 11].includes(month) ? 30 : 31;
  if (month < 1 || month > 12 || day < 1 || day > length) return undefined;
  // Counted from March, so that the leap day is a year's last: H. Hinnant, "days_from_civil".
  const marchYear = month <= 2 ? year - 1 : year;
  const era = Math.floor(marchYear / 400);
  const yearOfEra = marchYear - era * 400;
  const dayOfYear = Math.floor((153 * (month + (month > 2 ? -3 : 9)) + 2) / 5) + day - 1;
  const dayOfEra = yearOfEra * 365 + Math.floor(yearOfEra / 4) - Math.floor(yearOfEra / 100) + dayOfYear;
  return era * 146_097 + dayOfEra - 719_468;
}

// --- Unix numbers ---

/** Numbers farther from zero than this are milliseconds, the others seconds. */
const millisecondsFrom = 20_000_000_000;
const firstSecond = -62_167_219_200;
const lastSecond = 253_402_300_799;
/** 0001-01-01T00:00:00Z; year 0 is in range for numbers, but no calendar of Python's has it. */
const yearOne = -62_135_596_800;

/** Seconds or milliseconds, whichever the size suggests, plus microseconds. */
function unixTime(time: number, extraMicros: number): Instant | string {
  const inMilliseconds = Math.abs(time) > millisecondsFrom;
  const wholeSeconds = inMilliseconds ? Math.floor(time / 1000) : time;
  if (wholeSeconds < firstSecond) return tooEarly;
  if (wholeSeconds > lastSecond) return tooLate;
  const micros = (inMilliseconds ? (time - wholeSeconds * 1000) * 1000 : 0) + extraMicros;
  const seconds = wholeSeconds + Math.floor(micros / 1_000_000);
  return { seconds, micros: micros % 1_000_000 };
}

function fromInteger(time: number): Instant | Problem {
  return inCalendar(unixTime(time, 0), notDatetime);
}

/** Below zero the fraction counts away from zero while whole seconds round down: a quirk clients may have met. */
function fromFloat(time: number): Instant | Problem {
  const fraction = Math.abs(time % 1) * 1_000_000;
  const micros = Math.abs(time) > millisecondsFrom ? fraction / 1000 : fraction;
  return inCalendar(unixTime(Math.floor(time), roundHalfAway(micros)), notDatetime);
}

function roundHalfAway(value: number): number {
  return Math.floor(value + 0.5);
}

const wholeNumber = /^[-+]?\d+$/;
const decimalNumber = /^[-+]?(?:\d+\.\d*|\.\d+)(?:[eE][-+]?\d+)?$/;

/** The time a text of digits stands for; undefined when the text is no number. */
function unixText(text: string): Instant | Problem | undefined {
  if (wholeNumber.test(text)) {
    const time = wrappedInteger(text);
    return time === undefined ? undefined : inCalendar(unixTime(time, 0), notDatetimeOrDate);
  }
  if (!decimalNumber.test(text)) return undefined;
  const time = Number(text);
  const seconds = Math.abs(time) > millisecondsFrom ? time / 1000 : time;
  const whole = Math.floor(seconds);
  const found = unixTime(whole, roundHalfAway((seconds - whole) * 1_000_000));
  return typeof found === 'string' ? undefined : inCalendar(found, notDatetime);
}

/**
 * A whole number of 64 bits. speedate only notices an overflow that turns the number negative,
 * so a few longer texts are numbers too; undefined for the others.
 */
function wrappedInteger(text: string): number | undefined {
  const digits = text.replace(/^[-+]?0*/, '');
  const sign = text.startsWith('-') ? -1 : 1;
  if (digits.length < 19) return sign * Number(digits);
  let value = 0n;
  for (const digit of digits) {
    value = BigInt.asIntN(64, value * 10n + BigInt(digit));
    if (value < 0n) return undefined;
  }
  return sign * Number(value);
}

function inCalendar(found: Instant | string, refuse: (error: string) => Problem): Instant | Problem {
  if (typeof found === 'string') return refuse(found);
  return found.seconds < yearOne ? notDatetime(yearZero) : found;
}
