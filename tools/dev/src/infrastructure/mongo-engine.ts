import { readConfiguration } from '@platform-backend/core';
import {
  downloadMongod,
  failureOf,
  findMongod,
  mongodAt,
  type MongodBinary,
  type MongodSearch,
} from '@platform-backend/embedded';
import { homePaths, readOwnJson, writePrivately } from '../home.ts';
import { mongoSettings } from '../settings.ts';

/** What keeps the documents of a home. */
export type MongoEngine = MongodEngine | { readonly engine: 'embedded' };

type MongodEngine = { readonly engine: 'mongod' } & MongodBinary;

/** What a home remembers of the engine that wrote its data. */
interface Written {
  readonly engine: MongoEngine['engine'];
  readonly binary?: string;
  readonly version?: string;
}

export interface EngineQuestion extends MongodSearch {
  readonly home: string;
}

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
  const same = engineOf(await mongodAt(written.binary, 'as before').catch(() => undefined));
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

/** The mongod that is named, or that this machine has. */
async function mongodHere(question: EngineQuestion): Promise<MongodEngine | undefined> {
  const { MONGOD_BINARY: named } = readConfiguration(question.env, mongoSettings);
  if (named === undefined) return engineOf(await findMongod(question));
  const mongod = await mongodAt(named, 'MONGOD_BINARY').catch((error: unknown) => {
    throw new Error(`MONGOD_BINARY ${named} does not run (${failureOf(error)}).`, { cause: error });
  });
  return engineOf(mongod);
}

/** Asked for once in the life of a home, since from then on it has an engine. */
async function downloaded(question: EngineQuestion): Promise<MongodEngine | undefined> {
  const { env, say } = question;
  if (!readConfiguration(env, mongoSettings).PLATFORM_MONGO_DOWNLOAD) return undefined;
  say('looking for a MongoDB to download (PLATFORM_MONGO_DOWNLOAD=off does without)');
  return engineOf(await downloadMongod(question));
}

const engineOf = (mongod: MongodBinary | undefined): MongodEngine | undefined =>
  mongod && { engine: 'mongod', ...mongod };
