import type { Enum, Field, Method, ReflectionObject, Root, Type } from 'protobufjs';
import type {
  Area,
  CredentialKind,
  CreditClass,
  JsonKind,
  PermissionLevel,
  StringFormat,
} from './generated/options.ts';
import type { JsonObject, JsonValue } from './json-values.ts';

export type { Area, CredentialKind, CreditClass, JsonKind, PermissionLevel, StringFormat };

/** Who may call an operation. */
export interface Access {
  /** Empty for an operation that only services call. */
  readonly credentials: readonly CredentialKind[];
  /** The least level; absent: any verified user, member of an organisation or not. */
  readonly level?: PermissionLevel;
  /** The area an API key's scopes name. */
  readonly area?: Area;
  /** Services that may call on their own behalf. */
  readonly services: readonly string[];
  /** A deployment may open it to callers without a credential. */
  readonly openable?: true;
  /** The credits it spends. */
  readonly spends?: CreditClass;
  /** It is bound to another method than GET, and does not say that it has no side effects. */
  readonly writes?: true;
}

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

/** The values of a repeated option. */
const rawOptions = (declared: ReflectionObject, name: string): unknown[] =>
  ((declared.parsedOptions ?? []) as RawOption[]).flatMap((entry) => entry[`(${name})`] ?? []);

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

/** Protobuf's own option, of what only reads although it is bound to POST. */
const hasNoSideEffects = (method: Method): boolean => method.options?.['idempotency_level'] === 'NO_SIDE_EFFECTS';

/**
 * Who may call an rpc: what it says itself, and for the rest what its service says of all that have an HTTP binding.
 * Throws when nobody has decided about it.
 */
export function accessOf(method: Method, verb: string | undefined): Access {
  const own = rawOption(method, `${optionsPackage}.access`);
  const common =
    verb !== undefined && method.parent ? rawOption(method.parent, `${optionsPackage}.default_access`) : undefined;
  if (own === undefined && common === undefined) {
    throw new Error(
      `${method.fullName.slice(1)} has no (${optionsPackage}.access) option, and its service no default_access: every rpc must say who may call it`,
    );
  }
  const given = { ...readAccess(common, method), ...readAccess(own, method) };
  const { anyUser, level, area, credentials = [], services = [], ...rest } = given;
  if (anyUser !== true && level === undefined && credentials.some((kind) => kind !== 'ANONYMOUS')) {
    throw new Error(`${method.fullName.slice(1)}: its access must name the least level, or any_user`);
  }
  const writes = verb !== undefined && verb !== 'GET' && !hasNoSideEffects(method);
  return {
    credentials,
    services,
    ...(writes && { writes: true }),
    ...(anyUser !== true && { ...optional('area', area), ...optional('level', level) }),
    ...rest,
  };
}

/** What is left out is said by nobody here. */
function readAccess(raw: unknown, method: Method): Partial<Access> & { readonly anyUser?: true } {
  const read = reader(raw, method.fullName);
  const names = (name: string): string[] | undefined => (read.has(name) ? read.list(name) : undefined);
  const kindOf = (name: string): CredentialKind => withoutPrefix(name, 'CREDENTIAL_KIND_') as CredentialKind;
  const access = {
    ...optional('credentials', names('credentials')?.map(kindOf)),
    ...optional('services', names('services')),
    ...optional('area', read.name('area', 'AREA_')?.toLowerCase() as Area | undefined),
    ...optional('level', read.name('level', 'PERMISSION_LEVEL_') as PermissionLevel | undefined),
    ...optional('openable', read.flag('openable') || undefined),
    ...optional('spends', read.name('spends', 'CREDIT_CLASS_') as CreditClass | undefined),
    ...optional('anyUser', read.flag('any_user') || undefined),
  };
  read.refuseUnread();
  return access;
}

/** Every area there is. */
export function areasOf(root: Root): ReadonlySet<Area> {
  return new Set(valueNames(root.lookupEnum(`${optionsPackage}.Area`)) as Area[]);
}

const valueNames = ({ values }: Enum): string[] => Object.keys(values).filter((name) => values[name] !== 0);

