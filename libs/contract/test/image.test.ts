import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import protobuf from 'protobufjs';
import descriptorJson from 'protobufjs/google/protobuf/descriptor.json' with { type: 'json' };
import { buf } from '../src/buf.ts';
import { imageArguments, imageFile, protoImage } from '../src/image.ts';
import { protoFiles, protosDirectory } from '../src/load.ts';

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'protos-'));
});
afterAll(() => {
  rmSync(folder, { recursive: true });
});

describe('the image of the protos', () => {
  it('is what `npm run generate` writes today', () => {
    const fresh = path.join(folder, 'protos.binpb');
    buf(...imageArguments(protosDirectory(), fresh));
    expect(readFileSync(fresh).equals(readFileSync(imageFile))).toBe(true);
  });

  it('holds every platform file, each after the files it imports', () => {
    const descriptor = protobuf.Root.fromJSON(descriptorJson).lookupType('google.protobuf.FileDescriptorProto');
    const files = protoImage().map(
      (bytes) => descriptor.decode(bytes) as unknown as { name: string; dependency: string[] },
    );
    expect(files.map(({ name }) => name)).toEqual(expect.arrayContaining(protoFiles(protosDirectory())));
    const seen = new Set<string>();
    for (const { name, dependency } of files) {
      for (const imported of dependency) expect(seen).toContain(imported);
      seen.add(name);
    }
  });
});
