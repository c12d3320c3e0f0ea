import { FloatNumber, rawJson } from './input-value.ts';
import { Problem } from './problem.ts';

export const notAnInteger = new Problem('int_type', 'Input should be a valid integer');
const notParsable = new Problem('int_parsing', 'Input should be a valid integer, unable to parse string as an integer');
const tooBig = new Problem('int_parsing_size', 'Unable to parse input string as an integer, exceeded maximum size');
const fractional = new Problem(
  'int_from_float',
  'Input should be a valid integer, got a number with a fractional part',
);

/** Digits, sign and all, that pydantic agrees to look at. */
const maxIntegerText = 4300;

/** An integer from a number, a boolean or text; a bigint beyond 2^53. */
export function readInteger(value: unknown): number | bigint | Problem {
  if (typeof value === 'number') return Number.isSafeInteger(value) ? value + 0 : integerFromFloat(value);
  if (typeof value === 'string') return integerFromText(value);
  if (typeof value === 'bigint') return value;
  if (value instanceof FloatNumber) return integerFromFloat(value.value);
  if (typeof value === 'boolean') return value ? 1 : 0;
  return notAnInteger;
}

function integerFromFloat(value: number): number | bigint | Problem {
  if (!Number.isFinite(value)) return tooBig;
  if (!Number.isInteger(value)) return fractional;
  // The smallest 64-bit integer itself is refused too, like everything that a double rounds up to 2^63.
  if (Math.abs(value) >= 2 ** 63) return tooBig;
  return narrow(BigInt(value));
}

/** An integer from text: spaces around, a sign, underscores between digits, zeros before and `.000` after are fine. */
export function integerFromText(text: string): number | bigint | Problem {
  // What clients really send: a few digits.
  if (/^[1-9]\d{0,14}$/.test(text)) return Number(text);
  // Too many digits are told as such only where nothing has to be cleaned away before them.
  if (tooManyDigits.test(text)) return tooBig;
  const [, sign = '', digits = ''] = /^([+-]?)(.*)$/su.exec(trimmed(text)) ?? [];
  const cleaned = withoutUnderscores(withoutLeadingZeros(digits, sign).replace(/\.0+$/, ''));
  const plain = sign === '-' ? `-${cleaned}` : cleaned;
  if (!/^-?(?:0|[1-9]\d*)$/.test(plain) || plain.length > maxIntegerText) return notParsable;
  return narrow(BigInt(plain));
}

const tooManyDigits = new RegExp(`^(?:[1-9]\\d{${maxIntegerText}}|-[1-9]\\d{${maxIntegerText - 1}})`);

/** Unicode White_Space goes, which is a little less than Python's idea of it. Linear, unlike a `+$` expression. */
function trimmed(text: string): string {
  let from = 0;
  let to = text.length;
  while (from < to && whiteSpace.test(text.charAt(from))) from++;
  while (to > from && whiteSpace.test(text.charAt(to - 1))) to--;
  return text.slice(from, to);
}

const whiteSpace = /^\p{White_Space}$/u;

/** Among leading zeros underscores may stand as they like, and even a sign behind them counts: `0__1` is 1, `0-3` is -3. */
function withoutLeadingZeros(digits: string, sign: string): string {
  if (!digits.startsWith('0')) return sign !== '' && digits.startsWith('-') ? '' : digits;
  const first = digits.search(/[^0_]/);
  if (first === -1) return digits.slice(-1);
  return digits[first] === '.' ? digits.slice(first - 1) : digits.slice(first);
}

/** Single underscores go, as in `1_000`; anything else with one is left to be refused. */
function withoutUnderscores(digits: string): string {
  return /^_|__|_$/.test(digits) ? '' : digits.replaceAll('_', '');
}

function narrow(value: bigint): number | bigint {
  const number = Number(value);
  return Number.isSafeInteger(number) ? number : value;
}

/** The check that an integer lies between two bounds, both included. */
export function integerRange(
  minimum: number | bigint,
  maximum: number | bigint,
): (value: number | bigint) => Problem | undefined {
  const below = new Problem('greater_than_equal', `Input should be greater than or equal to ${minimum}`, {
    ge: shownBound(minimum),
  });
  const above = new Problem('less_than_equal', `Input should be less than or equal to ${maximum}`, {
    le: shownBound(maximum),
  });
  return (value) => (value < minimum ? below : value > maximum ? above : undefined);
}

/** A double would round the bounds of 64 bits. */
function shownBound(bound: number | bigint): unknown {
  return typeof bound === 'number' ? bound : rawJson(String(bound));
}
