import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createLogger } from '@platform-backend/core/logger';
import { freePort, natsBinary, supervise, type SupervisedProcess } from '@platform-backend/embedded';
import { openEventBus, subscribe, type DeliveredEvent } from '@platform-backend/events';
import { waitFor } from '@platform-backend/testing';
import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { copyFileSync, globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { composeEnvironment } from '../src/compose-environment.ts';
import { eventAccesses, passwordVariable } from '../src/nats-users.ts';

const DEPLOY = fileURLToPath(new URL('../../../deploy/', import.meta.url));
const SERVERS = ['nats-1', 'nats-2', 'nats-3'];

/** The three servers of docker-compose.yml with its configuration; only addresses and folders are those of this machine. */
describe('the NATS cluster of Compose', () => {
  const folder = mkdtempSync(join(tmpdir(), 'nats-cluster-'));
  const running: SupervisedProcess<true>[] = [];
  let environment: Record<string, string>;
  let clientPorts: number[];
  let routePorts: number[];

  const urlOf = (user: string): string =>
    `nats://${user}:${String(environment[passwordVariable(user)])}@127.0.0.1:${String(clientPorts[0])}`;

  const start = async (name: string, index: number, binary: string): Promise<SupervisedProcess<true>> => {
    const directory = join(folder, name);
    mkdirSync(directory);
    const configuration = readFileSync(join(DEPLOY, 'nats/nats.conf'), 'utf8')
      .replace('0.0.0.0:4222', `127.0.0.1:${String(clientPorts[index])}`)
      .replace('0.0.0.0:8222', `127.0.0.1:${String(await freePort())}`)
      .replace('0.0.0.0:6222', `127.0.0.1:${String(routePorts[index])}`)
      .replace('"/data"', JSON.stringify(join(directory, 'data')));
    writeFileSync(join(directory, 'nats.conf'), configuration);
    copyFileSync(join(DEPLOY, 'nats/users.conf'), join(directory, 'users.conf'));
    const routes = routePorts.map(
      (port) => `"nats://cluster:${String(environment['NATS_CLUSTER_PASSWORD'])}@127.0.0.1:${String(port)}"`,
    );
    return supervise({
      name,
      command: binary,
      args: ['--config', join(directory, 'nats.conf')],
      env: { ...environment, NATS_SERVER_NAME: name, NATS_ROUTES: `[${routes.join(', ')}]` },
      logFile: join(folder, `${name}.log`),
      stopSignal: 'SIGTERM',
      ready: (line) => (line.includes('Server is ready') ? true : undefined),
    });
  };

  beforeAll(async () => {
    const own = await composeEnvironment();
    // As Compose does: a second user has the password of the first until it is given one of its own.
    const others = Object.entries(own).map(
      ([name, value]) => [name.replace(/_PASSWORD$/, '_OTHER_PASSWORD'), value] as const,
    );
    environment = { ...Object.fromEntries(others), ...own };
    const binary = await natsBinary(join(tmpdir(), 'platform-deployment-nats'));
    clientPorts = await Promise.all(SERVERS.map(() => freePort()));
    routePorts = await Promise.all(SERVERS.map(() => freePort()));
    running.push(...(await Promise.all(SERVERS.map((name, index) => start(name, index, binary)))));
    // The job of Compose, as its container runs it.
    await promisify(execFile)(process.execPath, [join(DEPLOY, 'event-streams.ts')], {
      env: { NATS_URL: urlOf('operator'), NATS_STREAM_REPLICAS: '3' },
    });
  });
  afterAll(async () => {
    await Promise.all(running.map((server) => server.kill()));
    rmSync(folder, { recursive: true, force: true });
  });

  /** What the server answers to one line of its protocol, up to its answer to a PING. */
  const say = async (user: string | undefined, port: number | undefined, line: string): Promise<string> => {
    const socket = connect(Number(port), '127.0.0.1');
    let heard = '';
    const answered = Promise.withResolvers<undefined>();
    socket.on('data', (data) => {
      heard += data.toString();
      if (/^(PONG|-ERR)/m.test(heard)) answered.resolve(undefined);
    });
    socket.on('close', () => answered.resolve(undefined));
    await once(socket, 'connect');
    const login = user === undefined ? {} : { user, pass: environment[passwordVariable(user)] };
    socket.write(`CONNECT ${JSON.stringify({ verbose: false, ...login })}\r\n${line}\r\nPING\r\n`);
    await answered.promise;
    socket.destroy();
    return /^-ERR '(.*)'/m.exec(heard)?.[1] ?? '';
  };
  const publish = (user: string, subject: string): Promise<string> =>
    say(user, clientPorts[0], `PUB ${subject} 2\r\n{}`);

  it('keeps every event on all three servers', async () => {
    const keeps = (name: string): boolean =>
      globSync('**/PLATFORM_EVENTS/meta.inf', { cwd: join(folder, name) }).length > 0;
    await waitFor(() => SERVERS.every(keeps));
  });

  it('lets every service publish its own events, and those of no other', async () => {
    const services = await eventAccesses();
    for (const { service, publishes } of services) {
      for (const other of services) {
        const subject = `platform.v1.${other.service}.thing.done`;
        const refusal = await publish(service, subject);
        if (publishes && other.service === service) expect(refusal).toBe('');
        else expect(refusal).toBe(`Permissions Violation for Publish to "${subject}"`);
      }
    }
  });

  it.each(['gateway', 'identity', 'billing', 'operator'])('lets %s neither empty nor remove a stream', async (user) => {
    for (const call of ['PURGE', 'DELETE'].flatMap((verb) => [`${verb}.PLATFORM_EVENTS`, `${verb}.PLATFORM_DEAD`])) {
      expect(await publish(user, `$JS.API.STREAM.${call}`)).toContain('Permissions Violation');
    }
    for (const subject of ['platform.v1.>', '_INBOX.>', '>']) {
      expect(await say(user, clientPorts[0], `SUB ${subject} 1`)).toContain('Permissions Violation');
    }
  });

  it('refuses whoever has no password, also at the door between the servers', async () => {
    expect(await say(undefined, clientPorts[1], 'PUB a 0\r\n')).toBe('Authorization Violation');
    expect(await say(undefined, routePorts[1], 'PUB a 0\r\n')).toBe('Authorization Violation');
  });

  it('brings every service the events that it declares', async () => {
    const logger = createLogger({ service: 'test', level: 'silent' });
    for (const { service, follows } of await eventAccesses()) {
      const bus = openEventBus({ servers: urlOf(service), name: service, logger });
      for (const on of follows) {
        const connected = Promise.withResolvers<undefined>();
        const shown = Promise.withResolvers<DeliveredEvent>();
        const followed = subscribe({
          bus,
          logger,
          on,
          onEvent: shown.resolve,
          onConnected: () => connected.resolve(undefined),
        });
        await connected.promise;
        const type = on.replace('*', 'changed');
        const body = JSON.stringify({
          ...{ specversion: '1.0', id: on, source: '/test', type, subject: 'x', organisationid: 'org_1', data: {} },
          time: new Date().toISOString(),
        });
        const owner = type.split('.')[2] ?? '';
        expect(await say(owner, clientPorts[0], `PUB ${type} ${String(body.length)}\r\n${body}`)).toBe('');
        expect(await shown.promise).toMatchObject({ id: on, type });
        await followed.close();
      }
      await bus.close();
    }
  });
});
