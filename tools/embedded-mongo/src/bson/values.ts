import { Binary, BSONRegExp, Code, Decimal128, Int32, MaxKey, MinKey, ObjectId, Timestamp } from 'bson';

/** A document keeps the order of its fields, also of those whose names look like numbers: objects would not. */
export type Document = Map<string, Value>;

/** As stored, a number is a double and a bigint a 64-bit integer, so that each keeps its type. `undefined` is missing. */
export type Value =
  | string
  | number
  | bigint
  | boolean
  | null
  | Int32
  | Decimal128
  | Date
  | ObjectId
  | Binary
  | BSONRegExp
  | Timestamp
  | Code
  | MinKey
  | MaxKey
  | Document
  | Value[];

export type Numeric = number | bigint | Int32 | Decimal128;

export const isDocument = (value: unknown): value is Document => value instanceof Map;

export const isNumeric = (value: unknown): value is Numeric =>
  typeof value === 'number' || typeof value === 'bigint' || value instanceof Int32 || value instanceof Decimal128;

/** Names and numbers of types, as `$type` takes them. */
const types = {
  double: 1,
  string: 2,
  object: 3,
  array: 4,
  binData: 5,
  objectId: 7,
  bool: 8,
  date: 9,
  null: 10,
  regex: 11,
  javascript: 13,
  int: 16,
  timestamp: 17,
  long: 18,
  decimal: 19,
  minKey: -1,
  maxKey: 127,
} as const;

export type TypeName = keyof typeof types;

export const typeNumber = (name: string): number | undefined =>
  Object.hasOwn(types, name) ? types[name as TypeName] : undefined;
export const isTypeNumber = (number: number): boolean => Object.values<number>(types).includes(number);

export function typeOf(value: Value): TypeName {
  if (typeof value === 'string') return 'string';
  if (value instanceof Int32) return 'int';
  if (typeof value === 'number') return 'double';
  if (value === null) return 'null';
  if (typeof value === 'boolean') return 'bool';
  if (typeof value === 'bigint') return 'long';
  if (value instanceof Map) return 'object';
  if (Array.isArray(value)) return 'array';
  if (value instanceof Date) return 'date';
  if (value instanceof ObjectId) return 'objectId';
  if (value instanceof Binary) return 'binData';
  if (value instanceof Decimal128) return 'decimal';
  if (value instanceof BSONRegExp) return 'regex';
  if (value instanceof Timestamp) return 'timestamp';
  if (value instanceof Code) return 'javascript';
  return value instanceof MinKey ? 'minKey' : 'maxKey';
}

/** Plain objects and JavaScript's own numbers, as this server writes them in its replies. */
export function toValue(plain: unknown): Value {
  if (typeof plain === 'number' && Number.isInteger(plain))
    return Math.abs(plain) < 2 ** 31 ? new Int32(plain) : BigInt(plain);
  if (Array.isArray(plain)) return plain.map(toValue);
  if (typeof plain === 'object' && plain !== null && Object.getPrototypeOf(plain) === Object.prototype)
    return toDocument(plain);
  return plain as Value;
}

/** Fields that are undefined are left out. */
export const toDocument = (plain: object): Document =>
  new Map(
    Object.entries(plain).flatMap(([name, value]): [string, Value][] =>
      value === undefined ? [] : [[name, toValue(value)]],
    ),
  );
