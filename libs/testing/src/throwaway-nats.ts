import { freePort, natsBinary, startNats, type Nats } from '@platform-backend/embedded';
import { mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { programsDirectory } from './programs.ts';
import { runDirectory } from './run-directory.ts';

export interface ThrowawayNats {
  /** Stays the same when the server is stopped and started again. */
  readonly url: string;
  readonly port: number;
  /** Of the server as it runs now. */
  readonly pid: () => number;
  /** Stops the server cleanly; what JetStream stored stays. */
  readonly stop: () => Promise<void>;
  /** Ends the server as a crash would; what JetStream stored stays. */
  readonly kill: () => Promise<void>;
  /** Starts it again after `stop` or `kill`, on the same port and data. */
  readonly start: () => Promise<void>;
  /** Ends the server and removes its data. */
  readonly drop: () => Promise<void>;
}

export interface ThrowawayNatsOptions {
  /** The users of the server and what they may do, as its configuration says it. Open to everybody without. */
  readonly authorization?: string;
}

/**
 * A real NATS server with JetStream of the caller's own: stream names are fixed in our code, so tests
 * cannot share one. It ends with this process, even by `kill -9`.
 */
export async function throwawayNats({ authorization }: ThrowawayNatsOptions = {}): Promise<ThrowawayNats> {
  const binary = await natsBinary(programsDirectory());
  const directory = mkdtempSync(join(runDirectory(), 'nats-'));
  const options = { binary, directory, logFile: `${directory}.log`, keepsUsAlive: false, authorization };
  // One that nobody takes while the server is down.
  let running: Nats | undefined = await startNats({ ...options, port: await freePort() });
  const { url, port } = running;
  return {
    url,
    port,
    pid: () => {
      if (!running) throw new Error('NATS does not run');
      return running.pid;
    },
    async stop() {
      await running?.stop();
      running = undefined;
    },
    async kill() {
      await running?.kill();
      running = undefined;
    },
    async start() {
      running ??= await startNats({ ...options, port });
    },
    async drop() {
      await running?.kill();
      running = undefined;
      rmSync(directory, { recursive: true, force: true });
      rmSync(options.logFile, { force: true });
    },
  };
}
