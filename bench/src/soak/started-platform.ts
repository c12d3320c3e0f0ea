import { accessToken } from '@platform-backend/dev/access-token';
import { freePort, supervise } from '@platform-backend/embedded';
import { chmodSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';

const ROOT = resolve(import.meta.dirname, '../../..');

/** All that `npm start` starts, on data of its own. */
export interface StartedPlatform {
  readonly url: string;
  readonly home: string;
  /** Of the starter, whose descendants all other processes are. */
  readonly pid: number;
  /** Connection texts of the databases, as their owners. */
  readonly databases: Readonly<Record<string, string>>;
  readonly token: (email: string, name: string) => Promise<string>;
  /** Removes its data as well. */
  readonly stop: () => Promise<void>;
}

/** So much that nobody who works here is held back: one machine is everybody. */
const ENVIRONMENT = { GATEWAY_CALLER_BURST: '1000000', BILLING_PURCHASES_PER_HOUR: '1000000' };

export async function startPlatform(): Promise<StartedPlatform> {
  const home = mkdtempSync(join(tmpdir(), 'platform-soak-'));
  // The account of a database server can reach it.
  chmodSync(home, 0o755);
  try {
    const starter = await supervise({
      name: 'npm start',
      command: process.execPath,
      args: [join(ROOT, 'tools/dev/bootstrap.mjs'), 'start'],
      cwd: ROOT,
      env: { ...process.env, ...ENVIRONMENT, PLATFORM_HOME: home, PLATFORM_PORT: String(await freePort()) },
      logFile: join(home, 'start.log'),
      stopSignal: 'SIGINT',
      ready: (line) => /platform ready on (http:\/\/\S+)/.exec(line)?.[1],
      readyTimeoutMs: 240_000,
      stopTimeoutMs: 60_000,
    });
    const run = JSON.parse(readFileSync(join(home, 'run.json'), 'utf8')) as {
      readonly pid: number;
      readonly databases: Readonly<Record<string, { readonly owner: string }>>;
    };
    return {
      url: starter.ready,
      home,
      pid: run.pid,
      databases: Object.fromEntries(Object.entries(run.databases).map(([name, { owner }]) => [name, owner])),
      token: (email, name) => accessToken({ home, homeAsTyped: home }, { email, name }),
      async stop() {
        await starter.stop();
        rmSync(home, { recursive: true, force: true });
      },
    };
  } catch (error) {
    rmSync(home, { recursive: true, force: true });
    throw error;
  }
}
