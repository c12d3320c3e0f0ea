import { processEnvironment } from '@platform-backend/testing';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { createInterface } from 'node:readline';
import type { Gateway, LogLine } from './gateway-here.ts';

const MAIN = path.join(import.meta.dirname, '../src/main.ts');
const START_LIMIT_MS = 120_000;

/** A real gateway in a process of its own, as it is deployed. */
export interface GatewayProcess extends Gateway {
  /** True until it has ended, for whatever reason. */
  readonly running: boolean;
  kill(signal: NodeJS.Signals): void;
  /** Its exit code; null when a signal ended it. */
  readonly ended: Promise<number | null>;
}

/** Starts a gateway on free ports and waits for its ready line. */
export async function startGatewayProcess(
  env: Readonly<Record<string, string | undefined>>,
  main = MAIN,
): Promise<GatewayProcess> {
  const child = spawn(process.execPath, [main], {
    env: { ...processEnvironment(), PLATFORM_PORT: '0', GATEWAY_METRICS_PORT: '0', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const log: LogLine[] = [];
  const ready = Promise.withResolvers<LogLine>();
  createInterface({ input: child.stdout }).on('line', (line) => {
    const entry = JSON.parse(line) as LogLine;
    log.push(entry);
    if (entry['ready'] === true) ready.resolve(entry);
  });
  let complaint = '';
  child.stderr.on('data', (chunk: Buffer) => (complaint += chunk.toString()));

  let running = true;
  // 'close' comes after the last line was read, 'exit' may come before.
  const ended = once(child, 'close').then(([code]) => {
    running = false;
    return code as number | null;
  });
  const limit = setTimeout(() => ready.reject(new Error('the gateway did not get ready')), START_LIMIT_MS);
  void ended.then(() =>
    ready.reject(new Error(`the gateway ended at once: ${complaint}${JSON.stringify(log.at(-1))}`)),
  );

  const line = await ready.promise.finally(() => clearTimeout(limit));
  const { address, metricsAddress } = line as { address: string; metricsAddress: string };
  const [host = '', port = ''] = address.split(':');
  return {
    url: `http://${address}`,
    host,
    port: Number(port),
    metricsUrl: `http://${metricsAddress}/metrics`,
    log,
    get running() {
      return running;
    },
    kill: (signal) => void child.kill(signal),
    ended,
    stop: async () => {
      if (running) child.kill('SIGTERM');
      await ended;
    },
  };
}
