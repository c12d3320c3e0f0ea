import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createLogger } from '@platform-backend/core/logger';
import { openEventBus, type EventBus } from '@platform-backend/events';
import { waitFor } from '@platform-backend/testing';
import { natsCluster, say, SERVERS, type NatsCluster } from './nats-cluster.ts';

const SERVICE = 'identity';
const STREAM = 'PLATFORM_EVENTS';
/** Before and after each replacement of a server. */
const EVENTS_BETWEEN = 20;

describe('the password of the servers of NATS among each other', () => {
  let cluster: NatsCluster;
  let bus: EventBus;
  beforeAll(async () => {
    cluster = await natsCluster();
    const logger = createLogger({ service: 'test', level: 'silent' });
    bus = openEventBus({ servers: cluster.urlOf(SERVICE), name: SERVICE, logger });
  });
  afterAll(async () => {
    await bus.close();
    await cluster.stop();
  });

  /** As its relay does: an event that was not taken is published once more, by the same id. */
  const publish = (id: string) =>
    waitFor(
      async () => {
        const session = await bus.ready(AbortSignal.timeout(1_000));
        return session?.client.publish('platform.v1.identity.thing.done', '{}', { msgID: id });
      },
      { what: `event ${id} to be taken` },
    );

  /** To how many others a server is connected. */
  const joinedBy = async (index: number): Promise<number> => {
    const answer = await fetch(`http://127.0.0.1:${String(cluster.ports[index]?.monitor)}/routez`);
    const { routes } = (await answer.json()) as { routes: { remote_id: string }[] };
    return new Set(routes.map(({ remote_id: id }) => id)).size;
  };

  it('is replaced one server after the other while events go on, each kept once, and the old one is nobody’s then', async () => {
    const { environment } = cluster;
    const old = environment['NATS_CLUSTER_PASSWORD'] ?? '';
    const isOver = new AbortController();
    let published = 0;
    const publishing = (async () => {
      while (!isOver.signal.aborted) {
        await publish(String(published));
        published += 1;
      }
    })();
    const replaceAll = async (): Promise<void> => {
      for (const index of SERVERS.keys()) {
        await cluster.replace(index);
        const others = SERVERS.length - 1;
        await waitFor(async () => (await joinedBy(index)) === others, { what: 'the others to be joined' });
        const sofar = published;
        await waitFor(() => published >= sofar + EVENTS_BETWEEN, { what: 'events to go on' });
      }
    };
    try {
      environment['NATS_CLUSTER_OTHER_PASSWORD'] = old;
      environment['NATS_CLUSTER_PASSWORD'] = 'pnew';
      await replaceAll();
      environment['NATS_CLUSTER_OTHER_PASSWORD'] = '';
      await replaceAll();
    } finally {
      isOver.abort();
      await publishing;
    }
    for (const { route } of cluster.ports)
      expect(await say({ user: 'cluster', pass: old }, route, 'PUB a 0\r\n')).toBe('Authorization Violation');
    const session = await bus.ready(AbortSignal.timeout(10_000));
    const stream = await session?.manager.streams.info(STREAM);
    expect(stream?.state.messages).toBe(published);
    expect(stream?.cluster?.replicas?.every(({ current, offline }) => current && !offline)).toBe(true);
  });
});
