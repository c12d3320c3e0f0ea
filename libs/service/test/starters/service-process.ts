import { processEnvironment, type ThrowawayPostgres } from '@platform-backend/testing';
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

export interface ServiceProcess {
  /** `host:port` as bound. */
  readonly address: string;
  readonly pid: number;
  /** Stops answering, as a service does that is being moved, and goes on. */
  freeze(): void;
  thaw(): void;
  /** Ends it as a crash would. */
  kill(): Promise<void>;
}

const mainOf = (name: string): string =>
  fileURLToPath(new URL(`../../../../apps/${name}/src/main.ts`, import.meta.url));

/** Brings a service's database up to date, as the owner. */
export async function migrateService(name: string, { appUrl, ownerUrl }: ThrowawayPostgres): Promise<void> {
  const urls = {
    [`${name.toUpperCase()}_DATABASE_URL`]: appUrl,
    [`${name.toUpperCase()}_MIGRATION_URL`]: ownerUrl,
  };
  const env = { ...processEnvironment(), ...urls };
  await promisify(execFile)(process.execPath, [mainOf(name), 'migrate'], { env });
}

/** Runs a service as it runs in production, in a process of its own. */
export async function startService(name: string, env: Readonly<Record<string, string>>): Promise<ServiceProcess> {
  const main = mainOf(name);
  // It must not outlive a test run that is ended the hard way.
  const child = spawn('setpriv', ['--pdeathsig', 'KILL', process.execPath, main], {
    env: { ...processEnvironment(), ...env },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const exited = once(child, 'exit');
  const ready = Promise.withResolvers<string>();
  let rest = '';
  const lines: string[] = [];
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    const parts = (rest + text).split('\n');
    rest = parts.pop() ?? '';
    for (const part of parts) {
      lines.push(part);
      const line = JSON.parse(part) as { ready?: boolean; address?: string };
      if (line.ready) ready.resolve(line.address ?? '');
    }
  });
  void exited.then(() => ready.reject(new Error(`${name} ended before it was ready: ${lines.join('\n')}`)));
  return {
    address: await ready.promise,
    pid: child.pid ?? 0,
    freeze: () => child.kill('SIGSTOP'),
    thaw: () => child.kill('SIGCONT'),
    kill: async () => {
      child.kill('SIGCONT');
      child.kill('SIGKILL');
      await exited;
    },
  };
}
