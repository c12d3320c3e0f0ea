import {
  camelCase,
  eventOf,
  fieldRules,
  isPublishedBy,
  isSharedEvent,
  type JsonKind,
} from '@platform-backend/contract';
import protobuf from 'protobufjs';

/**
 * TypeScript of a domain's proto packages, as file name → source text: `v1.ts`, and `events.ts` where it has events.
 * It depends on the domain and what it imports alone.
 *
 * A message `X` becomes two types. `X` is what is read: every key is there, `null` where the message
 * has no value, and never where the check of a request sees to it that there is one. `XInput` is what is written: whatever may be null may also be left out, lists may be
 * read-only; in an rpc's request, and in what only requests hold, everything may be left out that is not required.
 */
export function generateTypes(root: protobuf.Root, domain: string): Map<string, string> {
  const packages = packagesOf(root, domain);
  const requests = requestTypes(packages);
  const { checked, streamed } = typesInRequests(packages);
  const modules = packages.map((namespace): [string, string] => [
    `${namespace.name}.ts`,
    new ModuleWriter(namespace, { requests, checked, streamed }).write(),
  ]);
  const events = eventPayloads(root, domain);
  return new Map([...modules, ...(events === undefined ? [] : [['events.ts', events] as const])]);
}

/** The versions of a domain's package: `platform.identity.v1`. */
function packagesOf(root: protobuf.Root, domain: string): protobuf.Namespace[] {
  const found = root.lookup(`platform.${domain}`);
  if (!(found instanceof protobuf.Namespace)) throw new Error(`the loaded files have no package platform.${domain}`);
  return found.nestedArray.filter((version) => version instanceof protobuf.Namespace);
}

/** The enums of our options, which the domains and the reader of the options share. */
export function generateOptionTypes(root: protobuf.Root): string {
  const namespace = root.lookup('platform.options.v1') as protobuf.Namespace;
  const enums = declaredIn(namespace).filter((declared) => declared instanceof protobuf.Enum);
  return `${[header(namespace.fullName), ...enums.map(enumType)].join('\n\n')}\n`;
}

/**
 * The payloads of a domain's events as they stand in JSON, and which event has which; undefined when it has none.
 * Aliases, for an interface is no record of fields to the compiler.
 */
function eventPayloads(root: protobuf.Root, domain: string): string | undefined {
  const events = root.lookup('platform.events.v1');
  if (!(events instanceof protobuf.Namespace)) return undefined;
  const ofDomain = ({ filename }: protobuf.Type) => filename?.endsWith(`/events/v1/${domain}.proto`) === true;
  const types = declaredIn(events).filter((declared) => declared instanceof protobuf.Type);
  if (!types.some(ofDomain)) return undefined;
  const payloads = types.filter((type) => ofDomain(type) || isSharedEvent(type));
  const texts = payloads.map((type) => {
    const members = type.fieldsArray.map(
      (field) =>
        `${doc(field.comment, '  ')}  readonly ${field.name}: ${jsonType(field)}${isNullInJson(field) ? ' | null' : ''};`,
    );
    return declareAlias(nameOf(type), type.comment, members);
  });
  const byName = payloads.flatMap((type) => {
    const event = ofDomain(type) || isPublishedBy(type, domain) ? eventOf(type) : undefined;
    return event === undefined ? [] : [`  readonly '${event}': ${nameOf(type)};`];
  });
  const map = declareAlias(eventMapName(domain), `Which event has which payload.`, byName);
  return `${[header(`.platform.events.v1.${domain}`), map, ...texts].join('\n\n')}\n`;
}

/** `IdentityEvents` */
export const eventMapName = (domain: string): string => `${pascalCase(domain)}Events`;

/** `IdentityHandlers` */
export const handlerMapName = (domain: string): string => `${pascalCase(domain)}Handlers`;

const pascalCase = (domain: string): string => `${domain.charAt(0).toUpperCase()}${camelCase(domain).slice(1)}`;

/** What the schemas of answers say too: a scalar that is optional, or what may be null by its rules. */
const isNullInJson = (field: protobuf.Field): boolean =>
  fieldRules(field).nullable || (Boolean(field.partOf) && !(field.resolve().resolvedType instanceof protobuf.Type));

const declareAlias = (name: string, comment: string | null | undefined, members: readonly string[]): string =>
  `${doc(comment)}export type ${name} = {\n${members.join('\n')}\n};`;

function jsonType(field: protobuf.Field): string {
  const type = field.resolve().resolvedType;
  const value = type instanceof protobuf.Type ? jsonMessage(type) : type ? nameOf(type) : jsonScalar(field.type);
  if (field.map) return `Readonly<Record<string, ${value}>>`;
  return field.repeated ? `readonly ${value}[]` : value;
}

