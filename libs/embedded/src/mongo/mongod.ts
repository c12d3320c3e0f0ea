import { MongoClient, MongoServerError, type Db } from 'mongodb';
import { execFile } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';
import { startOnPort, type RunningServer, type ServerOptions } from '../processes/server.ts';
import { endOrphan, StartFailure, supervise, type Exit } from '../processes/supervise.ts';

export interface MongodOptions extends ServerOptions {
  /** The mongod to run. */
  readonly binary: string;
  /** The data. Made when missing. */
  readonly directory: string;
}

/** Each database has a path of its own below the URL. */
export type Mongod = RunningServer;

const run = promisify(execFile);
const replicaSet = 'platform';
const stopTimeoutMs = 60_000;
const primaryTimeoutMs = 60_000;
const pollMs = 20;

/** What this program says of itself (`8.2.6`). Throws where it is no mongod that runs on this machine. */
export async function mongodVersion(binary: string): Promise<string> {
  const { stdout } = await run(binary, ['--version'], { timeout: 20_000 });
  const version = /db version v(\S+)/.exec(stdout)?.[1];
  if (version === undefined) throw new Error(`${binary} --version says nothing about a version`);
  return version;
}

/**
 * Starts a real MongoDB server on loopback as a replica set of one node, since transactions need one. Nobody needs a
 * password.
 */
export async function startMongod(options: MongodOptions): Promise<Mongod> {
  const { directory } = options;
  mkdirSync(directory, { recursive: true, mode: 0o700 });
  await endEarlierServer(directory);
  return startOnPort(options.port, /address already in use/i, (port) => startOn(port, options));
}

async function startOn(port: number, options: MongodOptions): Promise<Mongod> {
  const server = await supervise({
    ...options,
    name: 'mongod',
    command: options.binary,
    args: [
      ...['--dbpath', options.directory, '--port', String(port), '--bind_ip', '127.0.0.1', '--nounixsocket'],
      // Of a machine that runs everything, MongoDB would take half the memory and a twentieth of the disk.
      ...['--replSet', replicaSet, '--oplogSize', '256', '--wiredTigerCacheSizeGB', '0.5'],
    ],
    stopSignal: 'SIGTERM',
    // It would go on for 15 s, and recovers from this as from any crash.
    orphanSignal: 'SIGKILL',
    stopTimeoutMs,
    ready: (line) => line.includes('Waiting for connections') || undefined,
  });
  const host = `127.0.0.1:${String(port)}`;
  const url = `mongodb://${host}/`;
  try {
    await asReplicaSet(host, options.signal);
  } catch (error) {
    await server.stop();
    throw error;
  }
  const stop = async (): Promise<Exit> => {
    await shutDown(url);
    return server.stop();
  };
  return { ...server, port, url, stop };
}

/** Makes it the only member of its set, under the address that it has now, and waits until it may write. */
async function asReplicaSet(host: string, signal: AbortSignal | undefined): Promise<void> {
  await onServer(`mongodb://${host}/`, async (admin) => {
    const { setName } = await admin.command({ hello: 1 });
    if (setName === undefined) await initiate(admin, host);
    const deadline = Date.now() + primaryTimeoutMs;
    while ((await admin.command({ hello: 1 }))['isWritablePrimary'] !== true) {
      signal?.throwIfAborted();
      if (Date.now() > deadline) throw new StartFailure('mongod did not become the primary of its replica set', '');
      await delay(pollMs);
    }
  });
}

/** A server that was on another port before finds no member in its set that it could be. */
async function initiate(admin: Db, host: string): Promise<void> {
  const members = [{ _id: 0, host }];
  try {
    await admin.command({ replSetInitiate: { _id: replicaSet, members } });
  } catch (error) {
    if (!(error instanceof MongoServerError) || error.codeName !== 'AlreadyInitialized') throw error;
    const { config } = (await admin.command({ replSetGetConfig: 1 })) as { config: { version: number } };
    await admin.command({ replSetReconfig: { ...config, version: config.version + 1, members }, force: true });
  }
}

/** By the signal alone it would wait 15 s for clients to leave. */
async function shutDown(url: string): Promise<void> {
  // The connection breaks instead of an answer.
  await onServer(url, (admin) => admin.command({ shutdown: 1, force: true, timeoutSecs: 1 })).catch(() => undefined);
}

async function onServer(url: string, work: (admin: Db) => Promise<unknown>): Promise<void> {
  await using client = new MongoClient(url, { directConnection: true, serverSelectionTimeoutMS: 10_000 });
  await work(client.db('admin'));
}

/** A server that outlived an earlier run on this data is ended; MongoDB replaces its stale lock itself. */
async function endEarlierServer(directory: string): Promise<void> {
  const lock = join(directory, 'mongod.lock');
  if (!existsSync(lock)) return;
  const pid = Number(readFileSync(lock, 'utf8'));
  if (Number.isInteger(pid) && pid > 1) await endOrphan(pid, directory, 'SIGKILL', stopTimeoutMs);
}
