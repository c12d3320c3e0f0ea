import { BSONRegExp, Int32 } from 'bson';
import { calculate, toInteger } from '../bson/numbers.ts';
import { compare, isEqual } from '../bson/order.ts';
import { isDocument, isNumeric, typeOf, type Document, type Numeric, type Value } from '../bson/values.ts';
import { badValue, failedToParse, notImplemented, typeMismatch } from '../errors.ts';
import { compileFilter } from '../query/matcher.ts';
import { sortParts } from '../query/sort-keys.ts';

/** What an operator makes of the value at one place; `undefined` is none, before and after. */
export interface Change {
  readonly change: (before: Value | undefined, path: string) => Value | undefined;
  /** Whether the way to the place comes to be where it is missing. */
  readonly creates: boolean;
  /** Whether nothing is said of a way that cannot be. */
  readonly tolerant?: true;
}

type Compile = (operand: Value, path: string) => Change;

const setting = (change: Change['change']): Change => ({ change, creates: true });
const touching = (change: Change['change']): Change => ({ change, creates: false });
const tolerating = (change: Change['change']): Change => ({ change, creates: false, tolerant: true });

const counting =
  (operation: 'add' | 'multiply', name: string): Compile =>
  (operand, path) => {
    if (!isNumeric(operand))
      throw typeMismatch(`Cannot ${name} with non-numeric argument: {${path}: ${typeOf(operand)}}`);
    return setting((before) => {
      if (before === undefined) return operation === 'add' ? operand : calculate('multiply', operand, zeroOf(operand));
      if (!isNumeric(before))
        throw typeMismatch(
          `Cannot apply $${operation === 'add' ? 'inc' : 'mul'} to a value of non-numeric type. {${path}: ${typeOf(before)}}`,
        );
      return calculate(operation, before, operand, true);
    });
  };

const zeroOf = (value: Numeric): Numeric => {
  if (typeof value === 'number') return 0;
  return typeof value === 'bigint' ? 0n : new Int32(0);
};

const limiting =
  (sign: 1 | -1): Compile =>
  (operand) =>
    setting((before) => (before === undefined || compare(operand, before) * sign > 0 ? operand : before));

function arrayAt(before: Value | undefined, operator: string, path: string): Value[] {
  if (before === undefined) return [];
  if (Array.isArray(before)) return [...before];
  throw badValue(`The field '${path}' must be an array but is of type ${typeOf(before)} in document, for ${operator}`);
}

const whole = (value: Value, what: string): number => {
  const number = isNumeric(value) ? toInteger(value) : undefined;
  if (number === undefined)
    throw badValue(`The value for ${what} must be an integer value but was given type: ${typeOf(value)}`);
  return Number(number);
};

const push: Compile = (operand) => {
  const isEach = isDocument(operand) && operand.has('$each');
  const clauses: Document = isEach ? operand : new Map([['$each', [operand]]]);
  for (const name of clauses.keys())
    if (!['$each', '$slice', '$sort', '$position'].includes(name))
      throw badValue(`Unrecognized clause in $push: ${name}`);
  const values = clauses.get('$each');
  if (!Array.isArray(values)) throw badValue('The argument to $each in $push must be an array');
  const position = clauses.has('$position') ? whole(clauses.get('$position') ?? null, '$position') : undefined;
  const size = clauses.has('$slice') ? whole(clauses.get('$slice') ?? null, '$slice') : undefined;
  const order = clauses.has('$sort') ? elementOrder(clauses.get('$sort') ?? null) : undefined;
  return setting((before, path) => {
    const array = arrayAt(before, '$push', path);
    array.splice(position ?? array.length, 0, ...values);
    if (order) array.sort(order);
    if (size === undefined) return array;
    return size >= 0 ? array.slice(0, size) : array.slice(size);
  });
};

