import { BSONRegExp } from 'bson';
import { classOf, isBoundary, mirrored, orderBytes } from '../bson/order.ts';
import { isDocument, type Value } from '../bson/values.ts';
import type { Predicate } from '../query/matcher.ts';
import { endOf } from '../storage/documents.ts';

/** Between two values of an index: in front of all bytes that begin with these, or behind them. */
interface Cut {
  readonly prefix: Buffer;
  readonly after: boolean;
}

/** A part of the values of one field of an index. */
export interface Interval {
  readonly start: Cut;
  readonly end: Cut;
}

const before = (prefix: Buffer): Cut => ({ prefix, after: false });
const behind = (prefix: Buffer): Cut => ({ prefix, after: true });

const point = (value: Value): Interval => {
  const bytes = orderBytes(value);
  return { start: before(bytes), end: behind(bytes) };
};

export const isPoint = ({ start, end }: Interval): boolean =>
  !start.after && end.after && start.prefix.equals(end.prefix);

/** Elements of arrays have entries of their own, the array as a whole has none. */
const isUsable = (value: Value): boolean =>
  !Array.isArray(value) && !(value instanceof BSONRegExp) && !isBoundary(value);

/** Where the values lie that a predicate takes, and perhaps others; undefined where that could be anywhere. */
export function intervalsOf({ operator, operand }: Predicate): Interval[] | undefined {
  switch (operator) {
    case '$eq':
      return isUsable(operand) ? [point(operand)] : undefined;
    case '$in':
      if (!Array.isArray(operand) || !operand.every(isUsable)) return undefined;
      return [...new Map(operand.map((value) => [orderBytes(value).toString('latin1'), point(value)])).values()];
    case '$gt':
    case '$gte':
    case '$lt':
    case '$lte':
      return isUsable(operand) ? rangeOf(operator, operand) : undefined;
    case '$exists':
      return operand === false ? [point(null)] : undefined;
    case '$regex':
      return operand instanceof BSONRegExp ? prefixRange(operand) : undefined;
    case '$elemMatch':
    case 'other':
      return undefined;
  }
}

function rangeOf(operator: '$gt' | '$gte' | '$lt' | '$lte', operand: Value): Interval[] {
  if (operand === null) return operator === '$gte' || operator === '$lte' ? [point(null)] : [];
  const type = Buffer.from([classOf(operand)]);
  const bytes = orderBytes(operand);
  if (operator === '$gt') return [{ start: behind(bytes), end: behind(type) }];
  if (operator === '$gte') return [{ start: before(bytes), end: behind(type) }];
  return [{ start: before(type), end: operator === '$lt' ? before(bytes) : behind(bytes) }];
}

/** `^abc` asks for texts that begin so, whatever follows; regular expressions themselves may be stored as well. */
function prefixRange({ pattern, options }: BSONRegExp): Interval[] | undefined {
  const literal = /^\^([\w \-@/]+)(?![*?{+|])/.exec(pattern)?.[1];
  if (literal === undefined || options !== '' || pattern.includes('|')) return undefined;
  const next = pattern[literal.length + 1] ?? '';
  const sure = '*?{+'.includes(next) && next !== '' ? literal.slice(0, -1) : literal;
  if (sure === '') return undefined;
  // Without the bytes that end a text.
  const bytes = orderBytes(sure).subarray(0, -2);
  return [{ start: before(bytes), end: behind(bytes) }, point(new BSONRegExp(pattern, options))];
}

const position = ({ prefix, after }: Cut): Buffer => (after ? endOf(prefix) : prefix);

const compareCuts = (one: Cut, other: Cut): number => Buffer.compare(position(one), position(other));

export function intersect(one: readonly Interval[], other: readonly Interval[]): Interval[] {
  return one.flatMap((left) =>
    other.flatMap((right) => {
      const start = compareCuts(left.start, right.start) >= 0 ? left.start : right.start;
      const end = compareCuts(left.end, right.end) <= 0 ? left.end : right.end;
      return compareCuts(start, end) < 0 ? [{ start, end }] : [];
    }),
  );
}

const mirroredCut = ({ prefix, after }: Cut): Cut => ({ prefix: mirrored(prefix), after: !after });

/** The bytes of an interval behind those of the fields in front of it. */
export function rangeBehind(
  prefix: Buffer,
  { start, end }: Interval,
  descending: boolean,
): { from: Buffer; to: Buffer } {
  const [first, last] = descending ? [mirroredCut(end), mirroredCut(start)] : [start, end];
  const at = (cut: Cut): Buffer => position({ prefix: Buffer.concat([prefix, cut.prefix]), after: cut.after });
  return { from: at(first), to: at(last) };
}

/** What an `$elemMatch` on documents says of the fields inside of them. */
export function predicatesInside(
  { path, operand }: Predicate,
  parse: (filter: Map<string, Value>) => readonly Predicate[],
): Predicate[] {
  if (!isDocument(operand) || [...operand.keys()].some((name) => name.startsWith('$'))) return [];
  return parse(operand).map((inner) => ({ ...inner, path: `${path}.${inner.path}` }));
}
