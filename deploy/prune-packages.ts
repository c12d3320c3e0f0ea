/**
 * `node deploy/prune-packages.ts FOLDER` removes from the installed packages below FOLDER what no app reads: half of what npm
 * unpacks is for compilers, people and other machines. With `--worked-on` what compilers read stays, and packages that are there for
 * working on the project alone lose their maps only. It needs no installed package.
 */
import { existsSync, lstatSync, readdirSync, readFileSync, rmdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';

export interface Machine {
  readonly platform: string;
  readonly arch: string;
  readonly libc: 'glibc' | 'musl';
}

/** A package without its `package.json` is none to npm, which would bring it anew with each installation. */
const ALL_BUT_ITS_NAME = /^(?!package\.json$)/;

/** Parts of packages that a look at their code says nothing here imports. */
const UNUSED: Readonly<Record<string, RegExp>> = {
  // Of each typeface the faces that `libs/pdf/src/typeface.ts` reads.
  '@expo-google-fonts/noto-sans': /^(?!400Regular\/|700Bold\/|package\.json$)/,
  '@expo-google-fonts/noto-emoji': /^(?!400Regular\/|package\.json$)/,
  '@expo-google-fonts/noto-sans-hebrew': /^(?!400Regular\/|700Bold\/|package\.json$)/,
  '@expo-google-fonts/ibm-plex-sans-arabic': /^(?!400Regular\/|700Bold\/|package\.json$)/,
  // Pipelines take the clients that ask by objects; another 6.7 MB of the same ask by arguments.
  '@kubernetes/client-node': /^dist\/gen\/types\/PromiseAPI\.js$/,
  // Names that are not settled yet.
  '@opentelemetry/semantic-conventions': /^dist\/(experimental_attributes|index-incubating)\./,
  // Content imports `eld/extrasmall`.
  eld: /^src\/(ngrams|entries)\/(?!(static\.)?extrasmall\.js$)/,
  // Builds for browsers, beside those for Node.
  'bidi-js': /^(src\/.*\.js|dist\/(?!bidi\.js$))/,
  '@mongodb-js/saslprep': /browser/,
  fontkit: /^(src\/|dist\/browser)/,
  mammoth: /^mammoth\.browser\./,
  pdfkit: /^js\/pdfkit\..+\.js$/,
  // Notebooks take `highlight.js/lib/common` and `katex` by `require`, and no style.
  'highlight.js': /^(es|scss|styles)\//,
  katex: /^(src|contrib)\/|^dist\/(?!katex\.js$)/,
  // Only `gpt-tokenizer/encoding/o200k_base` is imported, as an ES module.
  'gpt-tokenizer': /^(src|cjs|data)\/|^esm\/bpeRanks\/(?!o200k_base\.js$)/,
  // The gateway shows one build, with its styles and the page that people come back to.
  'swagger-ui-dist': /^(?!swagger-ui-bundle\.js$|swagger-ui\.css$|oauth2-redirect\.|package\.json$)/,
  // What the addon is compiled from, where no compiled one is there.
  zeromq: /^(src|script)\//,
  'node-addon-api': ALL_BUT_ITS_NAME,
};

/** Folders that packages have for those who work on them; deeper ones may be code of that name. */
const FOR_WORK = /^(tests?|__tests__|docs?|examples?|benchmarks?|bench|coverage|\.github)\//;

/** Types and sources: Node runs no TypeScript from packages. */
const FOR_COMPILERS = /\.([cm]?ts|tsx|tsbuildinfo|flow)$/;
/** Maps and texts. Licences stay. */
const FOR_PEOPLE = /\.(map|md|markdown)$/;
const LEGAL = /(^|[/.-])(licen[cs]e|notice|copying|copyright)[^/]*$/i;

/** Another build of the same modules, for bundlers: none of ours comes by this condition. */
const FOR_BUNDLERS = /^(build\/esnext|dist-es)\//;

const PLATFORMS = ['aix', 'android', 'darwin', 'freebsd', 'linux', 'openbsd', 'sunos', 'win32'];
const ARCHITECTURES = ['arm', 'arm64', 'ia32', 'loong64', 'ppc64', 'riscv64', 's390x', 'x64'];

/** `prebuilds/linux-x64/…`, `build/darwin/arm64/…`, `build/linux/x64/node/musl-127-Release/…` */
const PREBUILT = new RegExp(
  `^(?:prebuilds|build)/(${PLATFORMS.join('|')})[-/](${ARCHITECTURES.join('|')})(?:\\+[^/]*)?/(?:.*/)?`,
);

/** Whether a file of a package, its path relative to that, is of no use to what runs on such a machine. */
export function isUnused(name: string, path: string, { platform, arch, libc }: Machine): boolean {
  if (LEGAL.test(path)) return false;
  const prebuilt = PREBUILT.exec(path);
  if (prebuilt && (prebuilt[1] !== platform || prebuilt[2] !== arch)) return true;
  if (prebuilt && new RegExp(`[/.-]${libc === 'glibc' ? 'musl' : 'glibc'}[.-]`).test(path)) return true;
  return (
    FOR_WORK.test(path) ||
    FOR_BUNDLERS.test(path) ||
    FOR_COMPILERS.test(path) ||
    FOR_PEOPLE.test(path) ||
    UNUSED[name]?.test(path) === true
  );
}

/** Name and rest of a path below `node_modules`, of the innermost package; undefined for what belongs to npm. */
export function packageAndPath(path: string): { name: string; path: string } | undefined {
  const [, name, rest] = /(?:.*\/|^)node_modules\/((?:@[^/]+\/)?[^/@.][^/]*)\/(.+)$/.exec(path) ?? [];
  return name === undefined || rest === undefined ? undefined : { name, path: rest };
}

/** The same where somebody works on the project, who compiles against what apps run with. Of packages for that work nothing is known but this. */
export const isUnusedByWorkers = (name: string, path: string, isForWork: boolean, machine: Machine): boolean =>
  isForWork ? path.endsWith('.map') : !FOR_COMPILERS.test(path) && isUnused(name, path, machine);

type IsUnused = (file: { readonly name: string; readonly path: string }, where: string) => boolean;

/**
 * Removes from the packages in `folders` below a folder the files that are unused, and the folders that are empty then. Links, such as those to
 * the apps and libraries, are not followed.
 */
export function prunePackages(folder: string, folders: readonly string[], isUnusedFile: IsUnused): void {
  const prune = (relative: string): void => {
    for (const entry of readdirSync(join(folder, relative))) {
      // What tools keep there, and write while this reads, is no package.
      if (entry.startsWith('.') && /(^|\/)node_modules$/.test(relative)) continue;
      const path = relative === '' ? entry : `${relative}/${entry}`;
      const found = lstatSync(join(folder, path));
      if (found.isDirectory()) prune(path);
      if (!found.isFile()) continue;
      const file = packageAndPath(path);
      if (file && isUnusedFile(file, path)) rmSync(join(folder, path));
    }
    if (relative.includes('node_modules/') && readdirSync(join(folder, relative)).length === 0)
      rmdirSync(join(folder, relative));
  };
  for (const at of folders) if (existsSync(join(folder, at))) prune(at);
}

/** Where somebody works, in the packages that the lock file has. */
export function pruneForWorkers(folder: string, machine: Machine): void {
  const { packages } = JSON.parse(readFileSync(join(folder, 'package-lock.json'), 'utf8')) as {
    readonly packages: Readonly<Record<string, { readonly dev?: boolean }>>;
  };
  const folders = new Set(Object.keys(packages).flatMap((path) => /^.*?\bnode_modules(?=\/)/.exec(path)?.[0] ?? []));
  prunePackages(folder, [...folders], ({ name, path }, where) => {
    const known = packages[where.slice(0, -path.length - 1)];
    return known !== undefined && isUnusedByWorkers(name, path, known.dev === true, machine);
  });
}

function machineHere(): Machine {
  const { header } = process.report.getReport() as { header: { glibcVersionRuntime?: string } };
  const libc = header.glibcVersionRuntime === undefined ? 'musl' : 'glibc';
  return { platform: process.platform, arch: process.arch, libc };
}

if (import.meta.main) {
  const [folder = '.', option] = process.argv.slice(2);
  const machine = machineHere();
  if (option === '--worked-on') pruneForWorkers(folder, machine);
  else prunePackages(folder, [''], ({ name, path }) => isUnused(name, path, machine));
}
