import { EXACT_NUMBER_ID } from '../json-values.ts';
import { rawJson } from '../validation/input-value.ts';
import { mapJson, numberJson, type ByteText } from './byte-text.ts';
import type { Walk } from './wire-reader.ts';

/** 9999-12-31T23:59:59.999Z; a timestamp begins with the year 1. Beyond there is nothing to show. */
const lastMs = 253_402_300_799_999;
const firstMs = -62_135_596_800_000;

/** ISO 8601 in UTC, with milliseconds when there are any. Services keep milliseconds; what is finer is cut off. */
const timestamp: Walk = (reader, length, depth) => {
  const outer = reader.open(length, depth);
  const end = reader.len;
  let seconds = 0;
  let nanos = 0;
  while (reader.pos < end) {
    const tag = reader.uint32();
    if (tag >>> 3 === 1) seconds = Number(reader.shortVarint() ?? reader.int64());
    else if (tag >>> 3 === 2) nanos = reader.int32();
    else reader.skipType(tag & 7, depth);
  }
  reader.close(end, outer);
  const at = seconds * 1000 + Math.trunc(nanos / 1_000_000);
  return at < firstMs || at > lastMs ? 'null' : `"${new Date(at).toISOString().replace('.000Z', 'Z')}"`;
};

/** Any JSON. Of several kinds, which nobody writes, the order is that of `fromValueMessage`. */
const value: Walk = (reader, length, depth) => {
  const outer = reader.open(length, depth);
  const end = reader.len;
  let string: ByteText | undefined;
  let exact: string | undefined;
  let number: ByteText | undefined;
  let boolean: ByteText | undefined;
  let object: ByteText | undefined;
  let array: ByteText | undefined;
  while (reader.pos < end) {
    const tag = reader.uint32();
    switch (tag >>> 3) {
      case 2:
        number = numberJson(reader.double());
        break;
      case 3:
        string = reader.stringJson();
        break;
      case 4:
        boolean = reader.bool() ? 'true' : 'false';
        break;
      case 5:
        object = struct(reader, reader.uint32(), depth + 1);
        break;
      case 6:
        array = list(reader, reader.uint32(), depth + 1);
        break;
      case EXACT_NUMBER_ID:
        exact = reader.string();
        break;
      default:
        reader.skipType(tag & 7, depth);
    }
  }
  reader.close(end, outer);
  return string ?? (exact ? exactJson(exact) : undefined) ?? number ?? boolean ?? object ?? array ?? 'null';
};

/** Whoever sent it says that it is a number: it is looked at before it is shown as it is. Other values may be no text of bytes. */
function exactJson(text: string): ByteText {
  rawJson(text);
  if (!/^[-\d]/.test(text)) throw new SyntaxError('an exact number is none');
  return text;
}

const struct: Walk = (reader, length, depth) => {
  const outer = reader.open(length, depth);
  const end = reader.len;
  let members: Record<string, ByteText> | undefined;
  while (reader.pos < end) {
    const tag = reader.uint32();
    if (tag >>> 3 !== 1) {
      reader.skipType(tag & 7, depth);
      continue;
    }
    const around = reader.open(reader.uint32(), 0);
    const last = reader.len;
    let key = '';
    let member: ByteText = 'null';
    while (reader.pos < last) {
      const inner = reader.uint32();
      if (inner >>> 3 === 1) key = reader.string();
      else if (inner >>> 3 === 2) member = value(reader, reader.uint32(), depth + 1);
      else reader.skipType(inner & 7, depth);
    }
    reader.close(last, around);
    members ??= Object.create(null) as Record<string, ByteText>;
    members[key] = member;
  }
  reader.close(end, outer);
  return mapJson(members);
};

const list: Walk = (reader, length, depth) => {
  const outer = reader.open(length, depth);
  const end = reader.len;
  let items = '';
  while (reader.pos < end) {
    const tag = reader.uint32();
    if (tag >>> 3 !== 1) {
      reader.skipType(tag & 7, depth);
      continue;
    }
    const item = value(reader, reader.uint32(), depth + 1);
    items = items === '' ? item : `${items},${item}`;
  }
  reader.close(end, outer);
  return `[${items}]`;
};

/** How types of Google's are shown, by their full names: their JSON is not that of their fields. */
export const wellKnown: Readonly<Record<string, Walk>> = {
  '.google.protobuf.Timestamp': timestamp,
  '.google.protobuf.Value': value,
  '.google.protobuf.Struct': struct,
  '.google.protobuf.ListValue': list,
};
