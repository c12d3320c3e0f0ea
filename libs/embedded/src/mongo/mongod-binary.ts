import { findOnPath } from '@platform-backend/system-programs';
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { mongodVersion } from './mongod.ts';

export interface MongodBinary {
  readonly binary: string;
  readonly version: string;
  /** How it was found, for people. */
  readonly from: string;
}

export interface MongodSearch {
  readonly env: NodeJS.ProcessEnv;
  readonly signal: AbortSignal;
  readonly say: (text: string) => void;
}

const run = promisify(execFile);
const locateTimeoutMs = 20_000;
const downloadTimeoutMs = 15 * 60_000;
/** Where the library that downloads it looks for its settings and its cache. */
const repository = resolve(import.meta.dirname, '../../../..');

/** The mongod on PATH, or in the cache of the library that downloads it. */
export async function findMongod(search: MongodSearch): Promise<MongodBinary | undefined> {
  const onPath = findOnPath('mongod', search.env);
  return (await usable(search, onPath, 'PATH')) ?? (await usable(search, await fetched('locate', search), 'cache'));
}

/** One for this machine's system; undefined, and said why, where there is none to be had. */
export const downloadMongod = async (search: MongodSearch): Promise<MongodBinary | undefined> =>
  usable(search, await fetched('download', search), 'downloaded');

/** Undefined where no file is there. Throws where it is no mongod that runs on this machine. */
export async function mongodAt(binary: string | undefined, from: string): Promise<MongodBinary | undefined> {
  if (binary === undefined || !existsSync(binary)) return undefined;
  return { binary, version: await mongodVersion(binary), from };
}

async function fetched(what: 'locate' | 'download', { env, signal, say }: MongodSearch): Promise<string | undefined> {
  try {
    const program = join(import.meta.dirname, 'fetch-mongod.ts');
    const { stdout } = await run(process.execPath, [program, what], {
      cwd: repository,
      // So that our question goes the way of the library's.
      env: { ...env, NODE_USE_ENV_PROXY: '1' },
      signal,
      timeout: what === 'locate' ? locateTimeoutMs : downloadTimeoutMs,
      killSignal: 'SIGKILL',
    });
    return stdout === '' ? undefined : stdout;
  } catch (error) {
    signal.throwIfAborted();
    if (what === 'download') say(`no MongoDB could be downloaded (${failureOf(error)})`);
    return undefined;
  }
}

/** A program that is there and does not run, as on a processor that is too old for it, is passed over. */
async function usable(
  { say }: MongodSearch,
  binary: string | undefined,
  from: string,
): Promise<MongodBinary | undefined> {
  return await mongodAt(binary, from).catch((error: unknown) => {
    say(`${String(binary)} does not run (${failureOf(error)})`);
    return undefined;
  });
}

/** What a program wrote before it ended, or why it did not run, in one line. */
export function failureOf(error: unknown): string {
  const { stderr, message } = error as Error & { stderr?: string };
  const said = /^(?:\w*Error): (.+)/m.exec(stderr ?? '')?.[1];
  return said ?? message.split('\n')[0] ?? message;
}
