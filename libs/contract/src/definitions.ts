import type { ServiceDefinition } from '@grpc/grpc-js';
import { fromJSON, type MessageTypeDefinition, type PackageDefinition } from '@grpc/proto-loader';
import protobuf from 'protobufjs';
import descriptorJson from 'protobufjs/google/protobuf/descriptor.json' with { type: 'json' };
import { platformTypes, registerConversions } from './conversions.ts';

const descriptorTypes = descriptorJson.nested.google.nested.protobuf.nested;

/** A message by its full name, from its bytes to what a service sees. */
export type DecodeMessage = (message: string, bytes: Uint8Array) => object;

export interface GrpcDefinitions {
  /** Throws when the contract has no such service. */
  readonly service: (name: string) => ServiceDefinition;
  readonly decode: DecodeMessage;
}

/**
 * gRPC definitions of a loaded contract. Messages have camelCase fields, Dates, plain
 * JSON, enums by short name and 64-bit integers as decimal strings; see `conversions.ts`.
 * Everything is made on the first call: a process that only moves bytes never pays for it.
 */
export function grpcDefinitions(root: protobuf.Root): GrpcDefinitions {
  let definitions: PackageDefinition | undefined;
  const find = (name: string) => (definitions ??= load(root))[name];
  return {
    service: (name) => {
      const definition = find(name);
      if (!definition || 'format' in definition) throw new Error(`the contract has no service ${name}`);
      return definition;
    },
    decode: (name, bytes) => {
      const definition = find(name);
      if (!definition || !('deserialize' in definition)) throw new Error(`the contract has no message ${name}`);
      return (definition as MessageTypeDefinition<object, object>).deserialize(Buffer.from(bytes));
    },
  };
}

function load(root: protobuf.Root): PackageDefinition {
  registerConversions(root);
  const json = root.toJSON();
  for (const type of platformTypes(root)) useCamelCase(findType(json, type.fullName));
  return fromJSON(withoutDescriptors(json), {
    longs: String,
    enums: String,
    defaults: true,
    arrays: true,
    objects: true,
  });
}

/**
 * The messages that describe files, and their extensions, are in no message that is sent; to make them of a small domain takes as
 * long as all the rest.
 */
function withoutDescriptors(json: protobuf.INamespace, path = ''): protobuf.INamespace {
  const isNeeded = ([name, declared]: [string, protobuf.AnyNestedObject]): boolean =>
    !(path === '.google.protobuf' && name in descriptorTypes) && !('extend' in declared);
  const nested = Object.entries(json.nested ?? {})
    .filter(isNeeded)
    .map(([name, declared]) => [
      name,
      isPackage(declared) ? withoutDescriptors(declared, `${path}.${name}`) : declared,
    ]);
  return { ...json, nested: Object.fromEntries(nested) as NonNullable<protobuf.INamespace['nested']> };
}

const isPackage = (declared: protobuf.AnyNestedObject): declared is protobuf.INamespace =>
  !('fields' in declared) && !('values' in declared) && !('methods' in declared);

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
