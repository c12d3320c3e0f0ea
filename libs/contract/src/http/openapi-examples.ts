import protobuf from 'protobufjs';
import type { JsonObject, JsonValue } from '../json-values.ts';
import { fieldRules, type FieldRules } from '../options/field-options.ts';
import { discriminatorOf, isUnwrapped } from '../options/message-options.ts';
import type { FieldDocumentation } from './field-documentation.ts';
import type { Direction } from './openapi-schemas.ts';

/** Values as clients write them and are answered them, put together from those that the contract names for fields. */
export class Examples {
  readonly #documentation: FieldDocumentation;

  constructor(documentation: FieldDocumentation) {
    this.#documentation = documentation;
  }

  message(type: protobuf.Type, direction: Direction, within: readonly protobuf.Type[] = []): JsonValue {
    const [only] = type.fieldsArray;
    if (isUnwrapped(type) && only) return this.field(only, direction, within);
    const discriminator = discriminatorOf(type);
    if (discriminator !== undefined && only) {
      const tag = fieldRules(only).tag ?? only.name;
      return { [discriminator]: tag, ...(this.field(only, direction, within) as JsonObject) };
    }
    return this.object(type.fieldsArray, direction, [...within, type]);
  }

  /** Of a request, without what stands for itself when it is left out. */
  object(fields: readonly protobuf.Field[], direction: Direction, within: readonly protobuf.Type[] = []): JsonObject {
    const shown = fields.filter((field) => {
      const type = field.resolve().resolvedType;
      const rules = fieldRules(field);
      // A message may contain its own kind.
      if (type instanceof protobuf.Type && within.includes(type)) return rules.required;
      return type?.fullName !== '.google.protobuf.FieldMask';
    });
    return Object.fromEntries(shown.map((field) => [field.name, this.field(field, direction, within)]));
  }

  /** Of bytes that are a whole body, as text: one for all media types, or one for each. */
  bytes(field: protobuf.Field, mediaType: string): JsonValue {
    return bytesExample(this.#documentation.example(field), mediaType) ?? '';
  }

  field(field: protobuf.Field, direction: Direction, within: readonly protobuf.Type[] = []): JsonValue {
    const rules = fieldRules(field);
    const named = this.#documentation.example(field);
    if (named !== undefined) return named;
    if (rules.file !== undefined) return '';
    if (rules.defaultJson !== undefined) return JSON.parse(rules.defaultJson) as JsonValue;
    const { list } = rules;
    const one = this.#one(field, list?.items ?? rules, direction, within);
    if (field.map) return { name: one };
    return field.repeated ? Array.from({ length: Math.max(1, list?.minItems ?? 0) }, () => one) : one;
  }

  #one(field: protobuf.Field, rules: FieldRules, direction: Direction, within: readonly protobuf.Type[]): JsonValue {
    const type = field.resolve().resolvedType;
    if (type instanceof protobuf.Enum) {
      return Object.keys(type.values).find((name) => type.values[name] !== 0) ?? null;
    }
    switch (type?.fullName) {
      case undefined:
        return scalar(field, rules);
      case '.google.protobuf.Timestamp':
        return '2026-01-31T14:00:00Z';
      case '.google.protobuf.Struct':
        return {};
      case '.google.protobuf.ListValue':
        return [];
      case '.google.protobuf.Value':
        return 'value';
    }
    return this.message(type as protobuf.Type, direction, within);
  }
}

export function bytesExample(named: JsonValue | undefined, mediaType: string): JsonValue | undefined {
  const one = isObject(named) ? named[mediaType] : named;
  return typeof one === 'string' ? one : undefined;
}

const isObject = (value: JsonValue | undefined): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const ID = '0f8fad5b-d9cb-469f-a165-70867728950e';

function scalar({ name, type }: protobuf.Field, { integer, string }: FieldRules): JsonValue {
  switch (type) {
    case 'bool':
      return true;
    case 'string':
      return string?.format === 'CURSOR' ? '' : string?.format === 'EMAIL' ? 'ada@example.com' : idOrText(name, string);
    case 'bytes':
      return '';
    case 'double':
    case 'float':
      return 0.5;
    default:
      return Math.min(Math.max(1, integer?.minimum ?? 1), integer?.maximum ?? Infinity);
  }
}

const idOrText = (name: string, string: FieldRules['string']): string => (hasExample(name, string) ? ID : 'text');

/** Whether a text needs no value of its own in the contract: it is an id, or of a format that says what it looks like. */
export const hasExample = (name: string, string: FieldRules['string']): boolean =>
  string?.format === 'UUID' || string?.format === 'EMAIL' || string?.format === 'CURSOR' || /(?:^|_)ids?$/.test(name);
