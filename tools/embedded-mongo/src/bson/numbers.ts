import { Decimal128, Int32 } from 'bson';
import { badValue } from '../errors.ts';
import type { Numeric } from './values.ts';

/** `coefficient` times ten to the power of `exponent`. */
export interface Exact {
  readonly coefficient: bigint;
  readonly exponent: number;
}

const DECIMAL_TEXT = /^(-?)(\d+)(?:\.(\d+))?(?:E([+-]?\d+))?$/;

/** A number stands for NaN and the infinities. */
export function exactOf(decimal: Decimal128): Exact | number {
  const text = decimal.toString();
  const match = DECIMAL_TEXT.exec(text);
  if (!match) return Number(text);
  const [, sign = '', whole = '', fraction = '', exponent = '0'] = match;
  const coefficient = BigInt(whole + fraction);
  return { coefficient: sign ? -coefficient : coefficient, exponent: Number(exponent) - fraction.length };
}

/** Where an exact number lies to a double: below (-1), at (0) or above (1). */
export function compareToDouble({ coefficient, exponent }: Exact, double: number): number {
  if (!Number.isFinite(double)) return double > 0 ? -1 : 1;
  const [mantissa, power] = partsOfDouble(double);
  let left = coefficient;
  let right = mantissa;
  if (exponent >= 0) left *= 10n ** BigInt(exponent);
  else right *= 10n ** BigInt(-exponent);
  if (power >= 0) right <<= BigInt(power);
  else left <<= BigInt(-power);
  return left < right ? -1 : left > right ? 1 : 0;
}

const scratch = new DataView(new ArrayBuffer(8));

function partsOfDouble(double: number): [mantissa: bigint, power: number] {
  scratch.setFloat64(0, double);
  const bits = scratch.getBigUint64(0);
  const raised = Number((bits >> 52n) & 0x7ffn);
  const fraction = bits & 0xfffffffffffffn;
  const mantissa = raised === 0 ? fraction : fraction | (1n << 52n);
  return [bits >> 63n ? -mantissa : mantissa, Math.max(raised, 1) - 1075];
}

/** The double next below. */
export function doubleBelow(double: number): number {
  if (double === 0) return -Number.MIN_VALUE;
  if (double === -Infinity) return double;
  scratch.setFloat64(0, double);
  scratch.setBigUint64(0, scratch.getBigUint64(0) + (double > 0 ? -1n : 1n));
  return scratch.getFloat64(0);
}

export const toNumber = (value: Numeric): number => {
  if (typeof value === 'number') return value;
  if (value instanceof Int32) return value.value;
  return typeof value === 'bigint' ? Number(value) : Number(value.toString());
};

const DIGITS = 34;

/** Rounded to 34 digits, half to even. */
export function toDecimal(value: Exact | number): Decimal128 {
  if (typeof value === 'number')
    return Decimal128.fromString(Number.isNaN(value) ? 'NaN' : value > 0 ? 'Infinity' : '-Infinity');
  const { coefficient, exponent } = roundedTo(value, DIGITS);
  try {
    return Decimal128.fromString(`${coefficient}E${exponent}`);
  } catch {
    return Decimal128.fromString(exponent < 0 ? '0' : coefficient < 0n ? '-Infinity' : 'Infinity');
  }
}

function roundedTo(value: Exact, digits: number): Exact {
  const negative = value.coefficient < 0n;
  const size = negative ? -value.coefficient : value.coefficient;
  const surplus = size.toString().length - digits;
  if (surplus <= 0) return value;
  const unit = 10n ** BigInt(surplus);
  const rest = size % unit;
  let kept = size / unit;
  if (rest * 2n > unit || (rest * 2n === unit && kept % 2n === 1n)) kept += 1n;
  return roundedTo({ coefficient: negative ? -kept : kept, exponent: value.exponent + surplus }, digits);
}

