import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/** What this machine lacks is fetched or unpacked here once, for tests and for `npm start`. */
export function programsDirectory(): string {
  const directory = fileURLToPath(new URL('../../../node_modules/.cache/programs', import.meta.url));
  mkdirSync(directory, { recursive: true });
  return directory;
}

/** Beside the repository, where it is: a script that unpacks a program to test against and prints its path. */
const unpack = fileURLToPath(new URL('../../../../shared/bin/get', import.meta.url));

export const hasSharedPrograms = existsSync(unpack);

/** The path of such a program; only where there are any. */
export const sharedProgram = (name: string): string =>
  execFileSync(unpack, [name], {
    encoding: 'utf8',
    env: { ...process.env, PARTS_CACHE: programsDirectory() },
  }).trim();
