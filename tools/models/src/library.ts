import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** What runs the models. Nearly half a gigabyte, hence not among the packages that everybody installs. */
const LIBRARY = '@huggingface/transformers';
const VERSION = '4.3.1';

export const libraryIsThere = (folder: string): boolean => versionIn(folder) === VERSION;

/** Installs the library beside the models. Its post-install, which fetches parts for graphics cards, is left out. */
export function installLibrary(folder: string): void {
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'package.json'), '{ "private": true }\n');
  const { status, error } = spawnSync(
    'npm',
    ['install', '--ignore-scripts', '--no-audit', '--no-fund', '--no-package-lock', `${LIBRARY}@${VERSION}`],
    { cwd: folder, stdio: ['ignore', 'ignore', 'inherit'], env: withoutOuterNpm(process.env) },
  );
  if (status !== 0) throw new Error(`${LIBRARY} could not be installed by npm.`, { cause: error });
}

export function removeLibrary(folder: string): void {
  rmSync(join(folder, 'node_modules'), { recursive: true, force: true });
  rmSync(join(folder, 'package.json'), { force: true });
}

function versionIn(folder: string): string | undefined {
  const manifest = join(folder, 'node_modules', LIBRARY, 'package.json');
  return existsSync(manifest) ? (JSON.parse(readFileSync(manifest, 'utf8')) as { version: string }).version : undefined;
}

/** What `npm run` says of the package that it runs for is no setting of another npm. */
const withoutOuterNpm = (env: NodeJS.ProcessEnv): NodeJS.ProcessEnv =>
  Object.fromEntries(
    Object.entries(env).filter(([name]) => !/^npm_(package_|lifecycle_|config_(local_prefix|prefix)$)/i.test(name)),
  );
