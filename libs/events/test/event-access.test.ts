import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { jetstream, jetstreamManager, AckPolicy, DeliverPolicy } from '@nats-io/jetstream';
import { newId } from '@platform-backend/core';
import { createMetrics } from '@platform-backend/core/metrics';
import { throwawayNats, waitFor, type ThrowawayNats } from '@platform-backend/testing';
import { connect, type NatsConnection } from 'nats';
import { consumerLag } from '../src/consumer-lag.ts';
import {
  PermanentEventError,
  openBroadcast,
  openEventBus,
  returnDeadLetters,
  startConsumer,
  subscribe,
  toCloudEvent,
  type EventBus,
} from '../src/index.ts';
import { sessionOf } from '../src/nats/event-bus.ts';
import { publish } from '../src/nats/publish.ts';
import { DEAD_STREAM, EVENT_STREAM } from '../src/nats/streams.ts';
import { natsAuthorization, setUpStreams, type EventAccess } from '../src/set-up.ts';
import { borrowed, BORROWED, quiet, RETURNED, deadLettersAt, shownBy } from './suite/index.ts';

const library: EventAccess = { service: 'library', publishes: true, follows: [], reactions: {} };
const shop: EventAccess = { service: 'shop', publishes: true, follows: [RETURNED], reactions: {} };
const reminders: EventAccess = {
  service: 'reminders',
  publishes: false,
  follows: [],
  reactions: { 'reminders-on-borrowed': BORROWED },
};
const counters: EventAccess = {
  service: 'counters',
  publishes: false,
  follows: [],
  reactions: {},
  broadcasts: ['counts'],
};
const SECRET = 'platform.v1.library.fine.due';

