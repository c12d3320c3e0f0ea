import { existsSync, globSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** What a project is for decides what it may import. */
export type ProjectKind = 'app' | 'lib' | 'contract' | 'tool';

export interface Project {
  /** The name in its package.json. */
  readonly name: string;
  /** Relative to the repository: `apps/billing`. */
  readonly directory: string;
  readonly kind: ProjectKind;
  /** Those of its `src/areas.ts`, in the order in which they build on each other. */
  readonly areas?: readonly string[] | undefined;
  /** Packages that are there when the project runs. */
  readonly dependencies: ReadonlySet<string>;
  /** Packages that are there for its tests and tools only. */
  readonly devDependencies: ReadonlySet<string>;
}

export interface Workspace {
  readonly projects: readonly Project[];
  /** Declared at the root for every project's tests and tools: jest, typescript and so on. */
  readonly sharedDevDependencies: ReadonlySet<string>;
}

interface PackageJson {
  readonly name?: string;
  readonly workspaces?: readonly string[];
  readonly dependencies?: Record<string, string>;
  readonly optionalDependencies?: Record<string, string>;
  readonly peerDependencies?: Record<string, string>;
  readonly devDependencies?: Record<string, string>;
}

/** Reads every project of the npm workspace at `root`. */
export function readWorkspace(root: string): Workspace {
  const { workspaces = [], devDependencies = {} } = readPackage(join(root, 'package.json'));
  const directories = globSync(
    workspaces.map((pattern) => `${pattern}/package.json`),
    { cwd: root },
  ).map((file) => dirname(file));
  return {
    projects: directories.sort().map((directory) => readProject(root, directory)),
    sharedDevDependencies: new Set(Object.keys(devDependencies)),
  };
}

function readProject(root: string, directory: string): Project {
  const file = join(root, directory, 'package.json');
  const { name = directory, dependencies, optionalDependencies, peerDependencies, devDependencies } = readPackage(file);
  return {
    name,
    directory,
    kind: kindOf(directory),
    areas: areasIn(join(root, directory, 'src/areas.ts')),
    dependencies: new Set(Object.keys({ ...dependencies, ...optionalDependencies, ...peerDependencies })),
    devDependencies: new Set(Object.keys(devDependencies ?? {})),
  };
}

/** The folders whose `area.ts` is called there, one after the other. */
function areasIn(file: string): string[] | undefined {
  if (!existsSync(file)) return undefined;
  const text = readFileSync(file, 'utf8');
  const imported = [...text.matchAll(/^import \{ (\w+) \} from '\.\/([\w-]+)\/area\.ts';$/gm)];
  return imported
    .map(([, composes = '', folder = '']) => ({ folder, at: text.search(new RegExp(`\\b${composes}\\(`)) }))
    .sort((one, other) => one.at - other.at)
    .map(({ folder }) => folder);
}

function kindOf(directory: string): ProjectKind {
  if (directory.startsWith('apps/')) return 'app';
  if (directory.startsWith('protos/')) return 'contract';
  return directory.startsWith('libs/') ? 'lib' : 'tool';
}

function readPackage(file: string): PackageJson {
  return existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as PackageJson) : {};
}
