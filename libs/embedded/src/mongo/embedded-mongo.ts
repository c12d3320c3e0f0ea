import { fileURLToPath } from 'node:url';
import { supervise, type Exit } from '../processes/supervise.ts';

export interface EmbeddedMongoOptions {
  /** The data. Made when missing. */
  readonly directory: string;
  /** A fixed port; by default a free one. */
  readonly port?: number | undefined;
  readonly logFile: string;
  readonly removeAfterExit?: string | undefined;
  readonly keepsUsAlive?: boolean | undefined;
  /** Aborting gives up the start. */
  readonly signal?: AbortSignal | undefined;
}

export interface EmbeddedMongo {
  readonly pid: number;
  readonly port: number;
  /** Of the server; each database has a path of its own. */
  readonly url: string;
  readonly exited: Promise<Exit>;
  readonly stop: () => Promise<Exit>;
  readonly kill: () => Promise<Exit>;
}

/** The program of our own that stands in where there is no MongoDB. */
export const embeddedMongoProgram = fileURLToPath(
  new URL('../../../../tools/embedded-mongo/src/main.ts', import.meta.url),
);

/** Starts it on loopback. It sees to it itself that only one works on a folder. */
export async function startEmbeddedMongo({
  directory,
  port = 0,
  ...supervision
}: EmbeddedMongoOptions): Promise<EmbeddedMongo> {
  const { ready, ...server } = await supervise({
    ...supervision,
    name: 'MongoDB',
    command: process.execPath,
    args: ['--enable-source-maps', embeddedMongoProgram, '--port', String(port), '--directory', directory],
    stopSignal: 'SIGTERM',
    ready: (line) => /^listening on (127\.0\.0\.1:(\d+))/.exec(line) ?? undefined,
  });
  return { ...server, port: Number(ready[2]), url: `mongodb://${String(ready[1])}/` };
}
