import { isExactNumber, rawJson } from './validation/input-value.ts';

/** Any JSON. */
export type JsonValue = null | boolean | number | string | JsonValue[] | JsonObject;
/** A free JSON object. */
export interface JsonObject {
  [key: string]: JsonValue;
}
/** A value that becomes JSON: read-only values are accepted, and members that are undefined are left out. */
export type JsonValueInput =
  | null
  | boolean
  | number
  | string
  | readonly JsonValueInput[]
  | { readonly [key: string]: JsonValueInput | undefined };
export type JsonObjectInput = Readonly<Record<string, JsonValueInput | undefined>>;

/** google.protobuf.Value, Struct and ListValue as protobufjs holds them. */
export interface ValueMessage {
  nullValue?: number | null;
  numberValue?: number | null;
  stringValue?: string | null;
  boolValue?: boolean | null;
  structValue?: StructMessage | null;
  listValue?: ListMessage | null;
  /** Beside `numberValue`, where that is not all that was written: see docs/decisions/0092. */
  exactNumber?: string | null;
}

/** Of `exactNumber`, which is no field of google.protobuf.Value: whoever does not know it reads the double beside it. */
export const EXACT_NUMBER_ID = 7;
export interface StructMessage {
  fields?: Record<string, ValueMessage> | null;
}
export interface ListMessage {
  values?: ValueMessage[] | null;
}

/** Plain JSON as a google.protobuf.Value. Throws on what JSON cannot carry (NaN, functions, cycles). */
export function toValueMessage(json: unknown, depth = 0): ValueMessage {
  if (depth > maxDepth) throw new TypeError('a JSON value is nested too deeply, or contains itself');
  if (json === null) return { nullValue: 0 };
  if (typeof json === 'string') return { stringValue: json };
  if (typeof json === 'boolean') return { boolValue: json };
  if (typeof json === 'number' && Number.isFinite(json)) return { numberValue: json };
  if (isExactNumber(json)) return { numberValue: Number(json.rawJSON), exactNumber: json.rawJSON };
  if (Array.isArray(json)) return { listValue: toListMessage(json, depth) };
  if (json instanceof Date) return { stringValue: json.toISOString() };
  if (typeof json === 'object') return { structValue: toStructMessage(json, depth) };
  throw new TypeError(`${typeof json === 'number' ? json : `a ${typeof json}`} is no JSON value`);
}

/** More than the 64 levels a request may have, less than the codec's own limit. */
const maxDepth = 100;

export function toStructMessage(json: object, depth = 0): StructMessage {
  const fields: Record<string, ValueMessage> = {};
  for (const [key, value] of Object.entries(json)) {
    if (value !== undefined) setMember(fields, key, toValueMessage(value, depth + 1));
  }
  return { fields };
}

export function toListMessage(json: readonly unknown[], depth = 0): ListMessage {
  return { values: json.map((item) => toValueMessage(item ?? null, depth + 1)) };
}

/** A google.protobuf.Value as plain JSON; one without any kind is null. */
export function fromValueMessage(message: ValueMessage): JsonValue {
  // Own properties only: protobufjs keeps the defaults of the other kinds on the prototype.
  if (Object.hasOwn(message, 'stringValue')) return message.stringValue ?? null;
  if (Object.hasOwn(message, 'exactNumber') && message.exactNumber) return exactNumber(message.exactNumber);
  if (Object.hasOwn(message, 'numberValue')) return message.numberValue ?? null;
  if (Object.hasOwn(message, 'boolValue')) return message.boolValue ?? null;
  if (Object.hasOwn(message, 'structValue') && message.structValue) return fromStructMessage(message.structValue);
  if (Object.hasOwn(message, 'listValue') && message.listValue) return fromListMessage(message.listValue);
  return null;
}

/** A number that JSON.stringify writes as this text. */
const exactNumber = (text: string) => rawJson(text) as JsonValue;

export function fromStructMessage(message: StructMessage): JsonObject {
  const json: JsonObject = {};
  for (const [key, value] of Object.entries(message.fields ?? {})) setMember(json, key, fromValueMessage(value));
  return json;
}

export function fromListMessage(message: ListMessage): JsonValue[] {
  return (message.values ?? []).map(fromValueMessage);
}

/** Sets a member so that the key `__proto__` is a key like any other. */
function setMember<Value>(target: Record<string, Value>, key: string, value: Value): void {
  if (key === '__proto__') {
    Object.defineProperty(target, key, { value, enumerable: true, configurable: true, writable: true });
  } else {
    target[key] = value;
  }
}
