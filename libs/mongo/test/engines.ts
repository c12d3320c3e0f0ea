import { startEmbeddedMongo, startMongod, supervise } from '@platform-backend/embedded';
import { findOnPath } from '@platform-backend/system-programs';
import { hasSharedPrograms, sharedProgram } from '@platform-backend/testing';

export interface Started {
  readonly pid: number;
  readonly url: string;
}

/** A kind of server that the tests can run on. */
export interface Engine {
  readonly name: string;
  /** Whether it is MongoDB itself. */
  readonly isReal: boolean;
  /** Starts a server of its own on an empty directory, which goes when it ends; undefined where one runs already. */
  readonly start: ((directory: string) => Promise<Started>) | undefined;
  readonly url: string | undefined;
}

export const embedded: Engine = { name: 'the embedded server', isReal: false, start: startEmbedded, url: undefined };

/** MongoDB itself, where there is one: `MONGO_URL`, `MONGOD_BINARY`, or `mongod` on PATH. */
export function realEngine(): Engine | undefined {
  const { MONGO_URL: url, MONGOD_BINARY: binary } = process.env;
  if (url) return { name: 'MongoDB', isReal: true, start: undefined, url };
  const mongod = binary ?? findOnPath('mongod');
  if (mongod === undefined) return undefined;
  return { name: 'MongoDB', isReal: true, start: (directory) => startReal(mongod, directory), url: undefined };
}

/** A server that is compatible with MongoDB: `MONGO_COMPATIBLE_URL`. */
export function namedEngine(): Engine | undefined {
  const { MONGO_COMPATIBLE_URL: url } = process.env;
  return url ? { name: 'a compatible server', isReal: false, start: undefined, url } : undefined;
}

/** To compare ours with one that shares nothing with it: the one that is named, or one beside the repository. */
export function compatibleEngine(): Engine | undefined {
  const named = namedEngine();
  if (named || !hasSharedPrograms) return named;
  return { name: 'secantusd-rs', isReal: false, start: startCompatible, url: undefined };
}

const throwaway = (directory: string) => ({
  logFile: `${directory}.log`,
  removeAfterExit: directory,
  keepsUsAlive: false,
});

async function startReal(binary: string, directory: string): Promise<Started> {
  const { pid, url } = await startMongod({ ...throwaway(directory), binary, directory });
  return { pid, url };
}

async function startCompatible(directory: string): Promise<Started> {
  const { pid, ready } = await supervise({
    ...throwaway(directory),
    name: 'secantusd-rs',
    stopSignal: 'SIGTERM',
    command: sharedProgram('secantusd-rs'),
    args: ['--host', '127.0.0.1', '--port', '0', '--storage-path', directory, '--cache-size', '256M'],
    ready: (line) => /listening on (\S+)/.exec(line)?.[1],
  });
  return { pid, url: `mongodb://${ready}/` };
}

async function startEmbedded(directory: string): Promise<Started> {
  const { pid, url } = await startEmbeddedMongo({ ...throwaway(directory), directory });
  return { pid, url };
}
