import { readFileSync } from 'node:fs';
import path from 'node:path';
import protobuf from 'protobufjs';

/** The compiled .proto files (a buf image), for reflection. */
export const imageFile = path.join(import.meta.dirname, 'generated/protos.binpb');

/** How buf makes the image. Comments stay out: reflection has no use for them. */
export function imageArguments(protos: string, output: string): string[] {
  return ['build', protos, '--exclude-source-info', '--output', output];
}

/**
 * The original FileDescriptorProto of every file, imported files before their importers.
 * Descriptors made by protobufjs would not do: clients outside JavaScript cannot link them.
 */
export function protoImage(): readonly Uint8Array[] {
  return (files ??= descriptorFiles(readFileSync(imageFile)));
}

let files: readonly Uint8Array[] | undefined;

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
