import { freePort, supervise, type SupervisedProcess } from '@platform-backend/embedded';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { environmentOf, processOf } from './platform-process.ts';
import type { PlatformFacts } from './platform.ts';

export interface Replica {
  /** `host:port`, the same after a restart. */
  readonly address: string;
  /** As a deployment does it: SIGTERM, a new process when the old one has ended, ready. What is changed stays so for later starts. */
  restart(changed?: Readonly<Record<string, string>>): Promise<void>;
  /** The power is cut. */
  kill(): Promise<void>;
  /** Ready again after `kill`. */
  start(): Promise<void>;
  /** Calls of our services that it has answered since its last start. */
  answered(): Promise<number>;
  stop(): Promise<void>;
}

export type Replicas = { readonly all: readonly [Replica, Replica]; readonly addresses: string };

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
/** Far beyond what draining takes: on a busy machine nothing is killed that would have ended well. */
const STOP_LIMIT_MS = 120_000;
const START_LIMIT_MS = 240_000;

interface ReadyLine {
  readonly address: string;
  readonly metricsAddress: string;
}

type ListenOn = (port: number) => Record<string, string>;

/** Two more processes of an app, beside the one of a platform and on its database, and told all that this one is. */
export const twoReplicas = async (
  platform: PlatformFacts,
  app: string,
  listenOn: ListenOn,
  environment: Record<string, string>,
): Promise<Replicas> => {
  const replica = (number: number) => replicaOf(platform, app, `${app}-replica-${number}`, listenOn, environment);
  const all = await Promise.all([replica(1), replica(2)]);
  return { all, addresses: all.map(({ address }) => address).join(',') };
};

/** One more, of this name, which may be told something else. */
export const replicaOf = async (
  platform: PlatformFacts,
  app: string,
  name: string,
  listenOn: ListenOn,
  environment: Record<string, string>,
): Promise<Replica> => {
  const told = environmentOf(processOf(platform, app));
  const port = await freePort();
  let changes: Readonly<Record<string, string>> = {};
  const startProcess = (): Promise<SupervisedProcess<ReadyLine>> =>
    supervise({
      name,
      command: process.execPath,
      args: [join(ROOT, 'apps', app, 'src/main.ts')],
      cwd: ROOT,
      env: { ...told, ...environment, ...listenOn(port), ...changes },
      logFile: join(platform.home, 'logs', `${name}.log`),
      stopSignal: 'SIGTERM',
      orphanSignal: 'SIGKILL',
      stopTimeoutMs: STOP_LIMIT_MS,
      readyTimeoutMs: START_LIMIT_MS,
      ready: (line) => (line.includes('"ready":true') ? (JSON.parse(line) as ReadyLine) : undefined),
    });
  let running = await startProcess();
  const start = async () => {
    running = await startProcess();
  };
  return {
    address: `127.0.0.1:${port}`,
    start,
    restart: async (changed) => {
      changes = { ...changes, ...changed };
      const { code, signal } = await running.stop();
      if (code !== 0) throw new Error(`${name} did not end well: ${String(code ?? signal)}`);
      await start();
    },
    kill: async () => {
      await running.kill();
    },
    answered: async () => {
      const page = await (await fetch(`http://${running.ready.metricsAddress}/metrics`)).text();
      const counts = [
        ...page.matchAll(/^(?:grpc_server_handled_total|gateway_http_request_duration_seconds_count)\{.*\} (\d+)/gm),
      ];
      return counts.reduce((sum, [, count]) => sum + Number(count), 0);
    },
    stop: async () => {
      await running.stop();
    },
  };
};