function jsonMessage(type: protobuf.Type): string {
  if (type.fullName === '.google.protobuf.Timestamp') return 'string';
  return type.fullName === '.google.protobuf.Struct' ? 'Readonly<Record<string, unknown>>' : nameOf(type);
}

function jsonScalar(type: string): string {
  if (type === 'bool') return 'boolean';
  // Bytes are base64. 64-bit integers are numbers, as in answers: what may pass 2^53 is declared as a text.
  return type === 'string' || type === 'bytes' ? 'string' : 'number';
}

const header = (fullName: string): string =>
  `// Generated from protos/${fullName.slice(1).replaceAll('.', '/')} by \`npm run generate\`. Do not edit.`;

type Declared = protobuf.Type | protobuf.Enum;

/** The messages and enums of a package, nested ones after the message they are in; not `RecurringFields`, which is never sent. */
function declaredIn(namespace: protobuf.NamespaceBase): Declared[] {
  return namespace.nestedArray.flatMap((nested) => {
    if (nested.name === 'RecurringFields') return [];
    if (nested instanceof protobuf.Enum) return [nested];
    return nested instanceof protobuf.Type ? [nested, ...declaredIn(nested)] : [];
  });
}

function servicesIn(namespace: protobuf.NamespaceBase): protobuf.Service[] {
  return namespace.nestedArray.filter((nested) => nested instanceof protobuf.Service);
}

function requestTypes(packages: readonly protobuf.Namespace[]): ReadonlySet<protobuf.Type> {
  const methods = packages.flatMap(servicesIn).flatMap((service) => service.methodsArray);
  return new Set(methods.flatMap(({ resolvedRequestType }) => resolvedRequestType ?? []));
}

/**
 * `checked`: messages that services read in requests only, which have been checked by then, and are whole.
 * `streamed`: messages in streams of requests, of which any but the first may leave out everything.
 */
function typesInRequests(packages: readonly protobuf.Namespace[]): Omit<RequestTypes, 'requests'> {
  const methods = packages.flatMap(servicesIn).flatMap((service) => service.methodsArray);
  const within = (types: readonly (protobuf.Type | null)[]): Set<protobuf.Type> => {
    const found = new Set<protobuf.Type>();
    const add = (type: unknown): void => {
      if (!(type instanceof protobuf.Type) || found.has(type)) return;
      found.add(type);
      for (const field of type.fieldsArray) add(field.resolve().resolvedType);
    };
    types.forEach(add);
    return found;
  };
  const requestsOf = (some: typeof methods) => within(some.map(({ resolvedRequestType }) => resolvedRequestType));
  const inAnswers = within(methods.map(({ resolvedResponseType }) => resolvedResponseType));
  const streamed = requestsOf(methods.filter(({ requestStream }) => requestStream));
  for (const type of inAnswers) streamed.delete(type);
  const checked = [...requestsOf(methods)].filter((type) => !inAnswers.has(type) && !streamed.has(type));
  return { streamed, checked: new Set(checked) };
}

function packageOf(declared: protobuf.ReflectionObject): protobuf.ReflectionObject | null {
  let at = declared.parent;
  while (at instanceof protobuf.Type) at = at.parent;
  return at;
}

/** `Outer.Inner` is `OuterInner` in TypeScript. */
function nameOf(declared: protobuf.ReflectionObject): string {
  return declared.parent instanceof protobuf.Type ? nameOf(declared.parent) + declared.name : declared.name;
}

const messages = '@platform-backend/contract/messages';

/** Where others find the types of a package: `.platform.identity.v1` → `@platform-backend/contract-identity`. */
function moduleOf({ fullName }: protobuf.Namespace): string {
  const [, , domain = '', version = ''] = fullName.split('.');
  if (domain === 'options') return '@platform-backend/contract/options';
  return version === 'v1' ? `@platform-backend/contract-${domain}` : `@platform-backend/contract-${domain}/${version}`;
}

/** What is special about messages, by where they stand. */
interface RequestTypes {
  readonly requests: ReadonlySet<protobuf.Type>;
  readonly checked: ReadonlySet<protobuf.Type>;
  readonly streamed: ReadonlySet<protobuf.Type>;
}

class ModuleWriter {
  readonly #namespace: protobuf.Namespace;
  readonly #types: RequestTypes;
  readonly #imports = new Map<string, Set<string>>();

  constructor(namespace: protobuf.Namespace, types: RequestTypes) {
    this.#namespace = namespace;
    this.#types = types;
  }

