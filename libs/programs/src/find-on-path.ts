import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';

/** A program as a shell would find it. */
export function findOnPath(program: string, { PATH = '' }: NodeJS.ProcessEnv = process.env): string | undefined {
  return PATH.split(delimiter)
    .filter((directory) => directory !== '')
    .map((directory) => join(directory, program))
    .find((path) => existsSync(path));
}
