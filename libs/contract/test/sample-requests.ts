import protobuf from 'protobufjs';
import { camelCase } from '../src/definitions.ts';
import { isMask } from '../src/field-location.ts';
import type { JsonKind } from '../src/generated/options.ts';
import type { Operation } from '../src/operations.ts';
import { fieldRules, type FieldRules, type StringRules } from '../src/options/field-options.ts';
import { discriminatorOf } from '../src/options/message-options.ts';

/** A message as services write it. */
export type Sample = Readonly<Record<string, unknown>>;

/** A request that keeps every rule: with a value in every field, or only in those that have to have one. */
export function sampleRequest({ requestType }: Operation, extent: 'full' | 'least'): Sample {
  return sampleMessage(requestType, extent === 'full' ? 0 : deepest);
}

/** A message that keeps every rule. */
export function sampleMessage(type: protobuf.Type, depth = 0): Sample {
  // Of a union one member, which it always has.
  const isUnion = discriminatorOf(type) !== undefined;
  const fields = isUnion
    ? type.fieldsArray.slice(0, 1)
    : type.fieldsArray.filter((field) => depth < deepest || fieldRules(field).required);
  const values = fields
    .filter((field) => !isMask(field))
    .map((field): [string, unknown] => [camelCase(field.name), sampleValue(field, depth)]);
  return Object.fromEntries(values);
}

/** Messages nested deeper than this have only what they have to have: one may contain its own kind. */
const deepest = 3;

/** A value that keeps the rules of its field, a list or a map where the field is one. */
export function sampleValue(field: protobuf.Field, depth = 0): unknown {
  const rules = fieldRules(field);
  const { list } = rules;
  const item = sampleItem(field, list?.items ?? rules, depth);
  if ((field as object) instanceof protobuf.MapField) return { key: item };
  return field.repeated ? Array.from({ length: Math.max(1, list?.minItems ?? 0) }, () => item) : item;
}

function sampleItem(field: protobuf.Field, rules: FieldRules, depth: number): unknown {
  const type = field.resolve().resolvedType;
  if (type instanceof protobuf.Enum) return Object.keys(type.values).find((name) => type.values[name] !== 0);
  switch (type?.fullName) {
    case undefined:
      return sampleScalar(field, rules);
    case '.google.protobuf.Timestamp':
      return new Date('2026-01-31T12:00:00Z');
    case '.google.protobuf.Struct':
      return { key: ['value'] };
    case '.google.protobuf.ListValue':
      return [1, 'value'];
    case '.google.protobuf.Value':
      return jsonOfKind[rules.json[0] ?? 'STRING'];
    default:
      return sampleMessage(type as protobuf.Type, depth + 1);
  }
}

const jsonOfKind: Readonly<Record<JsonKind, unknown>> = {
  NULL: null,
  BOOLEAN: true,
  INTEGER: 1,
  NUMBER: 1.5,
  STRING: 'value',
  OBJECT: { key: 'value' },
  LIST: ['value'],
};

function sampleScalar({ type }: protobuf.Field, { string = {}, integer = {} }: FieldRules): unknown {
  if (type === 'string') return sampleText(string);
  if (type === 'bytes') return Buffer.from('value');
  if (type === 'bool') return true;
  if (type === 'double' || type === 'float') return 1.5;
  return Math.min(Math.max(1, integer.minimum ?? 1), integer.maximum ?? 1);
}

function sampleText({ format, pattern, minLength = 0, maxLength = Infinity }: StringRules): string {
  if (format) return textOfFormat[format];
  if (pattern === undefined) return 'value'.padEnd(minLength, '.').slice(0, maxLength);
  const text = [
    'value',
    'EUR',
    'DE',
    'en',
    'text/plain',
    '*:admin',
    '1.0',
    'application/json',
    'region=eu',
    ';',
    'BIGINT',
    'float',
    '/',
  ].find((candidate) => new RegExp(pattern, 'u').test(candidate));
  if (text === undefined) throw new Error(`no text is known to match ${pattern}`);
  return text;
}

const textOfFormat = {
  UUID: '3fa85f64-5717-4562-b3fc-2c963f66afa6',
  EMAIL: 'ada@example.com',
  CRON: '0 8 * * 1-5',
  // Between services a position, in whatever form the service gives it.
  CURSOR: 'position',
  WEB_LINK: 'https://example.com/logo.png',
} as const;
