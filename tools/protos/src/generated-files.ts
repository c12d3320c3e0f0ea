import { describeFile, descriptorFiles, filesOfDomain, loadProtos, protosDirectory } from '@platform-backend/contract';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import protobuf from 'protobufjs';
import { buf } from './buf.ts';
import { characterNames } from './character-names.ts';
import {
  domainIndex,
  domainPackage,
  domains,
  hasClient,
  packageTsConfig,
  platformIndex,
  platformPackage,
} from './domain-package.ts';
import { generateOptionTypes, generateTypes } from './generate-types.ts';

/** Every text that is made from the .proto files, by its path in the repository. */
export function generatedFiles(): Map<string, string> {
  const names = domains();
  const files = new Map([
    ['libs/contract/src/generated/options.ts', generateOptionTypes(loadProtos(protosDirectory))],
    ['protos/all/package.json', platformPackage(names)],
    ['protos/all/tsconfig.json', packageTsConfig('protos/all')],
    ['protos/all/generated/index.ts', platformIndex(names)],
  ]);
  for (const domain of names) {
    const folder = `protos/platform/${domain}`;
    files.set(`${folder}/package.json`, domainPackage(domain));
    files.set(`${folder}/tsconfig.json`, packageTsConfig(folder, ...(hasClient(domain) ? ['client'] : [])));
    files.set(`${folder}/generated/index.ts`, domainIndex(domain));
    const types = generateTypes(loadProtos(protosDirectory, filesOfDomain(domain)), domain);
    for (const [name, text] of types) files.set(`${folder}/generated/${name}`, text);
  }
  return files;
}

/** Every file that is no text, by its path in the repository. */
export const generatedBinaries = (): Map<string, Uint8Array> =>
  new Map([...compiledProtos(), ['libs/contract/src/generated/character-names.br', characterNames()]]);

/**
 * The compiled .proto files, by their path in the repository: those of each domain, which hold nothing of any other, and
 * beside them what all share. So a domain that is added or changed leaves the images of the others as they are.
 */
function compiledProtos(): Map<string, Uint8Array> {
  const images = new Map<string, Uint8Array[]>();
  // As they are built, imported files come before their importers.
  for (const file of descriptorFiles(builtOf(protosDirectory))) {
    const image = imageOf(describeFile(file).name);
    images.set(image, [...(images.get(image) ?? []), file]);
  }
  return new Map([...images].map(([image, files]) => [image, fileDescriptorSet(files)]));
}

const SHARED_IMAGE = 'libs/contract/src/generated/shared.binpb';

function imageOf(file: string): string {
  const owner = domains().find(
    (domain) => file.startsWith(`platform/${domain}/`) || file === `platform/events/v1/${domain}.proto`,
  );
  return owner === undefined ? SHARED_IMAGE : `protos/platform/${owner}/generated/image.binpb`;
}

function fileDescriptorSet(files: readonly Uint8Array[]): Uint8Array {
  const writer = protobuf.Writer.create();
  for (const file of files) writer.uint32((1 << 3) | 2).bytes(file);
  return writer.finish();
}

/** All files in a folder and what they import. Comments stay out: reflection and promises have no use for them. */
export function builtOf(protos: string): Uint8Array {
  const folder = mkdtempSync(path.join(tmpdir(), 'protos-'));
  try {
    const image = path.join(folder, 'image.binpb');
    buf('build', protos, '--exclude-source-info', '--as-file-descriptor-set', '--output', image);
    return readFileSync(image);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** Limits buf to files, whose imports it takes up as such. */
export const pathArguments = (files: readonly string[], protos: string): string[] =>
  files.flatMap((file) => ['--path', path.join(protos, file)]);