/** The levels of people whom no used-up limit of requests stops. */
export function levelsPassingRequestLimit(root: Root): ReadonlySet<PermissionLevel> {
  const { values, valuesOptions } = root.lookupEnum(`${optionsPackage}.PermissionLevel`);
  const passes = (name: string): boolean =>
    valuesOptions?.[name]?.[`(${optionsPackage}.passes_request_limit)`] === true;
  return new Set(Object.keys(values).filter(passes) as PermissionLevel[]);
}

/** How an rpc's answer travels over HTTP. */
export interface HttpAnswer {
  readonly status: number;
  /** The media type of an answer that is not JSON: its only field is the whole body. */
  readonly contentType?: string;
  /** The header Location, with fields of the answer in braces. */
  readonly location?: string;
  /** Of streamed bytes whose type the first message names: which there may be. */
  readonly streamedTypes?: readonly string[];
  /** Of an answer that is JSON: the optional text that is the whole body where it is there. */
  readonly textField?: string;
}

export function httpAnswerOf(method: Method): HttpAnswer {
  const read = reader(rawOption(method, `${optionsPackage}.http_answer`), method.fullName);
  const answer = {
    status: read.number('status', 'status').status ?? 200,
    ...read.text('content_type', 'contentType'),
    ...read.text('location', 'location'),
    ...optional('streamedTypes', read.has('streamed_types') ? read.list('streamed_types') : undefined),
    ...read.text('text_field', 'textField'),
  };
  read.refuseUnread();
  return answer;
}

/** How an operation speaks HTTP where that is not the platform's own way. */
export interface HttpDialect {
  /** `Authorization: token …` and the parameter `token` of the query carry a credential, too. */
  readonly tokenCredential: boolean;
  /** A body of whatever content type is JSON, and none is an empty object. */
  readonly untypedJson: boolean;
  /** Errors are `{"message", "reason"}`. */
  readonly messageErrors: boolean;
  /** The body is a list of CloudEvents, or one of them alone. */
  readonly cloudEvents: boolean;
  /** Errors and events as OpenAI has them; unknown names are refused. */
  readonly openAi: boolean;
}

/** What the rpc says itself stands in place of all that its service says. */
export function httpDialectOf(method: Method): HttpDialect {
  const own = rawOption(method, `${optionsPackage}.http_dialect`);
  const common = method.parent ? rawOption(method.parent, `${optionsPackage}.default_http_dialect`) : undefined;
  const read = reader(own ?? common, method.fullName);
  const dialect = {
    tokenCredential: read.flag('token_credential'),
    untypedJson: read.flag('untyped_json'),
    messageErrors: read.flag('message_errors'),
    cloudEvents: read.flag('cloud_events'),
    openAi: read.flag('open_ai'),
  };
  read.refuseUnread();
  return dialect;
}

/** Whether the rpc goes on where it was when it is asked for again after it was cut short. */
export function isRetrySafe(method: Method): boolean {
  return rawOption(method, `${optionsPackage}.retry_safe`) === true;
}

/** Where what the rpc has begun is found, by the id of its keyed call in place of `{id}`. */
export function pendingLocationOf(method: Method): string | undefined {
  const path = rawOption(method, `${optionsPackage}.pending_location`);
  return typeof path === 'string' && path !== '' ? path : undefined;
}

/** The boolean field of the request by which the rpc is told from one on its path that answers at once. */
export function streamedWhenOf(method: Method): string | undefined {
  const field = rawOption(method, `${optionsPackage}.streamed_when`);
  return typeof field === 'string' && field !== '' ? field : undefined;
}

/** What spends credits makes its service work longer than a read does. */
const COST_OF_SPENDING = 5;

/** How many requests the rpc counts as where those of a credential are limited. */
export function costOf(method: Method, { spends }: Pick<Access, 'spends'>): number {
  return Number(rawOption(method, `${optionsPackage}.cost`) ?? (spends === undefined ? 1 : COST_OF_SPENDING));
}

