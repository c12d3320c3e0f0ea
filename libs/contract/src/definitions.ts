import type { ServiceDefinition } from '@grpc/grpc-js';
import { fromJSON, type PackageDefinition } from '@grpc/proto-loader';
import protobuf from 'protobufjs';
import { platformTypes, registerConversions } from './conversions.ts';

/**
 * gRPC service definitions of a loaded contract. Messages have camelCase fields, Dates, plain
 * JSON, enums by short name and 64-bit integers as decimal strings; see `conversions.ts`.
 * Everything is made on the first call: a process that only moves bytes never pays for it.
 */
export function serviceDefinitions(root: protobuf.Root): (service: string) => ServiceDefinition {
  let definitions: PackageDefinition | undefined;
  return (service) => {
    definitions ??= load(root);
    const definition = definitions[service];
    if (!definition || 'format' in definition) throw new Error(`the contract has no service ${service}`);
    return definition;
  };
}

function load(root: protobuf.Root): PackageDefinition {
  registerConversions(root);
  const json = root.toJSON();
  for (const type of platformTypes(root)) useCamelCase(findType(json, type.fullName));
  return fromJSON(json, { longs: String, enums: String, defaults: true, arrays: true, objects: true });
}

function findType(json: protobuf.INamespace, fullName: string): protobuf.IType {
  let found: protobuf.AnyNestedObject | protobuf.INamespace = json;
  for (const part of fullName.slice(1).split('.')) {
    const nested: Record<string, protobuf.AnyNestedObject> = ('nested' in found ? found.nested : undefined) ?? {};
    const next = nested[part];
    if (!next) throw new Error(`${fullName.slice(1)} is missing from the loaded files`);
    found = next;
  }
  return found as protobuf.IType;
}

function useCamelCase(type: protobuf.IType): void {
  type.fields = Object.fromEntries(Object.entries(type.fields).map(([name, field]) => [camelCase(name), field]));
  for (const oneof of Object.values(type.oneofs ?? {})) oneof.oneof = oneof.oneof.map(camelCase);
}

/** `created_at` → `createdAt`: the name a field has in TypeScript. */
export function camelCase(name: string): string {
  return protobuf.util.camelCase(name);
}
