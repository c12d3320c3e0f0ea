import { readFileSync } from 'node:fs';
import path from 'node:path';
import protobuf from 'protobufjs';
import descriptorJson from 'protobufjs/google/protobuf/descriptor.json' with { type: 'json' };
import type { DomainContract } from './domain-contract.ts';

/** What the .proto files of all domains import and none of them owns, compiled. */
const shared = path.join(import.meta.dirname, 'generated/shared.binpb');

/**
 * The original FileDescriptorProto of every file of the domains and of all that they import, imported files before their
 * importers. Descriptors made by protobufjs would not do: clients outside JavaScript cannot link them.
 */
export const protoImage = (domains: readonly DomainContract[]): readonly Uint8Array[] =>
  [shared, ...imagesOf(domains)].flatMap((image) => descriptorFiles(readFileSync(image)));

/** Of the domains and those they use, each once. */
const imagesOf = (domains: readonly DomainContract[]): ReadonlySet<string> =>
  new Set(domains.flatMap(({ image, uses = [] }) => [...imagesOf(uses), image]));

const descriptor = protobuf.Root.fromJSON(descriptorJson).lookupType('google.protobuf.FileDescriptorProto');

/** The name of a file and those of the files that it imports. */
export const describeFile = (file: Uint8Array): { readonly name: string; readonly dependency: readonly string[] } =>
  descriptor.decode(file) as unknown as { name: string; dependency: string[] };

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