function elementOrder(sort: Value): (one: Value, other: Value) => number {
  if (isDocument(sort)) {
    const parts = sortParts(sort);
    // Whole values, also where they are arrays.
    const valueAt = (value: Value, path: readonly string[]): Value =>
      path.reduce<Value>((inner, name) => (isDocument(inner) ? (inner.get(name) ?? null) : null), value);
    return (one, other) => {
      for (const { path, descending } of parts) {
        const order = compare(valueAt(one, path), valueAt(other, path));
        if (order !== 0) return descending ? -order : order;
      }
      return 0;
    };
  }
  const direction = whole(sort, '$sort');
  if (direction !== 1 && direction !== -1) throw badValue('The $sort element value must be either 1 or -1');
  return (one, other) => compare(one, other) * direction;
}

const addToSet: Compile = (operand) => {
  const isEach = isDocument(operand) && operand.has('$each');
  const values = isEach ? operand.get('$each') : [operand];
  if (!Array.isArray(values)) throw typeMismatch('The argument to $each in $addToSet must be an array');
  if (isEach && operand.size > 1) throw badValue('Found unexpected fields after $each in $addToSet');
  return setting((before, path) => {
    const array = arrayAt(before, '$addToSet', path);
    const had = array.length;
    for (const value of values) if (!array.some((each) => isEqual(each, value))) array.push(value);
    return array.length === had && before !== undefined ? before : array;
  });
};

const pop: Compile = (operand) => {
  const end = whole(operand, '$pop');
  if (end !== 1 && end !== -1) throw failedToParse(`$pop expects 1 or -1, found: ${end}`);
  return touching((before, path) => {
    if (before === undefined) return undefined;
    if (!Array.isArray(before))
      throw typeMismatch(`Path '${path}' contains an element of non-array type '${typeOf(before)}'`);
    return end === 1 ? before.slice(0, -1) : before.slice(1);
  });
};

const isCondition = (operand: Value): boolean =>
  isDocument(operand) &&
  [...operand.keys()].some((name) => name.startsWith('$') && !['$and', '$or', '$nor'].includes(name));

/** Elements that are arrays themselves are looked at as a whole by conditions, which is what a filter on a field would not do. */
function pulling(operand: Value): (element: Value) => boolean {
  if (isDocument(operand) && !isCondition(operand)) {
    const matcher = compileFilter(operand);
    return (element) => isDocument(element) && matcher.test(element);
  }
  if (!isDocument(operand) && !(operand instanceof BSONRegExp)) return (element) => isEqual(element, operand);
  const matcher = compileFilter(new Map<string, Value>([['element', operand]]));
  return (element) => matcher.test(new Map([['element', element]]));
}

const pull: Compile = (operand) => {
  const unwanted = pulling(operand);
  return tolerating((before, path) => {
    if (before === undefined) return undefined;
    if (!Array.isArray(before)) throw badValue(`Cannot apply $pull to a non-array value: ${path}`);
    const kept = before.filter((element) => !unwanted(element));
    return kept.length === before.length ? before : kept;
  });
};

const pullAll: Compile = (operand) => {
  if (!Array.isArray(operand)) throw badValue('$pullAll requires an array argument');
  return tolerating((before, path) => {
    if (before === undefined) return undefined;
    if (!Array.isArray(before)) throw badValue(`Cannot apply $pullAll to a non-array value: ${path}`);
    return before.filter((element) => !operand.some((value) => isEqual(value, element)));
  });
};

export const operators: Readonly<Record<string, Compile>> = {
  $set: (operand) => setting(() => operand),
  $setOnInsert: (operand) => setting(() => operand),
  $unset: () => tolerating(() => undefined),
  $inc: counting('add', 'increment'),
  $mul: counting('multiply', 'multiply'),
  $min: limiting(-1),
  $max: limiting(1),
  $push: push,
  $addToSet: addToSet,
  $pop: pop,
  $pull: pull,
  $pullAll: pullAll,
  $currentDate: () => {
    throw notImplemented('$currentDate');
  },
  $bit: () => {
    throw notImplemented('$bit');
  },
};
