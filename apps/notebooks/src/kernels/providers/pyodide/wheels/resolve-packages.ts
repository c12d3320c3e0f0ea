import { maxSatisfying } from '@renovatebot/pep440';
import { createHash } from 'node:crypto';
import { fits, PYTHON_VERSION, readRequirement, type Requirement } from './requirement.ts';
import { wheelContents } from './wheel-contents.ts';
import type { OfferedWheel, WheelSource } from './wheel-source.ts';

/** A package as Pyodide's lock file has it. */
export interface LockedPackage {
  readonly name: string;
  readonly version: string;
  readonly file_name: string;
  readonly sha256: string;
  readonly depends: readonly string[];
  readonly imports: readonly string[];
  readonly install_dir: string;
  readonly package_type: string;
  readonly unvendored_tests: boolean;
}

export interface LockFile {
  readonly info: unknown;
  readonly packages: Readonly<Record<string, LockedPackage>>;
}

/** Keeps the bytes of wheels. */
export interface WheelFiles {
  readonly has: (sha256: string) => Promise<boolean>;
  readonly add: (sha256: string, bytes: Buffer) => Promise<void>;
}

/** The kernel has these itself, or they are for the browser alone. */
const PROVIDED = ['comm', 'ipykernel', 'ipython', 'jupyterlab-widgets', 'widgetsnbextension'];

export const sha256Of = (bytes: Buffer | string): string => createHash('sha256').update(bytes).digest('hex');

/**
 * Packages with all that they require. Of those that Pyodide's own lock file knows its build is taken, by the hash that came with
 * Pyodide itself, where a source has that file; of others the newest wheel that fits whoever requires it first.
 *
 * @throws Error when one cannot be had, or two require what does not go together.
 */
export async function resolvePackages(
  requirements: readonly string[],
  {
    own,
    sources,
    files,
  }: { readonly own: LockFile; readonly sources: readonly WheelSource[]; readonly files: WheelFiles },
): Promise<readonly LockedPackage[]> {
  const chosen = new Map<string, LockedPackage>();
  let asked: readonly Requirement[] = counting(requirements);
  while (asked.length > 0) {
    const fresh = new Map<string, Requirement[]>();
    for (const one of asked) {
      const known = chosen.get(one.name);
      if (known && !fits(known.version, one))
        throw new Error(`${known.name} ${known.version} is taken, and ${one.name}${one.versions} is required as well`);
      if (!known) fresh.set(one.name, [...(fresh.get(one.name) ?? []), one]);
    }
    const found = await Promise.all([...fresh].map(([name, wanted]) => choose(name, merged(name, wanted))));
    for (const { locked } of found) chosen.set(locked.name, locked);
    asked = found.flatMap(({ requires }) => requires);
  }
  return [...chosen.values()].map((one) => ({ ...one, depends: one.depends.filter((name) => chosen.has(name)) }));

  async function choose(name: string, wanted: Requirement) {
    const locked = own.packages[name];
    if (locked && fits(locked.version, wanted) && (await isFetched(locked)))
      return { locked, requires: counting(locked.depends) };
    for (const source of sources) {
      const offers = (await source.offers(name)).filter(
        ({ version, requiresPython }) => fits(version, wanted) && isForPython(requiresPython),
      );
      if (offers.length > 0) return await fetched(best(offers), wanted);
    }
    throw new Error(`no wheel of ${name}${wanted.versions} for Python ${PYTHON_VERSION} in WebAssembly is to be had`);
  }

  async function isFetched({ file_name: fileName, sha256 }: LockedPackage): Promise<boolean> {
    if (await files.has(sha256)) return true;
    for (const source of sources) {
      const bytes = await source.file(fileName);
      if (!bytes) continue;
      if (sha256Of(bytes) !== sha256) throw new Error(`${fileName} is not the file that Pyodide's lock file names`);
      await files.add(sha256, bytes);
      return true;
    }
    return false;
  }

  async function fetched(offer: OfferedWheel, { name, versions }: Requirement) {
    const bytes = await offer.fetch();
    const sha256 = sha256Of(bytes);
    if (offer.sha256 !== undefined && offer.sha256 !== sha256)
      throw new Error(`${offer.file} is not what the index names`);
    const contents = await wheelContents(bytes);
    if (!isForPython(contents.requiresPython))
      throw new Error(`${name}${versions} is not for Python ${PYTHON_VERSION}`);
    await files.add(sha256, bytes);
    const requires = counting(contents.requires);
    const locked: LockedPackage = {
      ...{ name, version: offer.version, file_name: offer.file, sha256, imports: contents.imports },
      depends: [...new Set(requires.map((one) => one.name))],
      ...{ install_dir: 'site', package_type: 'package', unvendored_tests: false },
    };
    return { locked, requires };
  }
}

const counting = (requirements: readonly string[]): Requirement[] =>
  requirements.flatMap((text) => {
    const read = readRequirement(text);
    return read && !PROVIDED.includes(read.name) ? [read] : [];
  });

const merged = (name: string, wanted: readonly Requirement[]): Requirement => ({
  name,
  versions: wanted
    .map(({ versions }) => versions)
    .filter((versions) => versions !== '')
    .join(','),
});

const isForPython = (versions: string | undefined): boolean =>
  versions === undefined || versions === '' || fits(PYTHON_VERSION, { versions });

/** The newest, one before its release only where there is no other; of builds of one version the first one. */
function best(offers: readonly OfferedWheel[]): OfferedWheel {
  const versions = offers.map(({ version }) => version);
  const newest = maxSatisfying(versions, '>=0') ?? maxSatisfying(versions, '>=0.dev0', { prereleases: true });
  const found = offers.find(({ version }) => version === newest) ?? offers[0];
  if (!found) throw new Error('nothing is offered');
  return found;
}
