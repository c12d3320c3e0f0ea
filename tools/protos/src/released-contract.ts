import { camelCase, contractOf, describeFile, descriptorFiles, type Contract } from '@platform-backend/contract';
import { existsSync, readFileSync } from 'node:fs';
import protobuf from 'protobufjs';
import { rootOfImage } from './image-root.ts';
import { promises } from './released.ts';

/** The contract as it was released last, of all domains: what a gateway or a service of that release knows. */
export function releasedContract(): Contract {
  const files = new Map<string, Uint8Array>();
  const released = promises().filter(({ image }) => existsSync(image));
  // Of a file that several have, each as old as its own release, that of its owner counts.
  for (const isOwn of [false, true]) {
    for (const { files: own, image } of released) {
      for (const file of descriptorFiles(readFileSync(image))) {
        const { name } = describeFile(file);
        if (own.includes(name) === isOwn || !files.has(name)) files.set(name, file);
      }
    }
  }
  const set = protobuf.Writer.create();
  for (const file of inOrder(files)) set.uint32(FILE_OF_SET).bytes(file);
  const root = rootOfImage(set.finish());
  readMaps(root);
  nameAsLibrary(root.lookupType('google.protobuf.Value'));
  return contractOf(root);
}

/** What converts free JSON knows the message by the names that protobufjs gives it where no image says others. */
function nameAsLibrary(type: protobuf.Type): void {
  for (const field of type.fieldsArray) {
    Reflect.deleteProperty(type.fields, field.name);
    field.name = camelCase(field.name);
    type.fields[field.name] = field;
  }
  for (const oneof of type.oneofsArray) oneof.oneof = oneof.fieldsArray.map(({ name }) => name);
}

/** A descriptor writes a map as a list of entries, and the library that reads descriptors leaves it so. */
function readMaps(namespace: protobuf.NamespaceBase): void {
  for (const nested of namespace.nestedArray) {
    if (nested instanceof protobuf.Namespace) readMaps(nested);
    if (!(nested instanceof protobuf.Type)) continue;
    for (const field of nested.fieldsArray) {
      const entry = field.resolvedType;
      if (!(entry instanceof protobuf.Type) || entry.options?.['map_entry'] !== true) continue;
      const { key, value } = entry.fields;
      if (!key || !value) continue;
      const map = new protobuf.MapField(field.name, field.id, key.type, value.type, field.options);
      Object.assign(map, { parsedOptions: field.parsedOptions });
      nested.remove(field);
      nested.add(map);
      map.resolve();
    }
  }
}

/** `repeated FileDescriptorProto file = 1` of a FileDescriptorSet, as bytes. */
const FILE_OF_SET = (1 << 3) | 2;

/** Imported files before those that import them. */
function inOrder(files: ReadonlyMap<string, Uint8Array>): Uint8Array[] {
  const ordered = new Set<Uint8Array>();
  const add = (name: string): void => {
    const file = files.get(name);
    if (!file || ordered.has(file)) return;
    for (const imported of describeFile(file).dependency) add(imported);
    ordered.add(file);
  };
  for (const name of files.keys()) add(name);
  return [...ordered];
}