describe('a NATS user', () => {
  let nats: ThrowawayNats;
  const opened: { close(): Promise<void> }[] = [];
  const urlOf = (name: string, password = `password of ${name}`): string => {
    const url = new URL(nats.url.replace('nats:', 'http:'));
    return `nats://${name}:${encodeURIComponent(password)}@${url.host}`;
  };
  const busOf = (name: string): EventBus => {
    const bus = openEventBus({ servers: urlOf(name), name: 'test', logger: quiet });
    opened.push(bus);
    return bus;
  };
  /** A connection past our own library, as a broken-into service would make. */
  const intruderAs = async (name: string): Promise<NatsConnection> => {
    const connection = await connect({
      servers: `127.0.0.1:${nats.port}`,
      user: name,
      pass: `password of ${name}`,
      inboxPrefix: `_INBOX_${name}`,
      timeout: 5_000,
    });
    opened.push(connection);
    return connection;
  };
  const publishAs = async (name: string, subject: string, id: string = newId()): Promise<void> =>
    publish(await sessionOf(busOf(name)), {
      subject,
      body: JSON.stringify({ ...toCloudEvent(borrowed('book', { id })), type: subject }),
      id,
    });

  beforeAll(async () => {
    const services = [library, shop, reminders, counters];
    nats = await throwawayNats({ authorization: natsAuthorization(services, (user) => `"password of ${user}"`) });
    await setUpStreams({ servers: urlOf('operator'), signal: AbortSignal.timeout(240_000) });
  });
  afterAll(async () => {
    for (const one of opened.toReversed()) await one.close();
    await nats.drop();
  });

  it('is refused without a password, and with a wrong one', async () => {
    await expect(connect({ servers: `127.0.0.1:${nats.port}` })).rejects.toThrow(/authorization/i);
    const wrong = { servers: `127.0.0.1:${nats.port}`, user: 'shop', pass: 'password of library' };
    await expect(connect(wrong)).rejects.toThrow(/authorization/i);
  });

  it('publishes events of its own service, and of no other', async () => {
    await publishAs('library', BORROWED);
    await expect(publishAs('shop', BORROWED)).rejects.toThrow('Permissions Violation');
    await expect(publishAs('reminders', 'platform.v1.reminders.letter.sent')).rejects.toThrow('Permissions Violation');
    await expect(publishAs('library', 'platform.dead.reminders-on-borrowed')).rejects.toThrow('Permissions Violation');
  });

  it('follows what it declares', async () => {
    const shown: string[] = [];
    const connected = Promise.withResolvers<undefined>();
    opened.push(
      subscribe({
        bus: busOf('shop'),
        logger: quiet,
        on: RETURNED,
        onEvent: ({ id }) => shown.push(id),
        onConnected: () => connected.resolve(undefined),
      }),
    );
    await connected.promise;
    const id = newId();
    await publishAs('library', BORROWED);
    await publishAs('library', RETURNED, id);
    await waitFor(() => shown.length > 0);
    expect(shown).toEqual([id]);
  });

  it('reacts to what it declares, puts aside what it gives up, and the operator returns that', async () => {
    const seen: string[] = [];
    const metrics = createMetrics();
    const consumer = startConsumer({
      bus: busOf('reminders'),
      logger: quiet,
      metrics,
      name: 'reminders-on-borrowed',
      on: BORROWED,
      react: ({ id }) => {
        seen.push(id);
        return seen.filter((other) => other === id).length > 1
          ? Promise.resolve()
          : Promise.reject(new PermanentEventError('not today'));
      },
    });
    const id = newId();
    await publishAs('library', BORROWED, id);
    const bus = busOf('operator');
    await waitFor(async () => (await deadLettersAt(bus)).some(({ event }) => event?.id === id));
    // Its own user may ask how far it lags behind, as its metrics do; so may the operator.
    const { deadLetters } = await consumerLag(await sessionOf(bus), 'reminders-on-borrowed');
    expect(deadLetters).toBeGreaterThan(0);
    const shown = `events_dead_letters{consumer="reminders-on-borrowed"} ${deadLetters}`;
    await waitFor(async () => (await shownBy(metrics)).includes(shown));
    await returnDeadLetters(bus);
    await waitFor(() => seen.filter((other) => other === id).length === 2);
    expect(await deadLettersAt(bus)).toEqual([]);
    await consumer.stop();
  });

  it('talks to the processes of its own service, and hears no other service', async () => {
    const heard: unknown[] = [];
    const talk = (onMessage: (message: unknown) => void) => {
      const bus = busOf('counters');
      const broadcast = openBroadcast({ bus, logger: quiet, service: 'counters', topic: 'counts', onMessage });
      opened.push(broadcast);
      return broadcast;
    };
    talk((message) => heard.push(message));
    const speaker = talk(() => undefined);
    await waitFor(() => speaker.send({ count: 1 }) && heard.length > 0);
    expect(heard[0]).toEqual({ count: 1 });
    const stranger = await intruderAs('shop');
    const subscription = stranger.subscribe('platform.broadcast.counters.>');
    await expect(subscription.closed).resolves.toMatchObject({ name: 'PermissionViolationError' });
  });

  it('reads no other events, by whatever name or filter', async () => {
    const connection = await intruderAs('shop');
    await publishAs('library', SECRET);
    const manager = await jetstreamManager(connection, { checkAPI: false });
    const forms = [
      { filter_subject: SECRET },
      { filter_subject: '>' },
      {},
      { durable_name: 'shop-own', filter_subject: SECRET },
      { deliver_subject: '_INBOX_shop.all', filter_subject: SECRET },
    ];
    for (const form of forms) {
      const wanted = { ack_policy: AckPolicy.None, deliver_policy: DeliverPolicy.All, ...form };
      await expect(manager.consumers.add(EVENT_STREAM, wanted)).rejects.toThrow('Permissions Violation');
    }
    // The subject of the request may name a filter that is allowed; the server holds the request to it.
    const call = `$JS.API.CONSUMER.CREATE.${EVENT_STREAM}.any.${RETURNED}`;
    for (const form of [{ filter_subject: SECRET }, {}, { filter_subjects: [SECRET] }]) {
      const config = { name: 'any', ack_policy: 'none', ...form };
      const answer = await connection.request(call, JSON.stringify({ stream_name: EVENT_STREAM, config }));
      expect(answer.json()).toMatchObject({ error: { code: 400 } });
    }
    await expect(manager.streams.getMessage(EVENT_STREAM, { last_by_subj: SECRET })).rejects.toThrow('Permissions');
    await expect(manager.direct.getMessage(EVENT_STREAM, { last_by_subj: SECRET })).rejects.toThrow('Permissions');
    await expect(manager.streams.info(DEAD_STREAM)).rejects.toThrow('Permissions');
    for (const subject of [SECRET, '_INBOX_library.>', '_INBOX.>', '$JS.ACK.>', '>']) {
      const subscription = connection.subscribe(subject);
      await expect(subscription.closed).resolves.toMatchObject({ name: 'PermissionViolationError' });
    }
  });

  it('takes nothing from the consumers of others, and ends none', async () => {
    const manager = await jetstreamManager(await intruderAs('shop'), { checkAPI: false });
    const durable = 'reminders-on-borrowed';
    const changed = { durable_name: durable, filter_subject: RETURNED, ack_policy: AckPolicy.Explicit };
    await expect(manager.consumers.add(EVENT_STREAM, changed)).rejects.toThrow('Permissions Violation');
    await expect(manager.consumers.delete(EVENT_STREAM, durable)).rejects.toThrow('Permissions Violation');
    await expect(manager.consumers.info(EVENT_STREAM, durable)).rejects.toThrow('Permissions Violation');
    await expect(manager.consumers.list(EVENT_STREAM).next()).rejects.toThrow('Permissions Violation');
    const connection = await intruderAs('shop');
    const next = connection.request(`$JS.API.CONSUMER.MSG.NEXT.${EVENT_STREAM}.${durable}`, '1');
    await expect(next).rejects.toThrow('Permissions Violation');
  });

  it('cannot make the streams unless it is the operator, and is told why', async () => {
    const attempt = setUpStreams({ servers: urlOf('library'), signal: AbortSignal.abort() });
    await expect(attempt).rejects.toThrow('The event streams could not be made: Permissions Violation');
  });

  it.each(['library', 'shop', 'reminders', 'counters', 'operator'])(
    'neither empties nor removes a stream as %s',
    async (name) => {
      const connection = await intruderAs(name);
      const manager = await jetstreamManager(connection, { checkAPI: false });
      for (const stream of [EVENT_STREAM, DEAD_STREAM]) {
        await expect(manager.streams.purge(stream)).rejects.toThrow('Permissions Violation');
        await expect(manager.streams.delete(stream)).rejects.toThrow('Permissions Violation');
      }
      const other = { name: 'OTHER', subjects: ['other.>'] };
      await expect(manager.streams.add(other)).rejects.toThrow('Permissions Violation');
      await expect(jetstream(connection).publish('other.subject', '')).rejects.toThrow('Permissions Violation');
      if (name === 'operator') return;
      const shorter = { name: EVENT_STREAM, subjects: ['platform.v1.>'], max_age: 1_000_000_000 };
      await expect(manager.streams.add(shorter)).rejects.toThrow('Permissions Violation');
    },
  );
});
