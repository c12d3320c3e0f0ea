import type { Enum, Field, Method, ReflectionObject, Type } from 'protobufjs';

/** Credentials a caller may present; the wording of `CredentialKind` in options.proto. */
export type CredentialKind = 'TOKEN' | 'API_KEY' | 'API_KEY_HEADER' | 'ANONYMOUS';

/** What a member may do, lowest first; each level includes those before it. */
export type PermissionLevel = 'VIEWER' | 'EDITOR' | 'ADMIN' | 'OWNER';

/** What spent credits pay for. */
export type CreditClass = 'AI' | 'INFRASTRUCTURE';

/** Who may call an operation. */
export interface Access {
  /** Empty for an operation that only services call. */
  readonly credentials: readonly CredentialKind[];
  /** The least level; absent: any verified user, member of an organisation or not. */
  readonly level?: PermissionLevel;
  /** The area an API key's scopes name. */
  readonly area?: string;
  /** Services that may call on their own behalf. */
  readonly services: readonly string[];
  /** A deployment may open it to callers without a credential. */
  readonly openable?: true;
  /** The credits it spends. */
  readonly spends?: CreditClass;
}

export type StringFormat = 'UUID' | 'EMAIL' | 'CRON' | 'CURSOR' | 'WEB_LINK';
export type JsonKind = 'NULL' | 'BOOLEAN' | 'INTEGER' | 'NUMBER' | 'STRING' | 'OBJECT' | 'LIST';

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
  /** Empty: any kind. */
  readonly json: readonly JsonKind[];
  readonly omitEmpty: boolean;
  /** The key must be present, with a value, whenever this boolean field of the same message is true. */
  readonly requiredWhen?: string;
}

/** An option as written in the .proto file: names in snake_case, enum values as full names. */
type RawOption = Record<string, unknown>;

const optionsPackage = 'platform.options.v1';

/**
 * The value of an option of ours on a declaration, all its parts merged.
 * protobufjs keeps `(rules).a = 1, (rules).b = 2` and repeated options as separate entries.
 */
export function rawOption(declared: ReflectionObject, name: string): unknown {
  const key = `(${name})`;
  let merged: unknown;
  // parsedOptions has no type for its content; its shape is fixed by protobufjs's parser.
  for (const entry of (declared.parsedOptions ?? []) as RawOption[]) {
    if (Object.hasOwn(entry, key)) merged = merge(merged, entry[key]);
  }
  return merged;
}

function merge(earlier: unknown, later: unknown): unknown {
  if (!isRecord(earlier) || !isRecord(later)) return later;
  const merged: RawOption = { ...earlier };
  for (const [name, value] of Object.entries(later)) merged[name] = merge(merged[name], value);
  return merged;
}

function isRecord(value: unknown): value is RawOption {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

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
      ...given('format', part.name('format', 'STRING_FORMAT_') as StringFormat | undefined),
    })),
    ...read.number('json_max_bytes', 'jsonMaxBytes'),
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

/** The access rule of an rpc. Throws when it has none: an operation nobody decided about must not exist. */
export function accessOf(method: Method): Access {
  const raw = rawOption(method, `${optionsPackage}.access`);
  if (raw === undefined) {
    throw new Error(
      `${method.fullName.slice(1)} has no (${optionsPackage}.access) option: every rpc must say who may call it`,
    );
  }
  const read = reader(raw, method.fullName);
  const access: Access = {
    credentials: read.list('credentials').map((name) => withoutPrefix(name, 'CREDENTIAL_KIND_') as CredentialKind),
    services: read.list('services'),
    ...read.text('area', 'area'),
    ...given('level', read.name('level', 'PERMISSION_LEVEL_') as PermissionLevel | undefined),
    ...given('openable', read.flag('openable') || undefined),
    ...given('spends', read.name('spends', 'CREDIT_CLASS_') as CreditClass | undefined),
  };
  read.refuseUnread();
  return access;
}

/** How an rpc's answer travels over HTTP. */
export interface HttpAnswer {
  readonly status: number;
  /** The media type of an answer that is not JSON: its only field is the whole body. */
  readonly contentType?: string;
}

