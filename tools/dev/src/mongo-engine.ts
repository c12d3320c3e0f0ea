import { readConfiguration } from '@platform-backend/core';
import { mongodVersion } from '@platform-backend/embedded';
import { findOnPath } from '@platform-backend/system-programs';
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { homePaths, readOwnJson, writePrivately } from './home.ts';
import { mongoSettings, repository } from './settings.ts';

/** What keeps the documents of a home. */
export type MongoEngine =
  | { readonly engine: 'mongod'; readonly binary: string; readonly version: string; readonly from: string }
  | { readonly engine: 'embedded' };

/** What a home remembers of the engine that wrote its data. */
interface Written {
  readonly engine: MongoEngine['engine'];
  readonly binary?: string;
  readonly version?: string;
}

export interface EngineQuestion {
  readonly home: string;
  readonly env: NodeJS.ProcessEnv;
  readonly signal: AbortSignal;
  readonly say: (text: string) => void;
}

const run = promisify(execFile);
const locateTimeoutMs = 20_000;
const downloadTimeoutMs = 15 * 60_000;

/** The program of our own that stands in where there is no MongoDB. */
export const embeddedMongo = join(repository, 'tools/embedded-mongo/src/main.ts');

/** The engine that the home's data was written with; of a home without data the best that there is here. */
export async function chooseMongoEngine(question: EngineQuestion): Promise<MongoEngine> {
  const { home, say } = question;
  const written = writtenWith(home);
  if (written === undefined)
    return (await mongodHere(question)) ?? (await downloaded(question)) ?? { engine: 'embedded' };
  const here = await mongodHere(question);
  const data = homePaths(home).mongo;
  if (written.engine === 'embedded') {
    if (here)
      say(
        `MongoDB's documents in ${data} were written by the embedded engine, which stays; move the folder away to start with ${described(here)}`,
      );
    return { engine: 'embedded' };
  }
  const same = await mongodAt(written.binary, 'as before').catch(() => undefined);
  const mongod = same ?? here ?? (await downloaded(question));
  if (!mongod) {
    throw new Error(
      `${data} was written by mongod ${String(written.version)}, and there is none here; set MONGOD_BINARY, or move the folder away to start with an empty one.`,
    );
  }
  if (here && mongod === same && here.binary !== same.binary)
    say(
      `MongoDB's documents in ${data} were written by ${described(same)}, which stays; move the folder away to start with ${described(here)}`,
    );
  return mongod;
}

/** Once the engine has started on the home. */
export function rememberMongoEngine(home: string, engine: MongoEngine): void {
  const { engine: name } = engine;
  const written: Written =
    engine.engine === 'mongod' ? { engine: name, binary: engine.binary, version: engine.version } : { engine: name };
  writePrivately(homePaths(home).mongoEngine, written);
}

/** Whether a home has documents, whatever wrote them. */
export const writtenWith = (home: string): Written | undefined =>
  readOwnJson(homePaths(home).mongoEngine) as Written | undefined;

export function described(engine: MongoEngine): string {
  return engine.engine === 'mongod' ? `mongod ${engine.version} (${engine.from})` : 'the embedded engine';
}

/** The mongod that is named, on PATH, or in the cache of the library that downloads it. */
async function mongodHere(question: EngineQuestion): Promise<(MongoEngine & { engine: 'mongod' }) | undefined> {
  const { MONGOD_BINARY: named } = readConfiguration(question.env, mongoSettings);
  if (named !== undefined) {
    return await mongodAt(named, 'MONGOD_BINARY').catch((error: unknown) => {
      throw new Error(`MONGOD_BINARY ${named} does not run (${reasonOf(error)}).`, { cause: error });
    });
  }
  const onPath = findOnPath('mongod', question.env);
  const found =
    (await usable(question, onPath, 'PATH')) ?? (await usable(question, await fetched('locate', question), 'cache'));
  return found;
}

/** Asked for once in the life of a home, since from then on it has an engine. */
async function downloaded(question: EngineQuestion): Promise<MongoEngine | undefined> {
  const { env, say } = question;
  if (!readConfiguration(env, mongoSettings).PLATFORM_MONGO_DOWNLOAD) return undefined;
  say('looking for a MongoDB to download (PLATFORM_MONGO_DOWNLOAD=off does without)');
  return await usable(question, await fetched('download', question), 'downloaded');
}

async function fetched(what: 'locate' | 'download', { env, signal, say }: EngineQuestion): Promise<string | undefined> {
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
    if (what === 'download') say(`no MongoDB could be downloaded (${reasonOf(error)})`);
    return undefined;
  }
}

/** A program that is there and does not run, as on a processor that is too old for it, is passed over. */
async function usable(
  { say }: EngineQuestion,
  binary: string | undefined,
  from: string,
): Promise<(MongoEngine & { engine: 'mongod' }) | undefined> {
  return await mongodAt(binary, from).catch((error: unknown) => {
    say(`${String(binary)} does not run (${reasonOf(error)})`);
    return undefined;
  });
}

async function mongodAt(binary: string | undefined, from: string) {
  if (binary === undefined || !existsSync(binary)) return undefined;
  return { engine: 'mongod', binary, version: await mongodVersion(binary), from } as const;
}

function reasonOf(error: unknown): string {
  const { stderr, message } = error as Error & { stderr?: string };
  const said = /^(?:\w*Error): (.+)/m.exec(stderr ?? '')?.[1];
  return said ?? message.split('\n')[0] ?? message;
}