/** How long callers wait at the least for the answer, in milliseconds, where the rpc says so. */
export function deadlineMsOf(method: Method): number | undefined {
  const seconds = rawOption(method, `${optionsPackage}.deadline_seconds`);
  return seconds === undefined ? undefined : Number(seconds) * 1000;
}

/** A status in which an operation fails beside those in which all do. */
export interface ErrorAnswer {
  readonly status: number;
  /** What `X-Error-Code` says then. */
  readonly codes: readonly string[];
  /** When that is, as a sentence. */
  readonly when: string;
  /** There are other codes beside these. */
  readonly openCodes: boolean;
}

/** By status; throws when a status is there twice, or says nothing. */
export function errorAnswersOf(method: Method): readonly ErrorAnswer[] {
  const name = method.fullName.slice(1);
  const answers = rawOptions(method, `${optionsPackage}.errors`).map((raw): ErrorAnswer => {
    const read = reader(raw, name);
    const answer = {
      status: read.number('status', 'status').status ?? 0,
      codes: read.list('codes'),
      when: read.text('when', 'when').when ?? '',
      openCodes: read.flag('open_codes'),
    };
    read.refuseUnread();
    if (answer.status === 0 || answer.codes.length === 0 || answer.when === '')
      throw new Error(`${name}: an error has a status, codes and when it is`);
    return answer;
  });
  if (new Set(answers.map(({ status }) => status)).size < answers.length)
    throw new Error(`${name}: a status has one error, with all its codes`);
  return answers.toSorted((one, other) => one.status - other.status);
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

/** What people call the message: "Client group". */
export function displayNameOf(type: Type): string | undefined {
  return textOption(type, 'display_name');
}

/** The event whose payload the message is, as its domain calls it: `client_group.updated`. */
export function eventOf(type: Type): string | undefined {
  return textOption(type, 'event');
}

/** The domains that publish an event which domains share; undefined: all do. */
export function eventPublishersOf(type: Type): readonly string[] | undefined {
  const option = rawOption(type, `${optionsPackage}.event_publishers`);
  return option === undefined ? undefined : reader(option, type.fullName).list('domains');
}

/** The JSON key that tells the members of the message's single oneof apart. */
export function discriminatorOf(type: Type): string | undefined {
  return textOption(type, 'discriminator');
}

/** Whether the message stands in JSON for its only field. */
export function isUnwrapped(type: Type): boolean {
  return rawOption(type, `${optionsPackage}.unwrapped`) === true;
}

/** The most bytes that a request of this type may have, as it travels between services. */
export function maxBytesOf(type: Type): number | undefined {
  const value = rawOption(type, `${optionsPackage}.max_bytes`);
  return typeof value === 'number' ? value : undefined;
}

/** How the same is done with a larger request than of this type may be, where there is a way. */
export const maxBytesHintOf = (type: Type): string | undefined => textOption(type, 'max_bytes_hint');

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
  has(name: string): boolean;
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
function optional<Key extends string, Value>(key: Key, value: Value | undefined): { [K in Key]?: Value } {
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
    has: (name) => raw[name] !== undefined,
    flag: (name) => take(name) === true,
    // A repeated option with one value is a scalar for protobufjs.
    list: (name) => {
      const value = take(name);
      return value === undefined ? [] : (Array.isArray(value) ? value : [value]).map(String);
    },
    text: (name, key) => {
      const value = take(name);
      return optional(key, typeof value === 'string' && value !== '' ? value : undefined);
    },
    name: (name, prefix) => {
      const value = take(name);
      return typeof value === 'string' ? withoutPrefix(value, prefix) : undefined;
    },
    number: (name, key) => {
      const value = take(name);
      return optional(key, value === undefined ? undefined : Number(value));
    },
    nested: (name, key, read) => {
      const value = take(name);
      return optional(key, value === undefined ? undefined : read(value));
    },
    part: (name, key, read) => {
      const value = take(name);
      if (value === undefined) return {};
      const part = reader(value, `${where} (${name})`);
      const result = read(part);
      part.refuseUnread();
      return optional(key, result);
    },
    refuseUnread,
  };
}