  write(): string {
    const parts = [
      this.#handlerMap(),
      ...servicesIn(this.#namespace).flatMap((service) => [this.#handlers(service), this.#client(service)]),
      ...declaredIn(this.#namespace).flatMap((declared) =>
        declared instanceof protobuf.Enum
          ? [enumType(declared)]
          : [this.#readType(declared), this.#inputType(declared)],
      ),
    ];
    const imports = [...this.#imports]
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([file, names]) => `import type { ${[...names].sort().join(', ')} } from '${file}';`);
    return `${[[header(this.#namespace.fullName), ...imports].join('\n'), ...parts].join('\n\n')}\n`;
  }

  #handlerMap(): string {
    const name = handlerMapName(this.#namespace.parent?.name ?? '');
    const members = servicesIn(this.#namespace).map(
      (service) => `  ${service.name}: ${service.name}Handlers<Context>;`,
    );
    return `${doc('What handles each of its services.')}export interface ${name}<Context> {\n${members.join('\n')}\n}`;
  }

  #handlers(service: protobuf.Service): string {
    const members = service.methodsArray.map((method) => {
      const kind = this.#import(messages, method.responseStream ? 'StreamHandler' : 'Handler');
      const request = orStream(method, this.#request(method));
      return `${doc(method.comment, '  ')}  ${lowerFirst(method.name)}: ${kind}<${request}, ${this.#answer(method)}Input, Context>;`;
    });
    return `${doc(service.comment)}export interface ${service.name}Handlers<Context> {\n${members.join('\n')}\n}`;
  }

  #client(service: protobuf.Service): string {
    const members = service.methodsArray.map((method) => {
      const kind = this.#import(messages, method.responseStream ? 'ClientStream' : 'ClientCall');
      const request = orStream(method, `${this.#request(method)}Input`);
      return `${doc(method.comment, '  ')}  ${lowerFirst(method.name)}: ${kind}<${request}, ${this.#answer(method)}, Options>;`;
    });
    return `${doc(service.comment)}export interface ${service.name}Client<Options = unknown> {\n${members.join('\n')}\n}`;
  }

  #request(method: protobuf.Method): string {
    return this.#messageName(method.resolvedRequestType, method);
  }

  #answer(method: protobuf.Method): string {
    return this.#messageName(method.resolvedResponseType, method);
  }

  /** The name of a message in this module; the message and its input are imported when they come from another. */
  #messageName(type: protobuf.Type | null, method: protobuf.Method): string {
    if (!type) throw new Error(`${method.fullName.slice(1)} has an unknown type`);
    this.#reference(type, 'Input');
    return this.#reference(type);
  }

  #readType(type: protobuf.Type): string {
    const members = type.fieldsArray.map((field) => {
      const isNull = canBeNull(field) && !(this.#types.checked.has(type) && isSeenTo(field));
      const text = this.#fieldType(field, 'read') + (isNull ? ' | null' : '');
      return `${doc(field.comment, '  ')}  ${key(field)}: ${text};`;
    });
    return declareInterface(nameOf(type), type.comment, members);
  }

  #inputType(type: protobuf.Type): string {
    const { requests, checked, streamed } = this.#types;
    const request = requests.has(type) || checked.has(type) || streamed.has(type);
    const members = type.fieldsArray.map((field) => {
      const text = this.#fieldType(field, 'write');
      const { required, omitEmpty, header } = fieldRules(field);
      // The first message of a stream of answers has what goes into headers.
      const mayBeLeftOut = request
        ? !required || streamed.has(type)
        : (canBeNull(field) && !isEnum(field)) || omitEmpty || header !== undefined;
      if (mayBeLeftOut) return `  ${key(field)}?: ${text} | null | undefined;`;
      const takesNull = request ? fieldRules(field).nullable : isEnum(field);
      return `  ${key(field)}: ${text}${takesNull ? ' | null' : ''};`;
    });
    return declareInterface(`${nameOf(type)}Input`, `\`${nameOf(type)}\`, to be written.`, members);
  }

  #fieldType(field: protobuf.Field, use: 'read' | 'write'): string {
    const value = this.#valueType(field, use);
    if (field instanceof protobuf.MapField) {
      return use === 'read' ? `Record<string, ${value}>` : `Readonly<Record<string, ${value} | undefined>>`;
    }
    if (!field.repeated) return value;
    const item = value.includes(' ') ? `(${value})` : value;
    return use === 'read' ? `${item}[]` : `readonly ${item}[]`;
  }

  #valueType(field: protobuf.Field, use: 'read' | 'write'): string {
    const type = field.resolve().resolvedType;
    const suffix = use === 'write' ? 'Input' : '';
    switch (type?.fullName) {
      case undefined:
        return this.#scalarType(field, use);
      case '.google.protobuf.Timestamp':
        return 'Date';
      case '.google.protobuf.FieldMask':
        return this.#import(messages, 'FieldMask');
      case '.google.protobuf.Struct':
        return this.#import(messages, `JsonObject${suffix}`);
      case '.google.protobuf.ListValue': {
        const item = this.#import(messages, `JsonValue${suffix}`);
        return use === 'write' ? `readonly ${item}[]` : `${item}[]`;
      }
      case '.google.protobuf.Value': {
        const { json, list } = fieldRules(field);
        return this.#jsonType(field.repeated ? (list?.items?.json ?? []) : json, suffix);
      }
    }
    if (type instanceof protobuf.Enum) return this.#reference(type);
    if (type && packageOf(type)?.fullName.startsWith('.platform.')) return this.#reference(type, suffix);
    throw new Error(`${field.fullName.slice(1)}: ${type?.fullName.slice(1) ?? field.type} has no TypeScript type`);
  }

  #scalarType(field: protobuf.Field, use: 'read' | 'write'): string {
    if (field.type === 'string') return 'string';
    if (field.type === 'bool') return 'boolean';
    if (field.type === 'bytes') return use === 'read' ? 'Buffer' : 'Uint8Array';
    if (!/64$/.test(field.type)) return 'number';
    return use === 'read' ? 'string' : this.#import(messages, 'Int64Input');
  }

  #jsonType(kinds: readonly JsonKind[], suffix: string): string {
    if (kinds.length === 0) return this.#import(messages, `JsonValue${suffix}`);
    const texts = kinds.map((kind) => {
      if (kind === 'OBJECT') return this.#import(messages, `JsonObject${suffix}`);
      if (kind !== 'LIST') return plainKinds[kind];
      const item = this.#import(messages, `JsonValue${suffix}`);
      return suffix ? `readonly ${item}[]` : `${item}[]`;
    });
    return [...new Set(texts)].join(' | ');
  }

  #reference(declared: Declared, suffix = ''): string {
    const name = nameOf(declared) + suffix;
    const home = packageOf(declared);
    if (home === this.#namespace || !(home instanceof protobuf.Namespace)) return name;
    return this.#import(moduleOf(home), name);
  }

  #import(file: string, name: string): string {
    const names = this.#imports.get(file) ?? new Set();
    this.#imports.set(file, names.add(name));
    return name;
  }
}

