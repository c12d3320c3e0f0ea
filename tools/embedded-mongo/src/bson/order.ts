import { Binary, BSONRegExp, Code, Decimal128, Int32, ObjectId, Timestamp } from 'bson';
import { compareToDouble, doubleBelow, exactOf, toNumber, withoutZeros, type Exact } from './numbers.ts';
import { isNumeric, type Document, type Numeric, type TypeName, type Value } from './values.ts';

/**
 * MongoDB's order of values, as bytes that compare in it: one rule for filters, sorts and indexes. Equal values have equal
 * bytes, whatever their numeric type, and no value's bytes begin with those of another.
 */
export function orderBytes(value: Value | undefined, descending = false): Buffer {
  length = 0;
  writeValue(value);
  const bytes = Buffer.from(scratch.subarray(0, length));
  return descending ? mirrored(bytes) : bytes;
}

export const mirrored = (bytes: Buffer): Buffer => {
  const mirror = Buffer.allocUnsafe(bytes.length);
  for (let at = 0; at < bytes.length; at += 1) mirror[at] = ~(bytes[at] ?? 0);
  return mirror;
};

/** What sorts before `null`: an array without elements, in a sort and in an index. */
export const EMPTY_ARRAY = undefined;

/** One byte in front of every value; types of one class are compared by value. */
const classes: Readonly<Record<TypeName, number>> = {
  minKey: 1,
  null: 5,
  int: 10,
  long: 10,
  double: 10,
  decimal: 10,
  string: 15,
  object: 20,
  array: 25,
  binData: 30,
  objectId: 35,
  bool: 40,
  date: 45,
  timestamp: 47,
  regex: 50,
  javascript: 60,
  maxKey: 127,
};

const EMPTY = 3;
const END = 0;

export function classOf(value: Value | undefined): number {
  if (value === undefined) return EMPTY;
  if (value === null) return classes.null;
  if (typeof value === 'string') return classes.string;
  if (isNumeric(value)) return classes.int;
  if (value instanceof Map) return classes.object;
  if (Array.isArray(value)) return classes.array;
  if (value instanceof Date) return classes.date;
  if (value instanceof ObjectId) return classes.objectId;
  if (typeof value === 'boolean') return classes.bool;
  if (value instanceof Binary) return classes.binData;
  if (value instanceof Timestamp) return classes.timestamp;
  if (value instanceof BSONRegExp) return classes.regex;
  if (value instanceof Code) return classes.javascript;
  return value._bsontype === 'MinKey' ? classes.minKey : classes.maxKey;
}

export const isBoundary = (value: Value): boolean =>
  classOf(value) === classes.minKey || classOf(value) === classes.maxKey;

export function compare(left: Value | undefined, right: Value | undefined): number {
  if (typeof left === 'string' && left === right) return 0;
  if (typeof left === 'number' && typeof right === 'number' && left !== right && left - right) return left - right;
  const difference = classOf(left) - classOf(right);
  return difference || Buffer.compare(orderBytes(left), orderBytes(right));
}

export const isEqual = (left: Value | undefined, right: Value | undefined): boolean => compare(left, right) === 0;

// Bytes are written here and copied; nothing is awaited in between.
let scratch = Buffer.allocUnsafe(4096);
let length = 0;

function room(bytes: number): number {
  if (length + bytes > scratch.length) {
    const larger = Buffer.allocUnsafe(Math.max(scratch.length * 2, length + bytes));
    scratch.copy(larger, 0, 0, length);
    scratch = larger;
  }
  const at = length;
  length += bytes;
  return at;
}

function byte(value: number): void {
  const at = room(1);
  scratch[at] = value;
}

function raw(bytes: Uint8Array): void {
  const at = room(bytes.length);
  scratch.set(bytes, at);
}

/** A null byte inside of a text is followed by a one, and the end by another null byte. */
function text(value: string): void {
  const bytes = Buffer.byteLength(value);
  const at = room(bytes);
  scratch.write(value, at);
  if (value.includes('\0')) {
    const escaped = scratch
      .subarray(at, at + bytes)
      .toString('latin1')
      .replaceAll('\0', '\0\x01');
    length = at;
    raw(Buffer.from(escaped, 'latin1'));
  }
  byte(END);
  byte(END);
}

function writeValue(value: Value | undefined): void {
  byte(classOf(value));
  if (value === undefined || value === null) return;
  if (typeof value === 'string') text(value);
  else if (isNumeric(value)) writeNumber(value);
  else if (value instanceof Map) writeDocument(value);
  else if (Array.isArray(value)) {
    for (const element of value) writeValue(element);
    byte(END);
  } else if (value instanceof Date) int64(BigInt(value.getTime()));
  else if (value instanceof ObjectId) raw(value.id);
  else if (typeof value === 'boolean') byte(value ? 1 : 0);
  else if (value instanceof Binary) {
    const at = room(4);
    scratch.writeUInt32BE(value.position, at);
    byte(value.sub_type);
    raw(value.buffer.subarray(0, value.position));
  } else if (value instanceof Timestamp) {
    const at = room(8);
    scratch.writeBigUInt64BE(value.toBigInt(), at);
  } else if (value instanceof BSONRegExp) {
    text(value.pattern);
    text(value.options);
  } else if (value instanceof Code) text(value.code);
}

/** By type, name and value of each field: shorter ones first. */
function writeDocument(document: Document): void {
  for (const [name, value] of document) {
    byte(classOf(value));
    text(name);
    writeValue(value);
  }
  byte(END);
}

function int64(value: bigint): void {
  const at = room(8);
  scratch.writeBigUInt64BE(BigInt.asUintN(64, value) ^ (1n << 63n), at);
}

/** The greatest double that is not above, and where that is below the number all of its digits. */
function writeNumber(value: Numeric): void {
  if (typeof value === 'number') writeDouble(value, true);
  else if (value instanceof Int32) writeDouble(value.value, true);
  else if (typeof value === 'bigint' && BigInt(Number(value)) === value) writeDouble(Number(value), true);
  else {
    const exact = value instanceof Decimal128 ? exactOf(value) : { coefficient: value, exponent: 0 };
    if (typeof exact === 'number') {
      writeDouble(exact, true);
      return;
    }
    let double = toNumber(value);
    if (compareToDouble(exact, double) < 0) double = doubleBelow(double);
    const isExact = compareToDouble(exact, double) === 0;
    writeDouble(double, isExact);
    if (!isExact) digits(exact);
  }
}

function writeDouble(double: number, isExact: boolean): void {
  const at = room(9);
  if (Number.isNaN(double)) scratch.fill(0, at, at + 8);
  else {
    scratch.writeDoubleBE(double === 0 ? 0 : double, at);
    if ((scratch[at] ?? 0) & 0x80)
      for (let index = at; index < at + 8; index += 1) scratch[index] = ~(scratch[index] ?? 0);
    else scratch[at] = (scratch[at] ?? 0) | 0x80;
  }
  scratch[at + 8] = isExact ? 1 : 2;
}

function digits(exact: Exact): void {
  const { coefficient, exponent } = withoutZeros(exact);
  const negative = coefficient < 0n;
  const shown = (negative ? -coefficient : coefficient).toString();
  const start = room(3 + shown.length + 1);
  scratch.writeUInt16BE(exponent + shown.length + 0x4000, start);
  scratch.write(shown, start + 2, 'latin1');
  scratch[start + 2 + shown.length] = END;
  length = start + 3 + shown.length;
  if (negative) for (let at = start; at < length; at += 1) scratch[at] = ~(scratch[at] ?? 0);
}
