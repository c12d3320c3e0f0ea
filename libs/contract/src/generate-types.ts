import protobuf from 'protobufjs';
import { camelCase } from './definitions.ts';
import { fieldRules, type JsonKind } from './options.ts';

/**
 * TypeScript of every proto package, as file name → source text.
 *
 * A message `X` becomes two types. `X` is what is read: every key is there, `null` where the message
 * has no value, and never where the check of a request sees to it that there is one. `XInput` is what is written: whatever may be null may also be left out, lists may be
 * read-only; in an rpc's request, and in what only requests hold, everything may be left out that is not required.
 */
export function generateTypes(root: protobuf.Root): Map<string, string> {
  const packages = platformPackages(root);
  const requests = requestTypes(packages);
  const checked = checkedTypes(packages);
  const referenced = referencedFromOtherPackages(packages);
  return new Map(
    packages.map((namespace) => {
      const module = new ModuleWriter(namespace, requests, checked);
      // Of the options only what others use: the rest describes the contract, not the data.
      const all = namespace.fullName !== '.platform.options.v1';
      return [`${moduleOf(namespace)}.ts`, module.write((declared) => all || referenced.has(declared))];
    }),
  );
}

/** `.platform.identity.v1` → `identity`; a later version carries its number: `identity-v2`. */
function moduleOf(namespace: protobuf.NamespaceBase): string {
  const [, , domain = '', version = ''] = namespace.fullName.split('.');
  return version === 'v1' ? domain : `${domain}-${version}`;
}

function platformPackages(root: protobuf.Root): protobuf.Namespace[] {
  const platform = root.lookup('platform');
  if (!(platform instanceof protobuf.Namespace)) throw new Error('the loaded files have no package platform');
  return platform.nestedArray
    .flatMap((domain) => (domain instanceof protobuf.Namespace ? domain.nestedArray : []))
    .filter((version) => version instanceof protobuf.Namespace)
    .sort((a, b) => (a.fullName < b.fullName ? -1 : 1));
}

type Declared = protobuf.Type | protobuf.Enum;

/** The messages and enums of a package, nested ones after the message they are in. */
function declaredIn(namespace: protobuf.NamespaceBase): Declared[] {
  return namespace.nestedArray.flatMap((nested) => {
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

/** Messages that services read in requests only, which have been checked by then. */
function checkedTypes(packages: readonly protobuf.Namespace[]): ReadonlySet<protobuf.Type> {
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
  const inAnswers = within(methods.map(({ resolvedResponseType }) => resolvedResponseType));
  const inRequests = within(methods.map(({ resolvedRequestType }) => resolvedRequestType));
  return new Set([...inRequests].filter((type) => !inAnswers.has(type)));
}

function referencedFromOtherPackages(packages: readonly protobuf.Namespace[]): ReadonlySet<Declared> {
  return new Set(
    packages.flatMap((namespace) =>
      declaredIn(namespace)
        .flatMap((declared) => (declared instanceof protobuf.Type ? declared.fieldsArray : []))
        .flatMap((field) => field.resolve().resolvedType ?? [])
        .filter((type) => packageOf(type) !== namespace),
    ),
  );
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

class ModuleWriter {
  readonly #namespace: protobuf.Namespace;
  readonly #requests: ReadonlySet<protobuf.Type>;
  readonly #checked: ReadonlySet<protobuf.Type>;
  readonly #imports = new Map<string, Set<string>>();

  constructor(
    namespace: protobuf.Namespace,
    requests: ReadonlySet<protobuf.Type>,
    checked: ReadonlySet<protobuf.Type>,
  ) {
    this.#namespace = namespace;
    this.#requests = requests;
    this.#checked = checked;
  }

  write(wanted: (declared: Declared) => boolean): string {
    const parts = [
      ...servicesIn(this.#namespace).flatMap((service) => [this.#handlers(service), this.#client(service)]),
      ...declaredIn(this.#namespace)
        .filter(wanted)
        .flatMap((declared) =>
          declared instanceof protobuf.Enum
            ? [enumType(declared)]
            : [this.#readType(declared), this.#inputType(declared)],
        ),
    ];
    const imports = [...this.#imports]
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([file, names]) => `import type { ${[...names].sort().join(', ')} } from '${file}';`);
    const directory = this.#namespace.fullName.slice(1).replaceAll('.', '/');
    const header = `// Generated from protos/${directory} by \`npm run generate\`. Do not edit.`;
    return `${[[header, ...imports].join('\n'), ...parts].join('\n\n')}\n`;
  }

  #handlers(service: protobuf.Service): string {
    const members = service.methodsArray.map((method) => {
      const kind = this.#import('../messages.ts', method.responseStream ? 'StreamHandler' : 'Handler');
      return `${doc(method.comment, '  ')}  ${lowerFirst(method.name)}: ${kind}<${this.#request(method)}, ${this.#answer(method)}Input, Context>;`;
    });
    return `${doc(service.comment)}export interface ${service.name}Handlers<Context> {\n${members.join('\n')}\n}`;
  }

  #client(service: protobuf.Service): string {
    const members = service.methodsArray.map((method) => {
      const kind = this.#import('../messages.ts', method.responseStream ? 'ClientStream' : 'ClientCall');
      return `${doc(method.comment, '  ')}  ${lowerFirst(method.name)}: ${kind}<${this.#request(method)}Input, ${this.#answer(method)}, Options>;`;
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
      const isNull = canBeNull(field) && !(this.#checked.has(type) && isSeenTo(field));
      const text = this.#fieldType(field, 'read') + (isNull ? ' | null' : '');
      return `${doc(field.comment, '  ')}  ${key(field)}: ${text};`;
    });
    return declareInterface(nameOf(type), type.comment, members);
  }

  #inputType(type: protobuf.Type): string {
    const request = this.#requests.has(type) || this.#checked.has(type);
    const members = type.fieldsArray.map((field) => {
      const text = this.#fieldType(field, 'write');
      const mayBeLeftOut = request
        ? !fieldRules(field).required
        : (canBeNull(field) && !isEnum(field)) || fieldRules(field).omitEmpty;
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
        return this.#import('../messages.ts', 'FieldMask');
      case '.google.protobuf.Struct':
        return this.#import('../messages.ts', `JsonObject${suffix}`);
      case '.google.protobuf.ListValue': {
        const item = this.#import('../messages.ts', `JsonValue${suffix}`);
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
    return use === 'read' ? 'string' : this.#import('../messages.ts', 'Int64Input');
  }

  #jsonType(kinds: readonly JsonKind[], suffix: string): string {
    if (kinds.length === 0) return this.#import('../messages.ts', `JsonValue${suffix}`);
    const texts = kinds.map((kind) => {
      if (kind === 'OBJECT') return this.#import('../messages.ts', `JsonObject${suffix}`);
      if (kind !== 'LIST') return plainKinds[kind];
      const item = this.#import('../messages.ts', `JsonValue${suffix}`);
      return suffix ? `readonly ${item}[]` : `${item}[]`;
    });
    return [...new Set(texts)].join(' | ');
  }

  #reference(declared: Declared, suffix = ''): string {
    const name = nameOf(declared) + suffix;
    const home = packageOf(declared);
    if (home === this.#namespace || !(home instanceof protobuf.Namespace)) return name;
    return this.#import(`./${moduleOf(home)}.ts`, name);
  }

  #import(file: string, name: string): string {
    const names = this.#imports.get(file) ?? new Set();
    this.#imports.set(file, names.add(name));
    return name;
  }
}

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
