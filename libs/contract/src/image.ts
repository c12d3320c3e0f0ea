import { readFileSync } from 'node:fs';
import protobuf from 'protobufjs';
import descriptorJson from 'protobufjs/google/protobuf/descriptor.json' with { type: 'json' };
import type { DomainContract } from './domain-contract.ts';

/**
 * The original FileDescriptorProto of every file of the domains, imported files before their importers.
 * Descriptors made by protobufjs would not do: clients outside JavaScript cannot link them.
 */
export function protoImage(domains: readonly DomainContract[]): readonly Uint8Array[] {
  const files = domains.flatMap(({ image }) => descriptorFiles(readFileSync(image)));
  return [...new Map(files.map((file) => [nameOf(file), file])).values()];
}

const descriptor = protobuf.Root.fromJSON(descriptorJson).lookupType('google.protobuf.FileDescriptorProto');
const nameOf = (file: Uint8Array): string => (descriptor.decode(file) as unknown as { name: string }).name;

/** The files of an image, which is a FileDescriptorSet: field 1 holds them. */
export function descriptorFiles(image: Uint8Array): Uint8Array[] {
  const reader = protobuf.Reader.create(image);
  const found: Uint8Array[] = [];
  while (reader.pos < reader.len) {
    const tag = reader.uint32();
    if (tag >>> 3 === 1) found.push(reader.bytes());
    else reader.skipType(tag & 7);
  }
  return found;
}
