import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createLogger } from '@platform-backend/core/logger';
import { openEventBus, subscribe, type DeliveredEvent } from '@platform-backend/events';
import { waitFor } from '@platform-backend/testing';
import { globSync } from 'node:fs';
import { join } from 'node:path';
import { eventAccesses } from '../src/nats-users.ts';
import { natsCluster, say, SERVERS, type NatsCluster } from './nats-cluster.ts';

describe('the NATS cluster of Compose', () => {
  let cluster: NatsCluster;
  beforeAll(async () => {
    cluster = await natsCluster();
  });
  afterAll(() => cluster.stop());

  const sayAs = (user: string, line: string): Promise<string> =>
    say(cluster.loginOf(user), cluster.ports[0]?.client, line);
  const publish = (user: string, subject: string): Promise<string> => sayAs(user, `PUB ${subject} 2\r\n{}`);

  it('keeps every event on all three servers', async () => {
    const keeps = (name: string): boolean =>
      globSync('**/PLATFORM_EVENTS/meta.inf', { cwd: join(cluster.folder, name) }).length > 0;
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
      expect(await sayAs(user, `SUB ${subject} 1`)).toContain('Permissions Violation');
    }
  });

  it('refuses whoever has no password, also at the door between the servers', async () => {
    expect(await say(undefined, cluster.ports[1]?.client, 'PUB a 0\r\n')).toBe('Authorization Violation');
    expect(await say(undefined, cluster.ports[1]?.route, 'PUB a 0\r\n')).toBe('Authorization Violation');
  });

  it('brings every service the events that it declares', async () => {
    const logger = createLogger({ service: 'test', level: 'silent' });
    for (const { service, follows } of await eventAccesses()) {
      const bus = openEventBus({ servers: cluster.urlOf(service), name: service, logger });
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
        expect(await sayAs(owner, `PUB ${type} ${String(body.length)}\r\n${body}`)).toBe('');
        expect(await shown.promise).toMatchObject({ id: on, type });
        await followed.close();
      }
      await bus.close();
    }
  });
});
