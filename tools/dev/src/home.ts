import { mkdirSync, readFileSync, renameSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** Where things lie in PLATFORM_HOME. */
export const homePaths = (home: string) => ({
  lock: join(home, 'lock'),
  runFile: join(home, 'run.json'),
  secrets: join(home, 'secrets.json'),
  postgres: join(home, 'postgres'),
  nats: join(home, 'nats'),
  mongo: join(home, 'mongo'),
  /** Which engine wrote what lies beside it. */
  mongoEngine: join(home, 'mongo', 'engine.json'),
  objects: join(home, 'objects'),
  programs: join(home, 'programs'),
  log: (name: string) => join(home, 'logs', `${name}.log`),
});

/**
 * Makes PLATFORM_HOME. What is fetched because this machine lacks it lies in `programs`, once for all homes, unless a home has a folder of
 * its own for that. @throws Error with one clear sentence.
 */
export function makeHome(home: string, programs: string): void {
  try {
    makeFolder(join(home, 'logs'));
    makeFolder(programs);
    linkUnlessThere(programs, homePaths(home).programs);
  } catch (error) {
    throw new Error(`PLATFORM_HOME ${home} cannot be used as a folder (${codeOf(error)}).`, { cause: error });
  }
}

/**
 * Not `mkdirSync` with `recursive`: that tries for ever where a folder is there and yet answers ENOENT to
 * whatever is made in it, as /proc and some network mounts do.
 */
function makeFolder(path: string): void {
  if (isFolder(path)) return;
  makeFolder(dirname(path));
  try {
    mkdirSync(path);
  } catch (error) {
    if (!isFolder(path)) throw error; // another starter may have been faster
  }
}

function linkUnlessThere(target: string, path: string): void {
  try {
    symlinkSync(target, path);
  } catch (error) {
    if (codeOf(error) !== 'EEXIST') throw error;
  }
}

const isFolder = (path: string): boolean => statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;

/** Writes a file that only we may read, whole or not at all. */
export function writePrivately(path: string, value: unknown): void {
  const unfinished = `${path}.${String(process.pid)}`;
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(unfinished, `${JSON.stringify(value, null, 2)}\n`, { mode: 0o600 });
  renameSync(unfinished, path);
}

/** The JSON in a file of ours; undefined when there is no such file. @throws Error with one clear sentence. */
export function readOwnJson(path: string): unknown {
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return undefined;
    throw new Error(`${path} cannot be read (${codeOf(error)}).`, { cause: error });
  }
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new Error(`${path} is damaged; move it away to get a new one.`, { cause: error });
  }
}

export function removeFile(path: string): void {
  rmSync(path, { force: true });
}

const codeOf = (error: unknown): string => (error as NodeJS.ErrnoException).code ?? String(error);
