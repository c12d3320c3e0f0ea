import type { Contract } from '@platform-backend/contract';
import { accessLogOf } from '@platform-backend/core/access-log';
import { createLogger } from '@platform-backend/core/logger';
import { createRequire } from 'node:module';
import { sep } from 'node:path';
import { startGateway } from '../src/start-gateway.ts';
import { platformContract } from './platform-contract.ts';

export type LogLine = Readonly<Record<string, unknown>>;

/** A real gateway that listens. */
export interface Gateway {
  readonly url: string;
  readonly host: string;
  readonly port: number;
  readonly metricsUrl: string;
  /** Every line it has logged so far. */
  readonly log: readonly LogLine[];
  /** Ends it cleanly; safe to call twice. */
  stop(): Promise<void>;
}

/**
 * Starts a gateway on free ports in the process of the test, which takes a fifth of what a process of its own takes (see
 * `gateway-process.ts`, for what is about a process: its end, its signals, its output). With it everything is real: its server,
 * its configuration file, express-gateway, its calls.
 */
export function startGatewayHere(
  env: Readonly<Record<string, string | undefined>>,
  contract: Contract = platformContract(),
): Promise<Gateway> {
  const starting = last.then(() => start(env, contract));
  last = starting.catch(() => undefined);
  return starting;
}

/** One after the other: while one starts, the environment is its own. */
let last: Promise<unknown> = Promise.resolve();

async function start(env: Readonly<Record<string, string | undefined>>, contract: Contract): Promise<Gateway> {
  const log: LogLine[] = [];
  const write = (line: string): void => void log.push(JSON.parse(line) as LogLine);
  const logger = createLogger({ service: 'gateway', destination: { write } });
  const own = Object.entries<string | undefined>({ PLATFORM_PORT: '0', GATEWAY_METRICS_PORT: '0', ...env });
  const given = Object.fromEntries(own.filter(([, value]) => value !== undefined));

  forgetExpressGateway();
  const { stop, ready } = await withEnvironment(given, () =>
    startGateway(given, logger, accessLogOf(logger), contract),
  );
  const { address, metricsAddress } = ready as { address: string; metricsAddress: string };
  const [host = '', port = ''] = address.split(':');
  let stopped: Promise<void> | undefined;
  return {
    url: `http://${address}`,
    host,
    port: Number(port),
    metricsUrl: `http://${metricsAddress}/metrics`,
    log,
    stop: () => (stopped ??= stop()),
  };
}

/** express-gateway keeps the configuration that it has read in its modules, so that each gateway has modules of its own. */
function forgetExpressGateway(): void {
  const { cache } = createRequire(import.meta.url);
  for (const file of Object.keys(cache)) if (file.includes(LIBRARY)) Reflect.deleteProperty(cache, file);
}

const LIBRARY = ['', 'node_modules', 'express-gateway', ''].join(sep);

/** express-gateway puts variables of the process in its configuration, whatever the gateway is given. */
async function withEnvironment<Result>(env: Record<string, string | undefined>, work: () => Promise<Result>) {
  const earlier = { ...process.env };
  Object.assign(process.env, env);
  try {
    return await work();
  } finally {
    for (const name of Object.keys(process.env)) if (!(name in earlier)) Reflect.deleteProperty(process.env, name);
    Object.assign(process.env, earlier);
  }
}
