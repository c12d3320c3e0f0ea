import type { Writer } from 'protobufjs';
import { EXACT_NUMBER_ID } from '../json-values.ts';
import type { Instant } from '../validation/datetime.ts';
import { FloatNumber, isExactNumber, isNumberObject } from '../validation/input-value.ts';
import { pythonFloat } from '../validation/python-text.ts';

/** Protobuf wire types. */
export const varint = 0;
export const fixed64 = 1;
export const lengthDelimited = 2;
export const fixed32 = 5;

export function tag(id: number, wireType: number): number {
  return (id << 3) | wireType;
}

/** A 64-bit integer as protobufjs takes it, exact without the help of a big-number library. */
export function int64(value: number | bigint): number | { low: number; high: number; unsigned: boolean } {
  if (typeof value === 'number') return value;
  const bits = BigInt.asUintN(64, value);
  return { low: Number(bits & 0xffffffffn) | 0, high: Number(bits >> 32n) | 0, unsigned: false };
}

/** google.protobuf.Timestamp */
export function writeTimestamp(writer: Writer, { seconds, micros }: Instant): void {
  if (seconds !== 0) writer.uint32(tag(1, varint)).int64(seconds);
  if (micros !== 0) writer.uint32(tag(2, varint)).int32(micros * 1000);
}

/** google.protobuf.FieldMask */
export function writeFieldMask(writer: Writer, paths: readonly string[]): void {
  for (const path of paths) writer.uint32(tag(1, lengthDelimited)).string(path);
}

/** google.protobuf.Value. Numbers become doubles, with what was written beside them where `isExact`. */
export function writeValue(writer: Writer, value: unknown, isExact = false): void {
  if (value === null) writer.uint32(tag(1, varint)).int32(0);
  else if (typeof value === 'string') writer.uint32(tag(3, lengthDelimited)).string(value);
  else if (typeof value === 'boolean') writer.uint32(tag(4, varint)).bool(value);
  else if (Array.isArray(value)) {
    writer.uint32(tag(6, lengthDelimited)).fork();
    writeListValue(writer, value, isExact);
    writer.ldelim();
  } else if (typeof value === 'object' && !isNumberObject(value)) {
    writer.uint32(tag(5, lengthDelimited)).fork();
    writeStruct(writer, value, isExact);
    writer.ldelim();
  } else writeNumber(writer, value, isExact);
}

function writeNumber(writer: Writer, value: unknown, isExact: boolean): void {
  const text = numberText(value);
  const double = Number(text ?? value);
  writer.uint32(tag(2, fixed64)).double(double);
  if (isExact && text !== undefined && text !== String(double))
    writer.uint32(tag(EXACT_NUMBER_ID, lengthDelimited)).string(text);
}

/** Of a number that is not of JavaScript's own kind. */
function numberText(value: unknown): string | undefined {
  if (value instanceof FloatNumber) return pythonFloat(value.value);
  if (isExactNumber(value)) return value.rawJSON;
  return typeof value === 'bigint' ? String(value) : undefined;
}

/** google.protobuf.ListValue */
export function writeListValue(writer: Writer, items: readonly unknown[], isExact = false): void {
  for (const item of items) {
    writer.uint32(tag(1, lengthDelimited)).fork();
    writeValue(writer, item, isExact);
    writer.ldelim();
  }
}

/** google.protobuf.Struct */
export function writeStruct(writer: Writer, object: object, isExact = false): void {
  for (const [key, value] of Object.entries(object)) {
    writer.uint32(tag(1, lengthDelimited)).fork();
    writer.uint32(tag(1, lengthDelimited)).string(key);
    writer.uint32(tag(2, lengthDelimited)).fork();
    writeValue(writer, value, isExact);
    writer.ldelim();
    writer.ldelim();
  }
}
