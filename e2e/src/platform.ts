import { freePort } from '@platform-backend/embedded';
import { spawn } from 'node:child_process';
import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** Where a platform answers and keeps its data. */
export type PlatformFacts = { url: string; home: string; port: number; output: string };

export type RunningPlatform = {
  facts: PlatformFacts;
  /** Ctrl-C in its terminal. Resolves when the starter has ended. */
  stop(): Promise<void>;
  /** Removes its data; only after `stop`. */
  forget(): void;
};

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
/** The ready line and, after it, the whole welcome, which ends with how it is stopped. */
const READY = /platform ready on (http:\/\/\S+)[^]*Ctrl-C stops everything/;
/** Milliseconds; the first start of all may install packages and download a server. */
const START_LIMIT_MS = 240_000;
/** Journeys ask and buy as fast as they can, and a busy machine is no reason to refuse anything: milliseconds. */
const ENVIRONMENT_OF_TESTS = {
  GATEWAY_CALLER_BURST: '1000000',
  GATEWAY_MAX_EVENT_LOOP_LAG_MS: '600000',
  GATEWAY_DEADLINE_MS: '60000',
  GATEWAY_READ_DEADLINE_MS: '60000',
  GATEWAY_CALLER_LOOK_UP_MS: '60000',
  BILLING_PURCHASES_PER_HOUR: '1000000',
  // Where there is no sandbox, the first organisation has kernels all the same.
  NOTEBOOKS_WITHOUT_SANDBOX: 'allow',
};

export type StartOptions = {
  /** Starts again on the data and port of this run. */
  earlier?: PlatformFacts;
  /** Settings beyond the usual ones. */
  environment?: Readonly<Record<string, string>>;
};

/** `npm start`, as a newcomer runs it, on a free port with data of its own. */
export const startPlatform = async ({ earlier, environment }: StartOptions = {}): Promise<RunningPlatform> => {
  const home = earlier?.home ?? mkdtempSync(join(tmpdir(), 'platform-e2e-'));
  // Root's PostgreSQL runs as nobody; data that it cannot reach here would be kept, and left, elsewhere.
  chmodSync(home, 0o755);
  const port = earlier?.port ?? (await freePort());
  // It must not outlive a test run that is ended the hard way.
  const child = spawn('setpriv', ['--pdeathsig', 'TERM', 'npm', 'start'], {
    cwd: ROOT,
    env: { ...process.env, ...ENVIRONMENT_OF_TESTS, ...environment, PLATFORM_HOME: home, PLATFORM_PORT: String(port) },
    stdio: ['ignore', 'pipe', 'pipe'],
    // A process group of its own, so that `stop` can do what Ctrl-C in a terminal does.
    detached: true,
  });
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  const interrupt = () => {
    if (child.exitCode === null && child.signalCode === null && child.pid !== undefined)
      process.kill(-child.pid, 'SIGINT');
  };

  let output = '';
  const ready = await new Promise<string>((resolve, reject) => {
    const limit = setTimeout(() => {
      interrupt();
      reject(new Error(`npm start was not ready within ${START_LIMIT_MS} ms:\n${output}`));
    }, START_LIMIT_MS);
    const read = (chunk: Buffer) => {
      output += chunk.toString();
      const url = READY.exec(output)?.[1];
      if (url === undefined) return;
      clearTimeout(limit);
      resolve(url);
    };
    child.stdout.on('data', read);
    child.stderr.on('data', read);
    child.once('exit', (code) => {
      clearTimeout(limit);
      reject(new Error(`npm start ended with code ${String(code)}:\n${output}`));
    });
  }).catch((error: unknown) => {
    if (!earlier) rmSync(home, { recursive: true, force: true });
    throw error;
  });

  return {
    facts: { url: ready, home, port, output },
    stop: () => {
      interrupt();
      return ended;
    },
    forget: () => rmSync(home, { recursive: true, force: true }),
  };
};

/** The platform that all test files of a run share. */
export const sharedPlatform = (): PlatformFacts => {
  const facts = process.env['E2E_PLATFORM'];
  if (facts === undefined) throw new Error('no platform is running: run the journeys with npm test -- e2e');
  return JSON.parse(facts) as PlatformFacts;
};
