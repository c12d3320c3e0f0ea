import fc, { type Arbitrary } from 'fast-check';
import protobuf from 'protobufjs';
import { fieldsByLocation } from '../src/field-location.ts';
import type { JsonKind, StringFormat } from '../src/generated/options.ts';
import type { HttpBinding, Operation } from '../src/operations.ts';
import { fieldRules, type FieldRules, type IntegerRules, type StringRules } from '../src/options/field-options.ts';
import { discriminatorOf, isUnwrapped } from '../src/options/message-options.ts';

/** A request over HTTP with a JSON body or none. */
export interface HttpRequest {
  readonly path: string;
  readonly rawQuery: string;
  readonly body: Buffer | undefined;
}

/** Whether an operation has no file and no body that is passed on as it is: those hold anything. */
export const takesJson = ({ http, requestType }: Operation): boolean =>
  requestType.fieldsArray.every((field) => fieldRules(field).file === undefined && field.name !== http?.body);

/** Any request of an operation that keeps its rules, in the ways in which JSON and query strings may write it. */
export function arbitraryRequest({ requestType }: Operation, http: HttpBinding): Arbitrary<HttpRequest> {
  const fields = fieldsByLocation(requestType, http);
  return fc
    .record({
      path: fc.record(Object.fromEntries(fields.path.map((field) => [field.name, inPath(field)]))),
      query: fc.record(Object.fromEntries(fields.query.map((field) => [field.name, value(field)])), {
        requiredKeys: [],
      }),
      body: object(fields.body),
    })
    .map(({ path, query, body }) => ({
      path: http.path.replace(/\{([^}]*)\}/g, (_match, name: string) => encodeURIComponent(String(path[name]))),
      rawQuery: String(
        new URLSearchParams(
          Object.entries(query).flatMap(([name, values]) =>
            [values].flat().map((one): [string, string] => [name, String(one)]),
          ),
        ),
      ),
      body: fields.body.length > 0 ? Buffer.from(JSON.stringify(body)) : undefined,
    }));
}

const inPath = (field: protobuf.Field): Arbitrary<unknown> => value(field).filter((text) => text !== '');

/** An object with the fields that it must have and some of the others, nulls where they may be. */
function object(fields: readonly protobuf.Field[], depth = 0): Arbitrary<Record<string, unknown>> {
  // Messages may contain their own kind.
  const kept = fields.filter((field) => depth < 4 || fieldRules(field).required);
  const required = kept.filter((field) => fieldRules(field).required).map(({ name }) => name);
  const entries = kept.map((field) => {
    const given = value(field, depth);
    return [field.name, fieldRules(field).nullable ? fc.option(given) : given] as const;
  });
  return fc.record(Object.fromEntries(entries), { requiredKeys: required });
}

function value(field: protobuf.Field, depth = 0): Arbitrary<unknown> {
  const rules = fieldRules(field);
  const item = single(field, rules.list?.items ?? rules, depth);
  if ((field as object) instanceof protobuf.MapField)
    return fc.dictionary(text({ minLength: 1 }), item, { maxKeys: 3 });
  if (!field.repeated) return item;
  const { minItems: minLength = 0, maxItems = 3 } = rules.list ?? {};
  return fc.array(item, { minLength, maxLength: Math.max(minLength, Math.min(3, maxItems)) });
}

function single(field: protobuf.Field, rules: FieldRules, depth: number): Arbitrary<unknown> {
  const type = field.resolve().resolvedType;
  if (type instanceof protobuf.Enum) {
    return fc.constantFrom(...Object.keys(type.values).filter((name) => type.values[name] !== 0));
  }
  switch (type?.fullName) {
    case undefined:
      return scalar(field, rules);
    case '.google.protobuf.Timestamp':
      return fc
        .date({ min: new Date(0), max: new Date('2100-01-01'), noInvalidDate: true })
        .map((at) => at.toISOString());
    case '.google.protobuf.Struct':
      return fc.dictionary(text({}), json, { maxKeys: 3 });
    case '.google.protobuf.ListValue':
      return fc.array(json, { maxLength: 3 });
    case '.google.protobuf.Value':
      return rules.json.length === 0 ? json : fc.oneof(...rules.json.map((kind) => jsonOfKind[kind]));
    default:
      return message(type as protobuf.Type, depth + 1);
  }
}

