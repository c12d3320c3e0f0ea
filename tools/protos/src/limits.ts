import {
  fieldRules,
  maxBytesOf,
  type FieldRules,
  type Operation,
  type StringFormat,
  type StringRules,
} from '@platform-backend/contract';
import { maxCursorLength } from '@platform-backend/contract/http';
import protobuf from 'protobufjs';

/** A request that may be larger has to say how large: bytes as it travels between services. */
export const MAX_REQUEST = 256 * 1024;

/**
 * One sentence for each field of a request, or of a message in one, that could hold any amount, and for each request
 * whose limits allow too much together. Nothing comes into the platform but by a request, so whatever is stored or put
 * into an event has a limit when there is none of these. Bytes are left to the transport, which limits every message.
 */
export function lackingLimits(operations: readonly Operation[]): string[] {
  const sizes: Sizes = { known: new Map(), problems: [] };
  const largeRequests = [...new Set(operations.map(({ requestType }) => requestType))].flatMap((type) => {
    const bytes = maxMessage(type, sizes);
    if (bytes <= MAX_REQUEST || maxBytesOf(type) !== undefined) return [];
    const size = bytes === Infinity ? 'any number of' : String(bytes);
    return `${nameOf(type)} may have ${size} bytes: give it (platform.options.v1.max_bytes)`;
  });
  return [...sizes.problems, ...largeRequests];
}

interface Sizes {
  readonly known: Map<protobuf.Type, number>;
  readonly problems: string[];
}

/** Bytes of a field's tag and length. */
const AROUND_FIELD = 7;
const MAX_NUMBER = 10;
/** Of one character in UTF-8. */
const MAX_CHARACTER = 4;

/** What a message has at most; Infinity for one that may contain its own kind. */
function maxMessage(type: protobuf.Type, sizes: Sizes): number {
  const known = sizes.known.get(type);
  if (known !== undefined) return known;
  sizes.known.set(type, Infinity);
  const bytes = type.fieldsArray.map((field) => maxField(field, sizes)).reduce((sum, size) => sum + size, 0);
  sizes.known.set(type, bytes);
  return bytes;
}

function maxField(field: protobuf.Field, sizes: Sizes): number {
  const rules = fieldRules(field);
  const limit = (value: number | undefined, rule: string): number => {
    if (value === undefined) sizes.problems.push(`${nameOf(field)} has no limit: give it ${rule}`);
    // So that one missing limit is told once.
    return value ?? 0;
  };
  const itemRules = rules.list?.items ?? rules;
  if ((field as object) instanceof protobuf.MapField) {
    const { maxKeys, maxKeyLength } = rules.map ?? {};
    const key = limit(maxKeyLength, 'map.max_key_length') * MAX_CHARACTER;
    return limit(maxKeys, 'map.max_keys') * (3 * AROUND_FIELD + key + maxItem(field, rules, sizes, limit));
  }
  const count = field.repeated ? limit(rules.list?.maxItems, 'list.max_items') : 1;
  return count * (AROUND_FIELD + maxItem(field, itemRules, sizes, limit));
}

function maxItem(
  field: protobuf.Field,
  rules: FieldRules,
  sizes: Sizes,
  limit: (value: number | undefined, rule: string) => number,
): number {
  const type = field.resolve().resolvedType;
  if (type instanceof protobuf.Enum) return MAX_NUMBER;
  switch (type?.fullName) {
    case undefined:
      if (field.type === 'bytes') return 0;
      if (field.type !== 'string') return MAX_NUMBER;
      return limit(maxText(rules.string ?? {}), 'string.max_length');
    case '.google.protobuf.Timestamp':
      return 2 * (1 + MAX_NUMBER);
    case '.google.protobuf.FieldMask':
      // The names of the request's own fields.
      return 0;
    case '.google.protobuf.Value':
      if (rules.json.length > 0 && rules.json.every((kind) => smallKinds.has(kind))) return MAX_NUMBER;
      return limit(rules.jsonMaxBytes, 'json_max_bytes');
    case '.google.protobuf.Struct':
    case '.google.protobuf.ListValue':
      return limit(rules.jsonMaxBytes, 'json_max_bytes');
    default:
      return maxMessage(type as protobuf.Type, sizes);
  }
}

const smallKinds: ReadonlySet<string> = new Set(['NULL', 'BOOLEAN', 'INTEGER', 'NUMBER']);

/** Bytes that a format allows at most; for the others `max_length` has to say it. */
const maxOfFormat: Partial<Record<StringFormat, number>> = {
  UUID: 36,
  EMAIL: MAX_CHARACTER * 320,
  CURSOR: MAX_CHARACTER * maxCursorLength,
};

function maxText({ format, pattern, maxLength }: StringRules): number | undefined {
  const ofFormat = format && maxOfFormat[format];
  if (ofFormat !== undefined) return ofFormat;
  const characters = maxLength ?? (pattern === undefined ? undefined : maxMatch(pattern));
  return characters === undefined ? undefined : MAX_CHARACTER * characters;
}

/** A character or a class of them, so many times. */
const part = /(?:\[(?:[^\]\\]|\\.)+\]|\\[^pP]|[^\\^$.*+?()[\]{}|])(?:\{(?:\d+,)?(\d+)\})?/y;

/** The length of the longest text that a simple pattern (`^[A-Z]{3}$`) allows; undefined for any other. */
function maxMatch(pattern: string): number | undefined {
  if (!pattern.startsWith('^') || !pattern.endsWith('$')) return undefined;
  const inner = pattern.slice(1, -1);
  let length = 0;
  for (let at = 0; at < inner.length; at = part.lastIndex) {
    part.lastIndex = at;
    const found = part.exec(inner);
    if (!found) return undefined;
    length += Number(found[1] ?? 1);
  }
  return length;
}

const nameOf = (object: protobuf.ReflectionObject): string => object.fullName.slice(1);