/** Doubles count with 15 digits where decimals are mixed with them, as in MongoDB. */
function operandOf(value: Numeric): Exact | number {
  if (value instanceof Decimal128) return exactOf(value);
  if (value instanceof Int32) return { coefficient: BigInt(value.value), exponent: 0 };
  if (typeof value === 'bigint') return { coefficient: value, exponent: 0 };
  if (!Number.isFinite(value)) return value;
  return exactOf(Decimal128.fromString(value.toPrecision(15).toUpperCase()));
}

type Operation = 'add' | 'subtract' | 'multiply';

const MIN_INT64 = -(2n ** 63n);
const MAX_INT64 = 2n ** 63n - 1n;

/** What is neither a double nor a decimal and outgrows 64 bits is a double, or refused where `exact` is asked for. */
export function calculate(operation: Operation, left: Numeric, right: Numeric, exact = false): Numeric {
  if (left instanceof Decimal128 || right instanceof Decimal128) return decimally(operation, left, right);
  if (typeof left === 'number' || typeof right === 'number')
    return inDoubles(operation, toNumber(left), toNumber(right));
  const result = inIntegers(operation, integerOf(left), integerOf(right));
  if (left instanceof Int32 && right instanceof Int32 && BigInt.asIntN(32, result) === result)
    return new Int32(Number(result));
  if (result >= MIN_INT64 && result <= MAX_INT64) return result;
  if (exact) throw badValue(`Failed to apply an operation to current value (${left.toString()}): it outgrows 64 bits`);
  return Number(result);
}

const integerOf = (value: bigint | Int32): bigint => (typeof value === 'bigint' ? value : BigInt(value.value));

function inDoubles(operation: Operation, left: number, right: number): number {
  if (operation === 'multiply') return left * right;
  return operation === 'add' ? left + right : left - right;
}

function inIntegers(operation: Operation, left: bigint, right: bigint): bigint {
  if (operation === 'multiply') return left * right;
  return operation === 'add' ? left + right : left - right;
}

function decimally(operation: Operation, left: Numeric, right: Numeric): Decimal128 {
  const one = operandOf(left);
  const other = operandOf(right);
  if (typeof one === 'number' || typeof other === 'number')
    return toDecimal(inDoubles(operation, approximately(one), approximately(other)));
  if (operation === 'multiply')
    return toDecimal({
      coefficient: one.coefficient * other.coefficient,
      exponent: one.exponent + other.exponent,
    });
  const exponent = Math.min(one.exponent, other.exponent);
  const coefficient = inIntegers(operation, scaled(one, exponent), scaled(other, exponent));
  return toDecimal({ coefficient, exponent });
}

const scaled = (value: Exact, exponent: number): bigint => value.coefficient * 10n ** BigInt(value.exponent - exponent);

const approximately = (value: Exact | number): number =>
  typeof value === 'number' ? value : Number(`${value.coefficient}E${value.exponent}`);

export function divide(left: Numeric, right: Numeric): Numeric {
  if (toNumber(right) === 0) throw badValue("can't $divide by zero");
  if (!(left instanceof Decimal128) && !(right instanceof Decimal128)) return toNumber(left) / toNumber(right);
  const one = operandOf(left);
  const other = operandOf(right);
  if (typeof one === 'number' || typeof other === 'number') return toDecimal(approximately(one) / approximately(other));
  // Two digits more than are kept, and one that says whether there were others.
  const digits = DIGITS + 2 + other.coefficient.toString().length;
  const divided = one.coefficient * 10n ** BigInt(digits);
  const whole = divided / other.coefficient;
  if (divided % other.coefficient === 0n)
    return toDecimal(withoutZeros({ coefficient: whole, exponent: one.exponent - other.exponent - digits }));
  const sticky = whole * 10n + (whole < 0n ? -1n : 1n);
  return toDecimal({ coefficient: sticky, exponent: one.exponent - other.exponent - digits - 1 });
}