function message(type: protobuf.Type, depth: number): Arbitrary<unknown> {
  const discriminator = discriminatorOf(type);
  if (discriminator !== undefined) {
    const members = type.fieldsArray.map((field) =>
      value(field, depth).map((content) => ({ [discriminator]: fieldRules(field).tag, ...(content as object) })),
    );
    return fc.oneof(...members);
  }
  const [only] = type.fieldsArray;
  return isUnwrapped(type) && only ? value(only, depth) : object(type.fieldsArray, depth);
}

function scalar({ type }: protobuf.Field, { string = {}, integer = {} }: FieldRules): Arbitrary<unknown> {
  if (type === 'string') return text(string);
  if (type === 'bool') return fc.boolean();
  if (type === 'double' || type === 'float') return fc.integer({ min: -8, max: 8 }).map((eighths) => eighths / 8);
  return whole(integer, /^(u|fixed)/.test(type) ? 0 : -1000);
}

function whole({ minimum, maximum }: IntegerRules, least: number): Arbitrary<unknown> {
  const number = fc.integer({ min: minimum ?? least, max: Math.min(maximum ?? 1000, 2 ** 31 - 1) });
  return fc.oneof(number, number.map(String));
}

/** By pattern, or by their lengths. Each is made once: that takes a hundred times as long as to take a text of it. */
const madeTexts = new Map<string, Arbitrary<string>>();

function text({ format, pattern, minLength = 0, maxLength = 40 }: StringRules): Arbitrary<string> {
  const fits = (candidate: string): boolean => {
    const { length } = Array.from(candidate);
    return length >= minLength && length <= maxLength && !candidate.includes('\0');
  };
  if (format) return textsOfFormat[format];
  const key = pattern ?? `${minLength} to ${maxLength}`;
  const texts =
    madeTexts.get(key) ??
    (pattern === undefined
      ? fc.string({ unit: 'binary', minLength, maxLength })
      : fc.stringMatching(new RegExp(pattern, 'u')));
  madeTexts.set(key, texts);
  return texts.filter(fits);
}

const addresses = [
  'ada@example.com',
  ' Ada.Lovelace+x@EXAMPLE.com ',
  'grüße@bücher.example',
  '用户@例え.jp',
  "o'hara@example.org",
];

const textsOfFormat: Readonly<Record<StringFormat, Arbitrary<string>>> = {
  UUID: fc.uuid().chain((id) => fc.constantFrom(id, id.toUpperCase(), id.replaceAll('-', ''), `{${id}}`)),
  EMAIL: fc.constantFrom(...addresses),
  CRON: fc.constantFrom('0 8 * * 1-5', '*/5 * * * *'),
  CURSOR: fc.constant(''),
  WEB_LINK: fc.constantFrom('', 'https://example.com/logo.png', 'HTTP://x', '//example.com', '/a:b', 'logo.png'),
};

const json: Arbitrary<unknown> = fc.jsonValue().filter((any) => !JSON.stringify(any).includes('\\u0000'));

const jsonOfKind: Readonly<Record<JsonKind, Arbitrary<unknown>>> = {
  NULL: fc.constant(null),
  BOOLEAN: fc.boolean(),
  INTEGER: fc.integer(),
  NUMBER: fc.double({ noNaN: true, noDefaultInfinity: true }),
  STRING: text({}),
  OBJECT: fc.dictionary(text({}), json, { maxKeys: 3 }),
  LIST: fc.array(json, { maxLength: 3 }),
};
