import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';

/** A program as a shell would find it. */
export function findOnPath(program: string, { PATH = '' }: NodeJS.ProcessEnv = process.env): string | undefined {
  return PATH.split(delimiter)
    .filter((directory) => directory !== '')
    .map((directory) => join(directory, program))
    .find((path) => mayRun(path));
}

/** `ffmpeg and espeak-ng are not installed`; undefined where all are. */
export function missingPrograms(...programs: readonly string[]): string | undefined {
  const missing = programs.filter((program) => findOnPath(program) === undefined);
  if (missing.length === 0) return undefined;
  return `${missing.join(' and ')} ${missing.length === 1 ? 'is' : 'are'} not installed`;
}

function mayRun(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
