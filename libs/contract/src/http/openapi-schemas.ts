import protobuf from 'protobufjs';
import type { JsonKind, StringFormat } from '../generated/options.ts';
import type { JsonObject, JsonValue } from '../json-values.ts';
import { fieldRules, noRules, schemaOf, type FieldRules } from '../options/field-options.ts';
import { discriminatorOf, isUnwrapped } from '../options/message-options.ts';
import type { FieldDocumentation } from './field-documentation.ts';

/** Whether a schema describes what clients send, or what they are answered. */
export type Direction = 'request' | 'answer';

/**
 * JSON schemas of messages, collected under `components.schemas` while they are referred to.
 * A message that clients send inside a request is `XInput`, apart from `X`, which is answered.
 */
export class SchemaCollection {
  readonly schemas: JsonObject = {};
  readonly #named = new Map<string, protobuf.Type>();
  readonly #documentation: FieldDocumentation;

  constructor(documentation: FieldDocumentation) {
    this.#documentation = documentation;
  }

  /** A reference to a message's schema. */
  message(type: protobuf.Type, direction: Direction): JsonObject {
    const name = this.#nameOf(type) + (direction === 'request' ? 'Input' : '');
    if (!Object.hasOwn(this.schemas, name)) {
      this.schemas[name] = {}; // before its content: a message may contain itself
      this.schemas[name] = this.#content(type, direction);
    }
    return { $ref: `#/components/schemas/${name}` };
  }

  /** An object of some of a message's fields. */
  object(fields: readonly protobuf.Field[], direction: Direction): JsonObject {
    const required = fields.filter((field) => {
      const rules = fieldRules(field);
      return direction === 'answer' ? !rules.omitEmpty : rules.required;
    });
    return {
      type: 'object',
      properties: Object.fromEntries(fields.map((field) => [field.name, this.field(field, direction)])),
      ...(required.length > 0 && { required: required.map(({ name }) => name) }),
      ...(direction === 'request' && requiredByOthers(fields)),
    };
  }

  /** The schema of a field's value, with its rules and what it means. */
  field(field: protobuf.Field, direction: Direction): JsonObject {
    const rules = fieldRules(field);
    const schema = this.#withoutNull(field, rules, direction);
    const nullable = rules.nullable || (direction === 'answer' && !rules.omitEmpty && isOptionalScalar(field));
    const description = this.#documentation.description(field);
    const described: JsonObject = {
      ...(nullable ? orNull(schema) : schema),
      ...(description !== undefined && { description }),
      ...(field.getOption('deprecated') === true && { deprecated: true }),
    };
    if (direction === 'answer') return described;
    if (rules.defaultJson !== undefined) described['default'] = JSON.parse(rules.defaultJson) as JsonValue;
    return { ...described, ...schemaOf(field) };
  }

  /** A message's own name; of two that share one, the later carries its package's too. */
  #nameOf(type: protobuf.Type): string {
    const owner = this.#named.get(type.name);
    if (owner === type) return type.name;
    const [, , domain = ''] = type.fullName.split('.');
    const name = owner ? domain.charAt(0).toUpperCase() + domain.slice(1) + type.name : type.name;
    this.#named.set(name, type);
    return name;
  }

  #content(type: protobuf.Type, direction: Direction): JsonObject {
    const [only] = type.fieldsArray;
    const described = { ...(type.comment && { description: type.comment }) };
    if (isUnwrapped(type) && only) return { ...this.field(only, direction), ...described };
    const discriminator = discriminatorOf(type);
    if (discriminator === undefined) return { ...this.object(type.fieldsArray, direction), ...described };
    return {
      oneOf: type.fieldsArray.map((field) => {
        const { resolvedType } = field.resolve();
        if (!(resolvedType instanceof protobuf.Type)) throw new Error(`${field.fullName.slice(1)} must be a message`);
        const member = this.object(resolvedType.fieldsArray, direction);
        const tag = { type: 'string', const: fieldRules(field).tag ?? field.name };
        return {
          ...member,
          title: resolvedType.name,
          properties: { [discriminator]: tag, ...(member['properties'] as JsonObject) },
          required: [discriminator, ...((member['required'] as string[] | undefined) ?? [])],
        };
      }),
      ...described,
    };
  }

  #withoutNull(field: protobuf.Field, rules: FieldRules, direction: Direction): JsonObject {
    if (rules.file !== undefined)
      return { type: 'string', format: 'binary', contentMediaType: 'application/octet-stream' };
    if (field.map) return this.#map(field, rules, direction);
    if (!field.repeated) return this.#value(field, rules, direction);
    const { minItems, maxItems, items } = rules.list ?? {};
    return {
      type: 'array',
      items: this.#value(field, items ?? noRules, direction),
      ...(minItems !== undefined && { minItems }),
      ...(maxItems !== undefined && { maxItems }),
    };
  }

  #map(field: protobuf.Field, rules: FieldRules, direction: Direction): JsonObject {
    const { maxKeys, maxKeyLength } = rules.map ?? {};
    return {
      type: 'object',
      additionalProperties: this.#value(field, rules, direction),
      ...(maxKeys !== undefined && { maxProperties: maxKeys }),
      ...(maxKeyLength !== undefined && { propertyNames: { maxLength: maxKeyLength } }),
    };
  }

  #value(field: protobuf.Field, rules: FieldRules, direction: Direction): JsonObject {
    const type = field.resolve().resolvedType;
    if (type instanceof protobuf.Enum) {
      return { type: 'string', enum: Object.keys(type.values).filter((name) => type.values[name] !== 0) };
    }
    switch (type?.fullName) {
      case undefined:
        return scalar(field.type, rules);
      case '.google.protobuf.Timestamp':
        return { type: 'string', format: 'date-time' };
      case '.google.protobuf.Struct':
        return { type: 'object', additionalProperties: true, ...maxBytes(rules.jsonMaxBytes) };
      case '.google.protobuf.ListValue':
        return { type: 'array', items: {}, ...maxBytes(rules.jsonMaxBytes) };
      case '.google.protobuf.Value':
        return {
          ...(rules.json.length > 0 && { type: oneOrMore(rules.json.map((kind) => jsonTypes[kind])) }),
          ...maxBytes(rules.jsonMaxBytes),
        };
    }
    if (!type) throw new Error(`${field.fullName.slice(1)} has an unknown type`);
    return this.message(type, direction);
  }
}

