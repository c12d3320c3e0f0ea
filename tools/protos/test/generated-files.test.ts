import { describe, expect, it } from '@jest/globals';
import {
  describeFile,
  filesOfDomain,
  protoImage,
  protosDirectory,
  type DomainContract,
} from '@platform-backend/contract';
import { globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { domains } from '../src/domain-package.ts';
import { generatedBinaries, generatedFiles } from '../src/generated-files.ts';

const repository = path.join(protosDirectory, '..');
const files = generatedFiles();
const binaries = generatedBinaries();

describe('what is generated', () => {
  it.each([...files.keys()])('%s is what `npm run generate` writes today', (name) => {
    expect(readFileSync(path.join(repository, name), 'utf8')).toBe(files.get(name));
  });

  it.each([...binaries.keys()])('%s is what `npm run generate` writes today', (name) => {
    expect(readFileSync(path.join(repository, name)).equals(binaries.get(name) ?? Buffer.of())).toBe(true);
  });

  it('is of no domain and no version that is gone', () => {
    const found = globSync('protos/**/generated/*.ts', { cwd: repository });
    expect(found.sort()).toEqual([...files.keys()].filter((name) => /^protos.*\.ts$/.test(name)).sort());
  });
});

/** As the package of a domain exports it. */
async function contractOf(domain: string): Promise<DomainContract> {
  const exported = (await import(`@platform-backend/contract-${domain}`)) as Record<string, DomainContract>;
  const contract = exported[`${domain}Contract`];
  if (!contract) throw new Error(`there is no contract of ${domain}`);
  return contract;
}

const namesIn = (contracts: readonly DomainContract[]): string[] =>
  protoImage(contracts).map((file) => describeFile(file).name);

describe.each(domains())('the image of %s', (domain) => {
  it('holds its files, each after the files it imports, and those of no domain that it does not use', async () => {
    const contract = await contractOf(domain);
    expect(namesIn([contract])).toEqual(expect.arrayContaining(filesOfDomain(domain)));
    const seen = new Set<string>();
    for (const { name, dependency } of protoImage([contract]).map(describeFile)) {
      for (const imported of dependency) expect(seen).toContain(imported);
      expect(seen).not.toContain(name);
      seen.add(name);
    }
    const used = (contract.uses ?? []).flatMap((other) => filesOfDomain(other.domain));
    const shared = namesIn([]);
    expect([...seen].filter((name) => !shared.includes(name)).sort()).toEqual(
      [...filesOfDomain(domain), ...used].filter((name) => !shared.includes(name)).sort(),
    );
  });
});

describe('what all domains share', () => {
  it('is compiled without any of them, so that one more of them leaves the others as they are', () => {
    expect(namesIn([]).filter((name) => domains().some((domain) => name.includes(`/${domain}`)))).toEqual([]);
  });
});
