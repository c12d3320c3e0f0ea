import type { JsonObject, JsonValue } from '@platform-backend/contract/messages';
import fc, { type Arbitrary } from 'fast-check';

/** What a request's path, query or body may be by the document, given its schemas. */
export class DocumentValues {
  readonly #document: JsonObject;

  constructor(document: JsonObject) {
    this.#document = document;
  }

  resolved(schema: JsonObject): JsonObject {
    const reference = schema['$ref'];
    if (typeof reference !== 'string') return schema;
    const path = reference.slice(2).split('/');
    return path.reduce<JsonValue>((value, key) => (value as JsonObject)[key] ?? {}, this.#document) as JsonObject;
  }

  of(given: JsonObject, depth = 0): Arbitrary<JsonValue> {
    const schema = this.resolved(given);
    const { enum: values, anyOf, oneOf, type } = schema as { [key: string]: JsonValue | undefined };
    if ('const' in schema) return fc.constant(schema['const']);
    if (Array.isArray(values)) return fc.constantFrom(...values);
    const alternatives = anyOf ?? oneOf;
    if (Array.isArray(alternatives)) return fc.oneof(...alternatives.map((one) => this.of(one as JsonObject, depth)));
    if (Array.isArray(type)) return fc.oneof(...type.map((one) => this.of({ ...schema, type: one }, depth)));
    switch (typeof type === 'string' ? type : '') {
      case 'null':
        return fc.constant(null);
      case 'boolean':
        return fc.boolean();
      case 'integer':
        return integer(schema);
      case 'number':
        return fc.double({ min: limit(schema, 'minimum') ?? -1e6, max: limit(schema, 'maximum') ?? 1e6, noNaN: true });
      case 'string':
        return text(schema);
      case 'array': {
        const minLength = limit(schema, 'minItems') ?? 0;
        const maxLength = Math.min(limit(schema, 'maxItems') ?? Infinity, minLength + 2);
        return fc.array(this.of((schema['items'] ?? {}) as JsonObject, depth + 1), { minLength, maxLength });
      }
      case 'object':
        return this.object(schema, depth);
      default:
        return fc.constantFrom<JsonValue>('text', 1, true, null);
    }
  }

  object(schema: JsonObject, depth: number): Arbitrary<JsonObject> {
    const properties = Object.entries((schema['properties'] ?? {}) as Record<string, JsonObject>);
    const required = (schema['required'] ?? []) as string[];
    const { additionalProperties: others } = schema;
    if (properties.length === 0 && typeof others === 'object')
      return fc.dictionary(fc.stringMatching(/^[a-z]{1,8}$/), this.of(others as JsonObject, depth + 1), { maxKeys: 2 });
    // A message may contain its own kind.
    const shown = properties.filter(([name]) => depth < 4 || required.includes(name));
    const given = fc.record(Object.fromEntries(shown.map(([name, one]) => [name, this.of(one, depth + 1)])), {
      requiredKeys: required,
    }) as Arbitrary<JsonObject>;
    return given.filter((value) => keepsConditions(schema, value));
  }
}

/** Whether what is required when another field is true has a value. */
function keepsConditions(schema: JsonObject, value: JsonObject): boolean {
  const conditions = (schema['allOf'] ?? []) as { if: { required: string[] }; then: { required: string[] } }[];
  const holds = ([name = '']: readonly string[], test: (found: JsonValue | undefined) => boolean) => test(value[name]);
  return conditions.every(
    ({ if: when, then }) =>
      !holds(when.required, (found) => found === true) ||
      holds(then.required, (found) => found !== undefined && found !== null),
  );
}

const limit = (schema: JsonObject, name: string): number | undefined => {
  const value = schema[name];
  return typeof value === 'number' ? value : undefined;
};

function integer(schema: JsonObject): Arbitrary<number> {
  const bound = schema['format'] === 'int64' ? Number.MAX_SAFE_INTEGER : 2 ** 31 - 1;
  const range = { min: limit(schema, 'minimum') ?? -bound, max: limit(schema, 'maximum') ?? bound };
  return bound > 2 ** 31
    ? fc.maxSafeInteger().map((value) => Math.min(Math.max(value, range.min), range.max))
    : fc.integer(range);
}

function text(schema: JsonObject): Arbitrary<string> {
  const minLength = limit(schema, 'minLength') ?? 0;
  const maxLength = Math.min(limit(schema, 'maxLength') ?? Infinity, minLength + 20);
  switch (typeof schema['format'] === 'string' ? schema['format'] : '') {
    case 'uuid':
      return fc.uuid();
    case 'date-time':
      return fc
        .date({ min: new Date('1970-01-01'), max: new Date('2200-01-01'), noInvalidDate: true })
        .map((date) => date.toISOString());
    case 'email':
      return fc.stringMatching(/^[a-z]{1,20}$/).map((name) => `${name}@example.com`);
    case 'cron':
      return fc.constantFrom('0 6 * * 1', '*/5 * * * *', '@daily', '0 0 * * 5#2');
    default:
  }
  const { pattern } = schema;
  const fits = (value: string): boolean => {
    const length = Array.from(value).length;
    return length >= minLength && length <= (limit(schema, 'maxLength') ?? Infinity) && !value.includes('\0');
  };
  const any = typeof pattern === 'string' ? matching(pattern) : graphemes(minLength, maxLength);
  return any.filter(fits);
}

/** Each is made once: that takes a hundred times as long as to take a text of it. */
const made = new Map<string, Arbitrary<string>>();

function once(key: string, make: () => Arbitrary<string>): Arbitrary<string> {
  const known = made.get(key) ?? make();
  made.set(key, known);
  return known;
}

const matching = (pattern: string) => once(pattern, () => fc.stringMatching(new RegExp(pattern, 'u')));

const graphemes = (minLength: number, maxLength: number) =>
  once(`${minLength} to ${maxLength}`, () => fc.string({ unit: 'grapheme', minLength, maxLength }));