const orStream = (method: protobuf.Method, request: string): string =>
  method.requestStream ? `AsyncIterable<${request}>` : request;

const plainKinds = { NULL: 'null', BOOLEAN: 'boolean', INTEGER: 'number', NUMBER: 'number', STRING: 'string' } as const;

/** Everything that can be absent: messages, optional fields, members of a oneof, and enums without a value. */
function canBeNull(field: protobuf.Field): boolean {
  if (field.repeated || field.map) return false;
  return Boolean(field.partOf) || field.resolve().resolvedType !== null;
}

/** Whether the check of a request refuses null in this field, or puts the default there. Of free JSON, null is a value. */
function isSeenTo(field: protobuf.Field): boolean {
  const { required, defaultJson, nullable } = fieldRules(field);
  return (required || defaultJson !== undefined) && !nullable && field.type !== 'google.protobuf.Value';
}

function isEnum(field: protobuf.Field): boolean {
  return field.resolvedType instanceof protobuf.Enum && !field.repeated && !field.map && !field.partOf;
}

function enumType(declared: protobuf.Enum): string {
  const names = Object.keys(declared.values).filter((name) => declared.values[name] !== 0);
  const members = names.map((name) => {
    const comment = declared.comments[name];
    return `${comment ? doc(comment, '  ') : ''}  | '${name}'`;
  });
  return `${doc(declared.comment)}export type ${nameOf(declared)} =\n${members.join('\n')};`;
}

function declareInterface(name: string, comment: string | null | undefined, members: readonly string[]): string {
  // An empty interface would accept every value; this accepts only empty objects.
  if (members.length === 0) return `${doc(comment)}export type ${name} = Record<string, never>;`;
  return `${doc(comment)}export interface ${name} {\n${members.join('\n')}\n}`;
}

function key(field: protobuf.Field): string {
  return camelCase(field.name);
}

function lowerFirst(name: string): string {
  return name.charAt(0).toLowerCase() + name.slice(1);
}

function doc(comment: string | null | undefined, indent = ''): string {
  if (!comment) return '';
  const lines = comment.replaceAll('*/', '*\\/').split('\n');
  const [only] = lines;
  if (lines.length === 1 && only !== undefined) return `${indent}/** ${only} */\n`;
  return [`${indent}/**`, ...lines.map((line) => `${indent} * ${line}`.trimEnd()), `${indent} */\n`].join('\n');
}
