import { filesOfDomain, loadProtos, protosDirectory } from '@platform-backend/contract';
import path from 'node:path';
import {
  domainIndex,
  domainPackage,
  domains,
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
    files.set(`${folder}/tsconfig.json`, packageTsConfig(folder));
    files.set(`${folder}/generated/index.ts`, domainIndex(domain));
    const types = generateTypes(loadProtos(protosDirectory, filesOfDomain(domain)), domain);
    for (const [name, text] of types) files.set(`${folder}/generated/${name}`, text);
  }
  return files;
}

/** How buf makes the image of a domain. Comments stay out: reflection has no use for them. */
export const imageArguments = (domain: string, output: string): string[] => [
  'build',
  protosDirectory,
  ...pathArguments(filesOfDomain(domain)),
  '--exclude-source-info',
  '--output',
  output,
];

/** Limits buf to files, whose imports it takes up as such. */
export const pathArguments = (files: readonly string[]): string[] =>
  files.flatMap((file) => ['--path', path.join(protosDirectory, file)]);

export const imageFile = (domain: string): string =>
  path.join(protosDirectory, 'platform', domain, 'generated/image.binpb');
