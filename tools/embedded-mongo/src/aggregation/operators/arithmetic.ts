import { Decimal128, Int32 } from 'bson';
import { calculate, divide, Sum, toInteger, toNumber } from '../../bson/numbers.ts';
import { compare } from '../../bson/order.ts';
import { isNumeric, typeOf, type Numeric, type Value } from '../../bson/values.ts';
import { badValue, typeMismatch } from '../../errors.ts';
import { isNothing, strict, type Operator } from '../expression.ts';

function numeric(value: Value | undefined, name: string): Numeric {
  if (value !== undefined && isNumeric(value)) return value;
  throw typeMismatch(`${name} only supports numeric types, not ${value === undefined ? 'missing' : typeOf(value)}`);
}

/** Null where an argument is null or missing. */
const onNumbers = (count: number, evaluate: (...numbers: Numeric[]) => Numeric): Operator =>
  strict([count, count], (values, name) =>
    values.some(isNothing) ? null : evaluate(...values.map((value) => numeric(value, name))),
  );

const add: Operator = strict([1, Infinity], (values, name) => {
  if (values.some(isNothing)) return null;
  const dates = values.filter((value) => value instanceof Date);
  if (dates.length > 1) throw badValue('only one date allowed in an $add expression');
  const numbers = values.filter((value) => !(value instanceof Date)).map((value) => numeric(value, name));
  const sum = numbers.reduce<Numeric>((total, number) => calculate('add', total, number), new Int32(0));
  return dates[0] ? new Date(dates[0].getTime() + Math.round(toNumber(sum))) : sum;
});

const subtract: Operator = strict([2, 2], ([left, right], name) => {
  if (isNothing(left) || isNothing(right)) return null;
  if (!(left instanceof Date)) return calculate('subtract', numeric(left, name), numeric(right, name));
  if (right instanceof Date) return BigInt(left.getTime() - right.getTime());
  return new Date(left.getTime() - Math.round(toNumber(numeric(right, name))));
});

function remainder(left: Numeric, right: Numeric): Numeric {
  if (toNumber(right) === 0) throw badValue("can't $mod by zero");
  const [one, other] = [toInteger(left), toInteger(right)];
  if (one === undefined || other === undefined || left instanceof Decimal128) return toNumber(left) % toNumber(right);
  if (typeof left === 'number' || typeof right === 'number') return toNumber(left) % toNumber(right);
  const result = one % other;
  return left instanceof Int32 && right instanceof Int32 ? new Int32(Number(result)) : result;
}

function sum(values: readonly (Value | undefined)[]): Numeric {
  const total = new Sum();
  for (const value of values) if (isNumeric(value)) total.add(value);
  return total.total();
}

/** One argument that is an array stands for its elements. */
const listed = (values: readonly (Value | undefined)[]): readonly (Value | undefined)[] =>
  values.length === 1 && Array.isArray(values[0]) ? values[0] : values;

const extreme = (sign: 1 | -1): Operator =>
  strict([1, Infinity], (values) => {
    const present = listed(values).filter((value) => !isNothing(value));
    return present.reduce<Value>(
      (best, value) => (best === null || compare(value, best) * sign > 0 ? value : best),
      null,
    );
  });

export const arithmetic = {
  $add: add,
  $subtract: subtract,
  $multiply: strict([1, Infinity], (values, name) =>
    values.some(isNothing)
      ? null
      : values.map((value) => numeric(value, name)).reduce((product, value) => calculate('multiply', product, value)),
  ),
  $mod: onNumbers(2, (left = 0, right = 0) => remainder(left, right)),
  $sum: strict([1, Infinity], (values) => sum(listed(values))),
  $avg: strict([1, Infinity], (values) => {
    const numbers = listed(values).filter((value) => value !== undefined && isNumeric(value));
    return numbers.length === 0 ? null : divide(sum(numbers), new Int32(numbers.length));
  }),
  $min: extreme(-1),
  $max: extreme(1),
} satisfies Record<string, Operator>;
