import { freePort, natsBinary, supervise, type SupervisedProcess } from '@platform-backend/embedded';
import { waitFor } from '@platform-backend/testing';
import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { parse } from 'yaml';
import { composeEnvironment } from '../src/compose-environment.ts';
import { interpolated, type ComposeFile } from '../src/compose-file.ts';
import { passwordVariable } from '../src/nats-users.ts';

const ROOT = fileURLToPath(new URL('../../../', import.meta.url));
const DEPLOY = join(ROOT, 'deploy');

export const SERVERS = ['nats-1', 'nats-2', 'nats-3'] as const;

interface Ports {
  readonly client: number;
  readonly route: number;
  readonly monitor: number;
}

export interface Login {
  readonly user: string;
  readonly pass: string | undefined;
}

/** The three servers of docker-compose.yml with its configuration; only addresses and folders are those of this machine. */
export interface NatsCluster {
  /** Has a folder for each server. */
  readonly folder: string;
  readonly ports: readonly Ports[];
  /** What `.env` has; a server sees what is changed here when it is replaced. */
  readonly environment: Record<string, string>;
  readonly urlOf: (user: string) => string;
  readonly loginOf: (user: string) => Login;
  /** As `docker compose up --wait`: the server is there again when its health check passes. */
  readonly replace: (index: number) => Promise<void>;
  readonly stop: () => Promise<void>;
}

export async function natsCluster(): Promise<NatsCluster> {
  const folder = mkdtempSync(join(tmpdir(), 'nats-cluster-'));
  const environment = await composeEnvironment();
  const binary = await natsBinary(join(tmpdir(), 'platform-deployment-nats'));
  const compose = parse(readFileSync(join(ROOT, 'docker-compose.yml'), 'utf8'), { merge: true }) as ComposeFile;
  const ports = await Promise.all(
    SERVERS.map(async () => ({ client: await freePort(), route: await freePort(), monitor: await freePort() })),
  );
  const running = new Map<number, SupervisedProcess<true>>();

  const start = async (index: number): Promise<void> => {
    const name = SERVERS[index] ?? '';
    const directory = join(folder, name);
    mkdirSync(directory, { recursive: true });
    const { client, monitor, route } = ports[index] ?? { client: 0, monitor: 0, route: 0 };
    const configuration = readFileSync(join(DEPLOY, 'nats/nats.conf'), 'utf8')
      .replace('0.0.0.0:4222', `127.0.0.1:${String(client)}`)
      .replace('0.0.0.0:8222', `127.0.0.1:${String(monitor)}`)
      .replace('0.0.0.0:6222', `127.0.0.1:${String(route)}`)
      .replace('"/data"', JSON.stringify(join(directory, 'data')));
    writeFileSync(join(directory, 'nats.conf'), configuration);
    copyFileSync(join(DEPLOY, 'nats/users.conf'), join(directory, 'users.conf'));
    const given = Object.entries(compose.services[name]?.environment ?? {}).map(
      ([variable, text]) => [variable, interpolated(text, environment)] as const,
    );
    const { NATS_ROUTES: routes = '', ...env } = Object.fromEntries(given);
    const routesHere = routes.replaceAll(
      /nats-(\d):6222/g,
      (_, number: string) => `127.0.0.1:${String(ports[Number(number) - 1]?.route)}`,
    );
    const server = await supervise({
      name,
      command: binary,
      args: ['--config', join(directory, 'nats.conf')],
      env: { ...env, NATS_ROUTES: routesHere },
      logFile: join(folder, `${name}.log`),
      stopSignal: 'SIGTERM',
      ready: (line) => (line.includes('Server is ready') ? true : undefined),
    });
    running.set(index, server);
  };
  const healthy = (index: number) =>
    waitFor(async () => (await fetch(`http://127.0.0.1:${String(ports[index]?.monitor)}/healthz`)).ok, {
      what: `${SERVERS[index] ?? ''} to be healthy`,
    });
  const loginOf = (user: string): Login => ({ user, pass: environment[passwordVariable(user)] });
  const urlOf = (user: string): string =>
    `nats://${user}:${String(environment[passwordVariable(user)])}@127.0.0.1:${String(ports[0]?.client)}`;
  const stop = async (): Promise<void> => {
    await Promise.all([...running.values()].map((server) => server.kill()));
    rmSync(folder, { recursive: true, force: true });
  };
  try {
    await Promise.all(SERVERS.map((_, index) => start(index)));
    // The job of Compose, as its container runs it.
    await promisify(execFile)(process.execPath, [join(DEPLOY, 'event-streams.ts')], {
      env: { NATS_URL: urlOf('operator'), NATS_STREAM_REPLICAS: '3' },
    });
  } catch (error) {
    await stop();
    throw error;
  }
  return {
    ...{ folder, ports, environment, urlOf, loginOf, stop },
    async replace(index) {
      await running.get(index)?.stop();
      await start(index);
      await healthy(index);
    },
  };
}

/** What a server of NATS answers to one line of its protocol, up to its answer to a PING; nothing where it takes it. */
export async function say(login: Login | undefined, port: number | undefined, line: string): Promise<string> {
  const socket = connect(Number(port), '127.0.0.1');
  let heard = '';
  const answered = Promise.withResolvers<undefined>();
  socket.on('data', (data) => {
    heard += data.toString();
    if (/^(PONG|-ERR)/m.test(heard)) answered.resolve(undefined);
  });
  socket.on('close', () => answered.resolve(undefined));
  await once(socket, 'connect');
  socket.write(`CONNECT ${JSON.stringify({ verbose: false, ...login })}\r\n${line}\r\nPING\r\n`);
  await answered.promise;
  socket.destroy();
  return /^-ERR '(.*)'/m.exec(heard)?.[1] ?? '';
}
