import { supervise, type SupervisedProcess } from '@platform-backend/embedded';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { addressOfReadyLine } from './address-of-ready-line.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));

/**
 * Starts Node with a service's program, as in production, and answers when it says where it listens. What it writes goes
 * to a file of `directory`.
 */
export const processStarter =
  (directory: string) =>
  (
    name: string,
    args: readonly string[],
    environment: Readonly<Record<string, string>>,
  ): Promise<SupervisedProcess<string>> =>
    supervise({
      name,
      command: process.execPath,
      args,
      cwd: ROOT,
      env: { PATH: process.env['PATH'], NODE_ENV: 'production', ...environment },
      logFile: join(directory, `${name}.log`),
      stopSignal: 'SIGTERM',
      ready: addressOfReadyLine,
    });
