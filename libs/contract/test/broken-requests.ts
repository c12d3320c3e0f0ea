import protobuf from 'protobufjs';
import { camelCase } from '../src/definitions.ts';
import { isMask } from '../src/field-location.ts';
import type { JsonKind } from '../src/generated/options.ts';
import type { Operation } from '../src/operations.ts';
import { fieldRules, type FieldRules } from '../src/options/field-options.ts';
import { discriminatorOf, isUnwrapped } from '../src/options/message-options.ts';
import { sampleMessage, sampleRequest, sampleValue, type Sample } from './sample-requests.ts';

/** A request that breaks one rule. */
export interface BrokenRequest {
  /** The operation, the field and the rule. */
  readonly what: string;
  readonly request: Sample;
  /** What the answer must complain of, and where, from the field of the request on. */
  readonly type: string;
  readonly loc: readonly (string | number)[];
}

/** A value that breaks one rule. */
interface Broken {
  readonly rule: string;
  readonly value: unknown;
  readonly type: string;
  /** Where inside the value. */
  readonly loc: readonly (string | number)[];
}

/** For every rule of every field of the operation's request, of the messages inside it too, a request that breaks it. */
export function brokenRequests(operation: Operation): BrokenRequest[] {
  const { requestType } = operation;
  const sample = sampleRequest(operation, 'least');
  const mask = requestType.fieldsArray.find(isMask);
  return requestType.fieldsArray
    .filter((field) => !isMask(field))
    .flatMap((field) =>
      brokenField(field, mask !== undefined, [requestType]).map(({ rule, value, type, loc }) => ({
        what: `${operation.service}/${operation.method}: ${field.name}, ${rule}`,
        request: {
          ...sample,
          [camelCase(field.name)]: value,
          ...(mask && { [camelCase(mask.name)]: { paths: [field.name] } }),
          ...whatCallsForIt(field, rule),
        },
        type,
        // What is the whole body has no name in it.
        loc: operation.http?.body === field.name ? loc : [nameOverHttp(field), ...loc],
      })),
    );
}

function nameOverHttp(field: protobuf.Field): string {
  const { file, header } = fieldRules(field);
  return file ?? header?.toLowerCase() ?? field.name;
}

/**
 * Values that a field must not have. `isNamed`: an update mask names it. Otherwise zero, an empty text or an empty list
 * of a plain field that is not required only says that it was left out, and breaks nothing.
 */
function brokenField(field: protobuf.Field, isNamed: boolean, around: readonly protobuf.Type[]): Broken[] {
  const { required, nullable, requiredWhen } = fieldRules(field);
  const isNothing = (value: unknown): boolean => !hasPresence(field) && isZero(value);
  const broken = brokenValues(field, around).filter(({ value }) => required || isNamed || !isNothing(value));
  const leftOut = { value: undefined, type: 'missing', loc: [] };
  return [
    ...broken,
    ...(hasPresence(field) && (required || isNamed) && !nullable ? [{ rule: 'required', ...leftOut }] : []),
    ...(requiredWhen === undefined ? [] : [{ rule: 'required when', ...leftOut }]),
  ];
}

function whatCallsForIt(field: protobuf.Field, rule: string): Sample {
  const { requiredWhen } = fieldRules(field);
  return rule === 'required when' && requiredWhen !== undefined ? { [camelCase(requiredWhen)]: true } : {};
}

const isZero = (value: unknown): boolean =>
  value === '' || value === 0 || value === 0n || (Array.isArray(value) && value.length === 0);

/** Whether a message tells the field's absence from its zero. Of enums, zero is never a value. */
function hasPresence(field: protobuf.Field): boolean {
  if (field.repeated || field.map) return false;
  return Boolean(field.partOf) || field.resolve().resolvedType !== null;
}

function brokenValues(field: protobuf.Field, around: readonly protobuf.Type[]): Broken[] {
  const rules = fieldRules(field);
  const items = brokenItems(field, rules.list?.items ?? rules, around);
  if ((field as object) instanceof protobuf.MapField) {
    return [
      ...brokenKeys(rules, sampleOf(field)),
      ...items.map(({ value, loc, ...rest }) => ({ ...rest, value: { key: value }, loc: ['key', ...loc] })),
    ];
  }
  if (!field.repeated) return items;
  const { minItems = 0, maxItems } = rules.list ?? {};
  const [item] = sampleValue(field) as unknown[];
  const ofLength = (length: number, type: string): Broken[] => [
    { rule: `${length} items`, value: Array.from({ length }, () => item), type, loc: [] },
  ];
  return [
    ...(minItems > 0 ? ofLength(minItems - 1, 'too_short') : []),
    ...(maxItems === undefined ? [] : ofLength(maxItems + 1, 'too_long')),
    ...items.map(({ value, loc, ...rest }) => ({ ...rest, value: [value], loc: [0, ...loc] })),
  ];
}

function brokenKeys({ map = {} }: FieldRules, value: unknown): Broken[] {
  const { maxKeys, maxKeyLength } = map;
  const keys = Array.from({ length: (maxKeys ?? 0) + 1 }, (_, at) => at.toString(36));
  const long = '.'.repeat((maxKeyLength ?? 0) + 1);
  return [
    { rule: 'key with NUL', value: { '\0': value }, type: 'value_error', loc: [] },
    ...(maxKeys === undefined
      ? []
      : [
          {
            rule: `${keys.length} keys`,
            value: Object.fromEntries(keys.map((key) => [key, value])),
            type: 'too_long',
            loc: [],
          },
        ]),
    ...(maxKeyLength === undefined
      ? []
      : [{ rule: 'long key', value: { [long]: value }, type: 'string_too_long', loc: [long, '[key]'] }]),
  ];
}