export function httpAnswerOf(method: Method): HttpAnswer {
  const read = reader(rawOption(method, `${optionsPackage}.http_answer`), method.fullName);
  const answer = { status: read.number('status', 'status').status ?? 200, ...read.text('content_type', 'contentType') };
  read.refuseUnread();
  return answer;
}

/** What a 404 calls the message: "Client group". */
export function thingOf(type: Type): string | undefined {
  return textOption(type, 'thing');
}

/** The JSON key that tells the members of the message's single oneof apart. */
export function discriminatorOf(type: Type): string | undefined {
  return textOption(type, 'discriminator');
}

/** Whether the message stands in JSON for its only field. */
export function isFlat(type: Type): boolean {
  return rawOption(type, `${optionsPackage}.flat`) === true;
}

/** The most bytes that a request of this type may have, as it travels between services. */
export function maxBytesOf(type: Type): number | undefined {
  const value = rawOption(type, `${optionsPackage}.max_bytes`);
  return typeof value === 'number' ? value : undefined;
}

/** Whether the short names of an enum are lower-case (`active`) or capitalised (`Running`). */
export function enumCaseOf(declared: Enum): 'lower' | 'capitalised' | 'upper' {
  if (rawOption(declared, `${optionsPackage}.lower_case`) === true) return 'lower';
  return rawOption(declared, `${optionsPackage}.capitalised`) === true ? 'capitalised' : 'upper';
}

function textOption(type: Type, name: string): string | undefined {
  const value = rawOption(type, `${optionsPackage}.${name}`);
  return typeof value === 'string' && value !== '' ? value : undefined;
}

function withoutPrefix(name: string, prefix: string): string {
  return name.startsWith(prefix) ? name.slice(prefix.length) : name;
}

interface OptionReader {
  flag(name: string): boolean;
  list(name: string): string[];
  text<Key extends string>(name: string, key: Key): { [K in Key]?: string };
  /** An enum value, its prefix dropped. */
  name(name: string, prefix: string): string | undefined;
  number<Key extends string>(name: string, key: Key): { [K in Key]?: number };
  nested<Key extends string, Part>(name: string, key: Key, read: (raw: unknown) => Part): { [K in Key]?: Part };
  part<Key extends string, Part>(name: string, key: Key, read: (part: OptionReader) => Part): { [K in Key]?: Part };
  /** protobufjs checks no option names, so a misspelt rule would silently not apply. */
  refuseUnread(): void;
}

/** `{ key: value }`, or nothing to spread when there is no value. */
function given<Key extends string, Value>(key: Key, value: Value | undefined): { [K in Key]?: Value } {
  return (value === undefined ? {} : { [key]: value }) as { [K in Key]?: Value };
}

function reader(option: unknown, where: string): OptionReader {
  if (option !== undefined && !isRecord(option)) throw new Error(`${where}: an option is set twice or is no message`);
  const raw = option ?? {};
  const readNames = new Set<string>();
  const take = (name: string): unknown => {
    readNames.add(name);
    return raw[name];
  };
  const refuseUnread = (): void => {
    const unknown = Object.keys(raw).filter((name) => !readNames.has(name));
    if (unknown.length > 0) throw new Error(`${where} has an unknown option: ${unknown.join(', ')}`);
  };
  return {
    flag: (name) => take(name) === true,
    // A repeated option with one value is a scalar for protobufjs.
    list: (name) => {
      const value = take(name);
      return value === undefined ? [] : (Array.isArray(value) ? value : [value]).map(String);
    },
    text: (name, key) => {
      const value = take(name);
      return given(key, typeof value === 'string' && value !== '' ? value : undefined);
    },
    name: (name, prefix) => {
      const value = take(name);
      return typeof value === 'string' ? withoutPrefix(value, prefix) : undefined;
    },
    number: (name, key) => {
      const value = take(name);
      return given(key, value === undefined ? undefined : Number(value));
    },
    nested: (name, key, read) => {
      const value = take(name);
      return given(key, value === undefined ? undefined : read(value));
    },
    part: (name, key, read) => {
      const value = take(name);
      if (value === undefined) return {};
      const part = reader(value, `${where} (${name})`);
      const result = read(part);
      part.refuseUnread();
      return given(key, result);
    },
    refuseUnread,
  };
}
