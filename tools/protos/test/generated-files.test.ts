import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { filesOfDomain, protoImage, protosDirectory } from '@platform-backend/contract';
import { globSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import protobuf from 'protobufjs';
import descriptorJson from 'protobufjs/google/protobuf/descriptor.json' with { type: 'json' };
import { buf } from '../src/buf.ts';
import { domains } from '../src/domain-package.ts';
import { generatedFiles, imageArguments, imageFile } from '../src/generated-files.ts';

const repository = path.join(protosDirectory, '..');
const files = generatedFiles();

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'protos-'));
});
afterAll(() => {
  rmSync(folder, { recursive: true });
});

describe('what is generated', () => {
  it.each([...files.keys()])('%s is what `npm run generate` writes today', (name) => {
    expect(readFileSync(path.join(repository, name), 'utf8')).toBe(files.get(name));
  });

  it('is of no domain and no version that is gone', () => {
    const found = globSync('protos/**/generated/*.ts', { cwd: repository });
    expect(found.sort()).toEqual([...files.keys()].filter((name) => /^protos.*\.ts$/.test(name)).sort());
  });
});

describe.each(domains())('the image of %s', (domain) => {
  it('is what `npm run generate` writes today', () => {
    const fresh = path.join(folder, `${domain}.binpb`);
    buf(...imageArguments(domain, fresh));
    expect(readFileSync(fresh).equals(readFileSync(imageFile(domain)))).toBe(true);
  });

  it('holds its files, each after the files it imports, and those of no domain that it does not use', () => {
    const descriptor = protobuf.Root.fromJSON(descriptorJson).lookupType('google.protobuf.FileDescriptorProto');
    const image = protoImage([{ domain, image: imageFile(domain) }]).map(
      (bytes) => descriptor.decode(bytes) as unknown as { name: string; dependency: string[] },
    );
    expect(image.map(({ name }) => name)).toEqual(expect.arrayContaining(filesOfDomain(domain)));
    const seen = new Set<string>();
    for (const { name, dependency } of image) {
      for (const imported of dependency) expect(seen).toContain(imported);
      seen.add(name);
    }
    const imported = new Set(image.flatMap(({ dependency }) => dependency));
    expect([...seen].filter((name) => !imported.has(name)).sort()).toEqual(
      filesOfDomain(domain)
        .filter((name) => !imported.has(name))
        .sort(),
    );
  });
});
