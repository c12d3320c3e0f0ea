import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { supervise } from '../processes/supervise.ts';
import type { Mongod, MongodOptions } from './mongod.ts';

/** The program of our own that stands in where there is no MongoDB. */
export const embeddedMongoProgram = fileURLToPath(
  new URL('../../../../tools/embedded-mongo/src/main.ts', import.meta.url),
);

/** As `authentication.ts` of the program knows the user; the password lies beside the data. */
const USER = 'platform';
const passwordFile = 'password';

/** Starts it on loopback. It sees to it itself that only one works on a folder. Its URL has the password. */
export async function startEmbeddedMongo({
  directory,
  port = 0,
  ...supervision
}: Omit<MongodOptions, 'binary'>): Promise<Mongod> {
  const { ready, ...server } = await supervise({
    ...supervision,
    name: 'MongoDB',
    command: process.execPath,
    args: [embeddedMongoProgram, '--port', String(port), '--directory', directory],
    stopSignal: 'SIGTERM',
    ready: (line) => /^listening on (127\.0\.0\.1:(\d+))/.exec(line) ?? undefined,
  });
  const password = encodeURIComponent((await readFile(join(directory, passwordFile), 'utf8')).trim());
  const url = `mongodb://${USER}:${password}@${String(ready[1])}/?authSource=admin`;
  return { ...server, port: Number(ready[2]), url };
}