const sampleOf = (field: protobuf.Field): unknown => Object.values(sampleValue(field) as object)[0];

function brokenItems(field: protobuf.Field, rules: FieldRules, around: readonly protobuf.Type[]): Broken[] {
  const type = field.resolve().resolvedType;
  if (type instanceof protobuf.Enum) return [];
  switch (type?.fullName) {
    case undefined:
      return field.type === 'string' ? brokenTexts(rules) : brokenNumbers(field, rules);
    case '.google.protobuf.Timestamp':
      return [];
    case '.google.protobuf.Struct':
      return [
        { rule: 'NUL', value: { key: 'a\0' }, type: 'value_error', loc: ['key'] },
        ...largeJson(rules, (text) => ({ key: text })),
      ];
    case '.google.protobuf.ListValue':
      return [{ rule: 'NUL', value: ['a\0'], type: 'value_error', loc: [0] }, ...largeJson(rules, (text) => [text])];
    case '.google.protobuf.Value':
      return brokenJson(rules);
    default:
      return brokenMessages(type as protobuf.Type, around);
  }
}

function brokenTexts({ string = {} }: FieldRules): Broken[] {
  const { format, pattern, minLength = 0, maxLength } = string;
  const broken = (rule: string, value: string, type: string): Broken[] => [{ rule, value, type, loc: [] }];
  return [
    ...(format === 'UUID' ? broken('UUID', 'no-uuid', 'uuid_parsing') : []),
    ...(format === 'UUID' ? broken('UUID, empty', '', 'uuid_parsing') : []),
    ...(format === 'EMAIL' ? broken('e-mail', 'nobody', 'value_error') : []),
    ...(format === 'EMAIL' ? broken('e-mail, empty', '', 'value_error') : []),
    ...(format === 'CRON' ? broken('cron', 'every day', 'value_error') : []),
    ...(format === 'WEB_LINK' ? broken('link', 'javascript:x', 'url_scheme') : []),
    ...(pattern === undefined ? [] : broken('pattern', textAgainst(pattern), 'string_pattern_mismatch')),
    ...(minLength > 0 ? broken('too short', '.'.repeat(minLength - 1), 'string_too_short') : []),
    ...(maxLength === undefined ? [] : broken('too long', '.'.repeat(maxLength + 1), 'string_too_long')),
    ...((format && format !== 'WEB_LINK') || pattern !== undefined
      ? []
      : broken('NUL', `${'.'.repeat(minLength)}\0`, 'value_error')),
  ];
}

function textAgainst(pattern: string): string {
  const text = ['-', '§', '\u0001', ' ', '\u0000', '.'].find((candidate) => !new RegExp(pattern, 'u').test(candidate));
  if (text === undefined) throw new Error(`no text is known to break ${pattern}`);
  return text;
}

function brokenNumbers({ type }: protobuf.Field, { integer = {} }: FieldRules): Broken[] {
  const { minimum, maximum } = integer;
  const holdsNegative = !/^u|^fixed/.test(type);
  return [
    ...(minimum === undefined || (minimum === 0 && !holdsNegative)
      ? []
      : [{ rule: 'minimum', value: minimum - 1, type: 'greater_than_equal', loc: [] }]),
    ...(maximum === undefined ? [] : [{ rule: 'maximum', value: maximum + 1, type: 'less_than_equal', loc: [] }]),
  ];
}

const kinds: readonly [unknown, readonly JsonKind[]][] = [
  [true, ['BOOLEAN']],
  ['text', ['STRING']],
  [1.5, ['NUMBER']],
  [{}, ['OBJECT']],
  [[], ['LIST']],
];

function brokenJson(rules: FieldRules): Broken[] {
  const { json } = rules;
  const large = json.length === 0 || json.includes('STRING') ? largeJson(rules, (text) => text) : [];
  if (json.length === 0) {
    return [{ rule: 'NUL', value: { key: ['a\0'] }, type: 'value_error', loc: ['key', 0] }, ...large];
  }
  return kinds
    .filter(([, allowed]) => !allowed.some((kind) => json.includes(kind)))
    .map(([value]): Broken => ({ rule: `not ${JSON.stringify(value)}`, value, type: 'value_error', loc: [] }))
    .concat(large);
}

function largeJson({ jsonMaxBytes }: FieldRules, holding: (text: string) => unknown): Broken[] {
  if (jsonMaxBytes === undefined) return [];
  return [{ rule: 'too many bytes', value: holding('.'.repeat(jsonMaxBytes)), type: 'bytes_too_long', loc: [] }];
}

function brokenMessages(type: protobuf.Type, around: readonly protobuf.Type[]): Broken[] {
  // One that contains its own kind is broken once.
  if (around.includes(type)) return [];
  const isUnion = discriminatorOf(type) !== undefined;
  const sample = isUnion ? {} : sampleMessage(type, around.length + 1);
  const broken = type.fieldsArray.flatMap((field) => {
    const ownLoc = isUnwrapped(type) ? [] : [fieldRules(field).tag ?? field.name];
    return brokenField(field, false, [...around, type]).map(({ rule, value, type: problem, loc }) => ({
      rule: `${field.name}, ${rule}`,
      value: { ...sample, [camelCase(field.name)]: value, ...whatCallsForIt(field, rule) },
      type: problem,
      loc: [...ownLoc, ...loc],
    }));
  });
  return isUnion ? [...broken, { rule: 'no member', value: {}, type: 'union_tag_not_found', loc: [] }] : broken;
}
