import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import protobuf from 'protobufjs';
import descriptorJson from 'protobufjs/google/protobuf/descriptor.json' with { type: 'json' };
import { EXACT_NUMBER_ID } from './json-values.ts';
import { enumCaseOf } from './options/message-options.ts';

/** The repository's `protos/`, where every import of a .proto file is found. */
export const protosDirectory: string = path.join(import.meta.dirname, '../../../protos');

/**
 * Reads .proto files once, synchronously, with options and comments: those given, or all that are in `directory`.
 * Field names stay as written; enum values lose their type's prefix (see `shortenEnumValues`).
 */
export function loadProtos(directory: string, files: readonly string[] = protoFiles(directory)): protobuf.Root {
  const root = new protobuf.Root();
  const bundled = root.resolvePath.bind(root);
  root.resolvePath = (origin, target) => {
    const own = [directory, protosDirectory].map((folder) => path.join(folder, target)).find(existsSync);
    return own ?? bundled(origin, target);
  };
  root.loadSync([...files], { keepCase: true, alternateCommentMode: true });
  shortenEnumValues(root);
  addExactNumbers(root);
  root.resolveAll();
  return root;
}

/** Beside what is Google's: see docs/decisions/0092. */
function addExactNumbers(root: protobuf.Root): void {
  const value = root.lookup('google.protobuf.Value');
  if (value instanceof protobuf.Type) value.add(new protobuf.Field('exactNumber', EXACT_NUMBER_ID, 'string'));
}

// protobufjs ships descriptor.proto apart from its default set of bundled files.
// Imported as JSON, it survives bundling.
protobuf.common('descriptor', descriptorJson.nested.google.nested.protobuf.nested);

// JSON may be nested 64 deep; each level is up to three messages (Value, Struct or ListValue,
// map entry), which is beyond the library's limit of 100.
protobuf.util.recursionLimit = 256;
protobuf.Reader.recursionLimit = 256;

/** Every file below `platform/`, or a part of it, relative to `directory`, in an order that does not depend on the disk. */
export function protoFiles(directory: string, part = ''): string[] {
  const folder = path.posix.join('platform', part);
  const files = readdirSync(path.join(directory, folder), { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.proto'))
    .map((file) => path.posix.join(folder, file.split(path.sep).join('/')))
    .sort();
  if (files.length === 0) throw new Error(`no .proto files under ${path.join(directory, folder)}`);
  return files;
}

/** Which file of a domain declares a service, `platform.identity.v1.ClientGroupService`. Throws when none does. */
export function fileOfService(domain: string, service: string): string {
  const declaration = new RegExp(String.raw`^service ${service.split('.').at(-1) ?? ''} \{`, 'm');
  const found = protoFiles(protosDirectory, domain).find((file) =>
    declaration.test(readFileSync(path.join(protosDirectory, file), 'utf8')),
  );
  if (found === undefined) throw new Error(`the contract has no service ${service}`);
  return found;
}

/**
 * Gives the platform's enum values the names that JSON, types and services use:
 * `PERMISSION_LEVEL_OWNER` becomes `OWNER`, with option lower_case `MEMBER_STATUS_ACTIVE` becomes
 * `active`. Done here, once, so that nothing behind this function knows the long names.
 */
export function shortenEnumValues(namespace: protobuf.NamespaceBase): void {
  for (const nested of namespace.nestedArray) {
    if (nested instanceof protobuf.Enum) {
      if (nested.fullName.startsWith('.platform.')) shorten(nested);
    } else if (nested instanceof protobuf.Namespace) {
      shortenEnumValues(nested);
    }
  }
}

function shorten(declared: protobuf.Enum): void {
  const prefix = `${declared.name.replace(/(?<=[a-z0-9])(?=[A-Z])/g, '_').toUpperCase()}_`;
  const wantedCase = enumCaseOf(declared);
  const entries = Object.entries(declared.values);
  const comments = { ...declared.comments };
  const options = { ...declared.valuesOptions };
  for (const [name] of entries) {
    if (!name.startsWith(prefix))
      throw new Error(`${declared.fullName.slice(1)}: value ${name} must start with ${prefix}`);
    declared.remove(name);
  }
  for (const [name, id] of entries) {
    const short = id === 0 ? 'UNSPECIFIED' : inCase(name.slice(prefix.length), wantedCase);
    declared.add(short, id, comments[name] ?? undefined, options[name]);
  }
}

function inCase(name: string, wanted: ReturnType<typeof enumCaseOf>): string {
  if (wanted === 'upper') return name;
  const lower = name.toLowerCase();
  return wanted === 'lower'
    ? lower
    : lower.replace(/(?:^|_)([a-z])/g, (_match, letter: string) => letter.toUpperCase());
}
