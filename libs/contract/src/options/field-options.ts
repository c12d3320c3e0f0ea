import type { Field } from 'protobufjs';
import type { JsonKind, StringFormat } from '../generated/options.ts';
import type { JsonObject, JsonValue } from '../json-values.ts';
import { optional, optionsPackage, rawOption, reader, withoutPrefix } from './declared-option.ts';

export interface StringRules {
  /** Lengths count Unicode code points. */
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly pattern?: string;
  readonly format?: StringFormat;
}

export interface IntegerRules {
  readonly minimum?: number;
  readonly maximum?: number;
}

export interface BytesRules {
  /** Of an upload all its messages together, of a WebSocket each of its frames. */
  readonly maxLength?: number;
}

export interface ListRules {
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly items?: FieldRules;
}

export interface MapRules {
  readonly maxKeys?: number;
  /** In code points. */
  readonly maxKeyLength?: number;
}

/** The rules of one field; see `FieldRules` in options.proto for what each promises. */
export interface FieldRules {
  readonly required: boolean;
  readonly nullable: boolean;
  readonly defaultJson?: string;
  readonly secret: boolean;
  readonly header?: string;
  readonly file?: string;
  readonly tag?: string;
  readonly string?: StringRules;
  readonly integer?: IntegerRules;
  readonly list?: ListRules;
  readonly map?: MapRules;
  /** Of free JSON: bytes of each value as it travels between services. */
  readonly jsonMaxBytes?: number;
  readonly bytes?: BytesRules;
  /** Empty: any kind. */
  readonly json: readonly JsonKind[];
  readonly omitEmpty: boolean;
  /** Of free JSON: numbers come as they were written. */
  readonly exactNumbers: boolean;
  /** Of a member of a union that the recorded answers do not tell of. */
  readonly unrecorded: boolean;
  /** The key must be present, with a value, whenever this boolean field of the same message is true. */
  readonly requiredWhen?: string;
}

/** Of list items without rules of their own. */
export const noRules: FieldRules = {
  required: false,
  nullable: false,
  secret: false,
  json: [],
  omitEmpty: false,
  exactNumbers: false,
  unrecorded: false,
};

/** The rules of a field; a field without any has the neutral ones. */
export function fieldRules(field: Field): FieldRules {
  const known = rulesOfField.get(field);
  if (known) return known;
  const rules = toFieldRules(rawOption(field, `${optionsPackage}.rules`), field.fullName);
  rulesOfField.set(field, rules);
  return rules;
}

const rulesOfField = new WeakMap<Field, FieldRules>();

function toFieldRules(raw: unknown, where: string): FieldRules {
  const read = reader(raw, where);
  const rules: FieldRules = {
    required: read.flag('required'),
    nullable: read.flag('nullable'),
    secret: read.flag('secret'),
    omitEmpty: read.flag('omit_empty'),
    exactNumbers: read.flag('exact_numbers'),
    unrecorded: read.flag('unrecorded'),
    json: read.list('json').map((name) => withoutPrefix(name, 'JSON_KIND_') as JsonKind),
    ...read.text('default_json', 'defaultJson'),
    ...read.text('header', 'header'),
    ...read.text('file', 'file'),
    ...read.text('tag', 'tag'),
    ...read.text('required_when', 'requiredWhen'),
    ...read.part('string', 'string', (part) => ({
      ...part.number('min_length', 'minLength'),
      ...part.number('max_length', 'maxLength'),
      ...part.text('pattern', 'pattern'),
      ...optional('format', part.name('format', 'STRING_FORMAT_') as StringFormat | undefined),
    })),
    ...read.number('json_max_bytes', 'jsonMaxBytes'),
    ...read.part('bytes', 'bytes', (part) => part.number('max_length', 'maxLength')),
    ...read.part('map', 'map', (part) => ({
      ...part.number('max_keys', 'maxKeys'),
      ...part.number('max_key_length', 'maxKeyLength'),
    })),
    ...read.part('integer', 'integer', (part) => ({
      ...part.number('minimum', 'minimum'),
      ...part.number('maximum', 'maximum'),
    })),
    ...read.part('list', 'list', (part) => ({
      ...part.number('min_items', 'minItems'),
      ...part.number('max_items', 'maxItems'),
      ...part.nested('items', 'items', (raw) => toFieldRules(raw, `${where} (items)`)),
    })),
  };
  read.refuseUnread();
  return rules;
}

/** A value that the field may have, for the documents. */
export function exampleOf(field: Field): JsonValue | undefined {
  const text = rawOption(field, `${optionsPackage}.example_json`);
  return typeof text === 'string' ? (JSON.parse(text) as JsonValue) : undefined;
}

/** What JSON Schema says of a request's field beyond its rules. */
export function schemaOf(field: Field): JsonObject {
  const text = rawOption(field, `${optionsPackage}.schema_json`);
  return typeof text === 'string' ? (JSON.parse(text) as JsonObject) : {};
}

/** What the entity tag of an answer has to do with one of its fields. */
export function entityTagPartOf(field: Field): EntityTagPart {
  const value = rawOption(field, `${optionsPackage}.entity_tag`);
  const part = typeof value === 'string' ? withoutPrefix(value, 'ENTITY_TAG_PART_') : 'UNSPECIFIED';
  if (!ENTITY_TAG_PARTS.has(part)) throw new Error(`${field.fullName.slice(1)} is ${part} to an entity tag`);
  return part as EntityTagPart;
}

export type EntityTagPart = 'UNSPECIFIED' | 'REPRESENTATION' | 'COVERED';

const ENTITY_TAG_PARTS: ReadonlySet<string> = new Set<EntityTagPart>(['UNSPECIFIED', 'REPRESENTATION', 'COVERED']);
