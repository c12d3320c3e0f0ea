import { runDirectory } from '@platform-backend/testing';
import { mkdtempSync } from 'node:fs';
import { join } from 'node:path';
import { compatibleEngine, embedded, realEngine } from './engines.ts';

/** Started for a test run, on the engine whose name stands in the query of this module's address. */
export default async function startSharedMongo(): Promise<{ readonly url: string }> {
  const name = new URL(import.meta.url).searchParams.get('engine');
  const engine = [realEngine(), compatibleEngine(), embedded].find((one) => one?.name === name);
  if (!engine) throw new Error(`there is no engine named ${String(name)}`);
  if (!engine.start) return { url: engine.url ?? '' };
  const directory = mkdtempSync(join(runDirectory(), `${engine.name.replaceAll(/\W/g, '-')}-`));
  const { url } = await engine.start(directory);
  return { url };
}
