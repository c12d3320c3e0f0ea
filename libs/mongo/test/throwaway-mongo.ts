import { isAlive } from '@platform-backend/embedded';
import { runDirectory } from '@platform-backend/testing';
import { mongo } from 'mongoose';
import { randomBytes } from 'node:crypto';
import { existsSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { compatibleEngine, embedded, realEngine, type Engine, type Started } from './engines.ts';

export interface ThrowawayMongo {
  readonly url: string;
  /** As other throwaway databases have it; here it is the same for the service and its migration. */
  readonly appUrl: string;
  readonly ownerUrl: string;
  /** Removes the database. */
  readonly drop: () => Promise<void>;
}

/**
 * A fresh, empty database on a real MongoDB, on a server that is compatible with it, or else on our embedded one. The server
 * starts with the first call and is shared by all test files of this process, with which it ends and takes its data with it.
 */
export const throwawayMongo = (): Promise<ThrowawayMongo> =>
  throwawayMongoOn(realEngine() ?? compatibleEngine() ?? embedded);

export async function throwawayMongoOn(engine: Engine): Promise<ThrowawayMongo> {
  const url = new URL(await sharedServer(engine));
  url.pathname = `/test_${randomBytes(5).toString('hex')}`;
  // So that tests may look at what is sent.
  url.searchParams.set('monitorCommands', 'true');
  return {
    url: url.href,
    appUrl: url.href,
    ownerUrl: url.href,
    async drop() {
      await using client = await mongo.MongoClient.connect(url.href);
      await client.db().dropDatabase();
    },
  };
}

const servers = new Map<string, Promise<string>>();

function sharedServer(engine: Engine): Promise<string> {
  const server = servers.get(engine.name) ?? runningServer(engine);
  servers.set(engine.name, server);
  return server;
}

async function runningServer({ name, start, url }: Engine): Promise<string> {
  if (!start) return url ?? '';
  const place = name.replaceAll(/\W/g, '-');
  const note = join(runDirectory(), `${place}.json`);
  if (existsSync(note)) {
    const started = JSON.parse(readFileSync(note, 'utf8')) as Started;
    if (isAlive(started.pid)) return started.url;
  }
  const started = await start(mkdtempSync(join(runDirectory(), `${place}-`)));
  writeFileSync(note, JSON.stringify(started), { mode: 0o600 });
  return started.url;
}
