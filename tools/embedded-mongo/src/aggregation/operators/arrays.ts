import { Int32 } from 'bson';
import { toInteger } from '../../bson/numbers.ts';
import { isEqual, orderBytes } from '../../bson/order.ts';
import { isDocument, isNumeric, typeOf, type Document, type Value } from '../../bson/values.ts';
import { failedToParse, ServerError } from '../../errors.ts';
import { isTrue } from '../../query/matcher.ts';
import { isNothing, partsOf, strict, withVariables, type Operator } from '../expression.ts';

function array(value: Value | undefined, name: string, code = 2): Value[] {
  if (Array.isArray(value)) return value;
  throw new ServerError(
    code,
    `The argument to ${name} must be an array, but was of type: ${value === undefined ? 'missing' : typeOf(value)}`,
  );
}

function whole(value: Value | undefined, name: string): number {
  const number = value !== undefined && value !== null && isNumeric(value) ? toInteger(value) : undefined;
  if (number === undefined) throw new ServerError(28691, `${name} needs whole numbers`);
  return Number(number);
}

const ofArray = (evaluate: (values: Value[]) => Value | undefined): Operator =>
  strict([1, 1], ([value], name) => (isNothing(value) ? null : evaluate(array(value, name))));

const key = (value: Value): string => orderBytes(value).toString('latin1');
/** Of equal values the first. */
const distinct = (values: readonly Value[]): Value[] => {
  const found = new Map<string, Value>();
  for (const value of values) if (!found.has(key(value))) found.set(key(value), value);
  return [...found.values()];
};
const sorted = (values: readonly Value[]): Value[] =>
  values.toSorted((one, other) => Buffer.compare(orderBytes(one), orderBytes(other)));

function variableOf(given: Document): string {
  const name = given.get('as') ?? 'this';
  if (typeof name !== 'string' || !/^[a-z\u0080-\uffff]/.test(name))
    throw failedToParse('the name of a variable begins with a lowercase letter');
  return name;
}

const filter: Operator = (operand, { compile }) => {
  const given = partsOf(operand, '$filter', ['input', 'cond'], ['as', 'limit']);
  const [input, test, limit] = ['input', 'cond', 'limit'].map((part) => compile(given.get(part) ?? null));
  const as = variableOf(given);
  return (scope) => {
    const value = input?.(scope);
    if (isNothing(value)) return null;
    const max = limit?.(scope);
    const found = array(value, '$filter', 28651).filter((element) =>
      isTrue(test?.(withVariables(scope, [[as, element]]))),
    );
    return isNothing(max) ? found : found.slice(0, whole(max, '$filter'));
  };
};

const map: Operator = (operand, { compile }) => {
  const given = partsOf(operand, '$map', ['input', 'in'], ['as']);
  const [input, inner] = ['input', 'in'].map((part) => compile(given.get(part) ?? null));
  const as = variableOf(given);
  return (scope) => {
    const value = input?.(scope);
    if (isNothing(value)) return null;
    return array(value, '$map', 16883).map((element) => inner?.(withVariables(scope, [[as, element]])) ?? null);
  };
};

const element: Operator = strict([2, 2], ([value, at], name) =>
  isNothing(value) || isNothing(at) ? null : array(value, name, 28689).at(whole(at, name)),
);

const slice: Operator = strict([2, 3], ([value, from, count], name) => {
  if (isNothing(value) || isNothing(from)) return null;
  const values = array(value, name, 28724);
  const first = whole(from, name);
  if (count === undefined) return first < 0 ? values.slice(first) : values.slice(0, first);
  if (count === null) return null;
  const start = first < 0 ? Math.max(0, values.length + first) : first;
  const length = whole(count, name);
  if (length <= 0) throw new ServerError(28729, 'Third argument to $slice must be positive');
  return values.slice(start, start + length);
});

function merged(values: readonly (Value | undefined)[], name: string): Document {
  const result: Document = new Map();
  const [first] = values;
  for (const value of values.length === 1 && Array.isArray(first) ? first : values) {
    if (isNothing(value)) continue;
    if (!isDocument(value)) throw new ServerError(40400, `${name} requires object inputs`);
    for (const [field, inner] of value) result.set(field, inner);
  }
  return result;
}

const sets = (evaluate: (sets: Value[][]) => Value, min: number, max: number): Operator =>
  strict([min, max], (values, name) =>
    values.some(isNothing) ? null : evaluate(values.map((value) => array(value, name))),
  );

export const arrays = {
  $size: strict([1, 1], ([value], name) => new Int32(array(value, name, 17124).length)),
  $isArray: strict([1, 1], ([value]) => Array.isArray(value)),
  $arrayElemAt: element,
  $first: ofArray((values) => values[0]),
  $last: ofArray((values) => values.at(-1)),
  $slice: slice,
  $concatArrays: strict([0, Infinity], (values, name) =>
    values.some(isNothing) ? null : values.flatMap((value) => array(value, name)),
  ),
  $in: strict([2, 2], ([wanted, value], name) => array(value, name, 40081).some((each) => isEqual(each, wanted))),
  $filter: filter,
  $map: map,
  $mergeObjects: strict([1, Infinity], (values, name) => merged(values, name)),
  $setUnion: sets((all) => sorted(distinct(all.flat())), 0, Infinity),
} satisfies Record<string, Operator>;