/** Fields that have to have a value whenever another one is true. */
function requiredByOthers(fields: readonly protobuf.Field[]): JsonObject {
  const rules = fields.flatMap((field): JsonObject[] => {
    const { requiredWhen } = fieldRules(field);
    if (requiredWhen === undefined) return [];
    return [
      {
        if: { properties: { [requiredWhen]: { const: true } }, required: [requiredWhen] },
        then: { properties: { [field.name]: { not: { type: 'null' } } }, required: [field.name] },
      },
    ];
  });
  return rules.length > 0 ? { allOf: rules } : {};
}

/** JSON Schema has no word for a size in bytes. */
export const maxBytes = (bytes: number | undefined): JsonObject =>
  bytes === undefined ? {} : { 'x-max-bytes': bytes };

const jsonTypes: Record<JsonKind, string> = {
  NULL: 'null',
  BOOLEAN: 'boolean',
  INTEGER: 'integer',
  NUMBER: 'number',
  STRING: 'string',
  OBJECT: 'object',
  LIST: 'array',
};

const formats: Record<StringFormat, JsonObject> = {
  UUID: { format: 'uuid' },
  EMAIL: { format: 'email' },
  CRON: { format: 'cron' },
  CURSOR: {},
  WEB_LINK: {},
};

function scalar(type: string, { string, integer }: FieldRules): JsonObject {
  if (type === 'string') {
    return {
      type: 'string',
      ...(string?.format && formats[string.format]),
      ...(string?.minLength !== undefined && { minLength: string.minLength }),
      ...(string?.maxLength !== undefined && { maxLength: string.maxLength }),
      ...(string?.pattern !== undefined && { pattern: string.pattern }),
    };
  }
  if (type === 'bool') return { type: 'boolean' };
  if (type === 'bytes') return { type: 'string', contentEncoding: 'base64' };
  if (type === 'double' || type === 'float') return { type: 'number', format: type };
  return {
    type: 'integer',
    format: type.endsWith('64') ? 'int64' : 'int32',
    ...(integer?.minimum !== undefined && { minimum: integer.minimum }),
    ...(integer?.maximum !== undefined && { maximum: integer.maximum }),
  };
}

/** `optional int64 limit`: its presence is part of its type, so that it needs no rule to be null. */
function isOptionalScalar(field: protobuf.Field): boolean {
  return Boolean(field.partOf) && !(field.resolve().resolvedType instanceof protobuf.Type);
}

function orNull(schema: JsonObject): JsonObject {
  const { type } = schema;
  if (typeof type !== 'string' || schema['enum']) return { anyOf: [schema, { type: 'null' }] };
  return { ...schema, type: [type, 'null'] };
}

function oneOrMore(texts: readonly string[]): JsonValue {
  const distinct = [...new Set(texts)];
  return distinct.length === 1 ? (distinct[0] ?? null) : distinct;
}