export function withoutZeros({ coefficient, exponent }: Exact): Exact {
  if (coefficient === 0n) return { coefficient, exponent: 0 };
  let digits = coefficient;
  let power = exponent;
  while (digits % 10n === 0n) {
    digits /= 10n;
    power += 1;
  }
  return { coefficient: digits, exponent: power };
}

/** Without what stands behind the point; undefined for what is no number or too large. */
export function truncate(value: Numeric): bigint | undefined {
  if (value instanceof Decimal128) {
    const exact = exactOf(value);
    if (typeof exact === 'number') return undefined;
    const { coefficient, exponent } = exact;
    return exponent >= 0 ? coefficient * 10n ** BigInt(exponent) : coefficient / 10n ** BigInt(-exponent);
  }
  if (typeof value === 'number') return Number.isFinite(value) ? BigInt(Math.trunc(value)) : undefined;
  return integerOf(value);
}

/** Undefined where the number is not a whole one of 64 bits. */
export function toInteger(value: Numeric): bigint | undefined {
  if (typeof value === 'bigint') return value;
  if (value instanceof Int32) return BigInt(value.value);
  const number = toNumber(value);
  if (!Number.isInteger(number) || Math.abs(number) >= 2 ** 63) return undefined;
  if (typeof value === 'number') return BigInt(value);
  const exact = exactOf(value);
  if (typeof exact === 'number') return undefined;
  const { coefficient, exponent } = withoutZeros(exact);
  return exponent >= 0 ? coefficient * 10n ** BigInt(exponent) : undefined;
}

/** Sums numbers so that what is large does not swallow what is small, as MongoDB does. */
export class Sum {
  #integers = 0n;
  #isLong = false;
  #double = 0;
  #lost = 0;
  #hasDouble = false;
  #decimal: Decimal128 | undefined;

  add(value: Numeric): void {
    if (value instanceof Decimal128) {
      this.#decimal = this.#decimal ? (calculate('add', this.#decimal, value) as Decimal128) : value;
    } else if (typeof value === 'number') {
      this.#hasDouble = true;
      const sum = this.#double + value;
      if (Number.isFinite(sum))
        this.#lost +=
          Math.abs(this.#double) >= Math.abs(value) ? this.#double - sum + value : value - sum + this.#double;
      this.#double = sum;
    } else {
      this.#isLong ||= typeof value === 'bigint';
      this.#integers += integerOf(value);
    }
  }

  total(): Numeric {
    if (this.#decimal) return this.#decimally(this.#decimal);
    if (this.#hasDouble) return this.#double + (this.#lost + Number(this.#integers));
    if (BigInt.asIntN(64, this.#integers) !== this.#integers) return Number(this.#integers);
    const isShort = !this.#isLong && BigInt.asIntN(32, this.#integers) === this.#integers;
    return isShort ? new Int32(Number(this.#integers)) : this.#integers;
  }

  /** Here doubles count with all of their digits. */
  #decimally(decimal: Decimal128): Decimal128 {
    const parts = [
      exactOf(decimal),
      { coefficient: this.#integers, exponent: 0 },
      exactDouble(this.#double),
      exactDouble(this.#lost),
    ];
    const exact = parts.filter((part) => typeof part !== 'number');
    if (exact.length < parts.length)
      return toDecimal(parts.reduce<number>((sum, part) => sum + approximately(part), 0));
    const exponent = Math.min(...exact.map((part) => part.exponent));
    return toDecimal({ coefficient: exact.reduce((sum, part) => sum + scaled(part, exponent), 0n), exponent });
  }
}

function exactDouble(double: number): Exact | number {
  if (!Number.isFinite(double)) return double;
  const [mantissa, power] = partsOfDouble(double);
  if (mantissa === 0n) return { coefficient: 0n, exponent: 0 };
  if (power >= 0) return { coefficient: mantissa << BigInt(power), exponent: 0 };
  return withoutZeros({ coefficient: mantissa * 5n ** BigInt(-power), exponent: power });
}
