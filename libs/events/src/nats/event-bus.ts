import { jetstream, jetstreamManager, type JetStreamClient, type JetStreamManager } from '@nats-io/jetstream';
import type { Logger } from '@platform-backend/core';
import { connect, type NatsConnection } from 'nats';
import { EventEmitter, once } from 'node:events';
import { backoffMs, isAborted, pause } from '../pause.ts';
import { inboxPrefix } from './event-access.ts';
import { serverAddresses } from './server-addresses.ts';
import { EVENT_STREAM } from './streams.ts';

export interface EventBusOptions {
  /** `nats://host:port`, several separated by commas for a cluster; `nats://token@host` and `nats://user:password@host` too. */
  servers: string;
  /** Shown by the server. */
  name: string;
  logger: Logger;
}

/** One process's connection to NATS, shared by its relay, consumers and subscriptions. */
export interface EventBus {
  /** Whether events can be published and received right now. */
  readonly isConnected: boolean;
  /** The working connection, waiting for it as long as it takes; undefined once `signal` is aborted or the bus closed. */
  ready(signal: AbortSignal): Promise<Session | undefined>;
  /** Resolves when JetStream itself answers, and rejects when it does not, also where the server answers without it. */
  ping(): Promise<void>;
  /** Sends what is still buffered, then disconnects. Stop consumers and the relay before. */
  close(): Promise<void>;
}

/** A connection to a server that has the streams. Gone when the connection breaks; the next one is another object. For this library only. */
export interface Session {
  readonly connection: NatsConnection;
  readonly client: JetStreamClient;
  readonly manager: JetStreamManager;
  /** Aborted when the connection breaks. */
  readonly lost: AbortSignal;
}

/**
 * Starts connecting and returns at once: a service starts and serves while NATS is away, its events wait in the
 * outbox. The connection is tried again for ever, and each outage is logged once when it begins and once when it ends.
 */
export function openEventBus({ servers, name, logger }: EventBusOptions): EventBus {
  const addresses = serverAddresses(servers);
  const closing = new AbortController();
  const changes = new EventEmitter().setMaxListeners(0);
  let session: Session | undefined;
  let current: NatsConnection | undefined;
  const done = keepConnected();

  async function keepConnected(): Promise<void> {
    for (let failures = 0; !closing.signal.aborted;) {
      try {
        current = await connect({
          ...addresses,
          name,
          inboxPrefix: inboxPrefix(addresses.user ?? name),
          timeout: 2_000,
          maxReconnectAttempts: -1,
          reconnectTimeWait: 200,
          reconnectJitter: 100,
          // A connection cut without a word is noticed within 20 s; busy ones sooner by their own timeouts.
          pingInterval: 10_000,
          maxPingOut: 2,
          // A stack for every message, in case it fails, costs more than sending it.
          noAsyncTraces: true,
        });
        if (isAborted(closing.signal)) {
          await current.close();
          return;
        }
        if (failures > 0) logger.info('NATS can be reached');
        failures = 0;
        await live(current);
      } catch (error) {
        failures += 1;
        if (failures === 1)
          logger.warn({ event: 'nats.unreachable', err: error }, 'NATS cannot be reached, trying again until it can');
        await pause(backoffMs(failures, 100, 2_000), closing.signal);
      }
    }
  }

  /** Follows one connection through its breaks and returns when it is closed for good. */
  async function live(connection: NatsConnection): Promise<void> {
    let period = new AbortController();
    const begin = (): void => {
      period = new AbortController();
      void prepare(connection, period.signal);
    };
    const end = (): void => {
      period.abort();
      session = undefined;
      changes.emit('change');
    };
    begin();
    for await (const status of connection.status()) {
      if (status.type === 'disconnect') {
        logger.warn({ event: 'nats.disconnected' }, 'the connection to NATS broke, reconnecting');
        end();
      } else if (status.type === 'reconnect') {
        logger.info('reconnected to NATS');
        period.abort();
        begin();
      } else if (status.type === 'error') {
        logger.warn({ event: 'nats.error', err: status.error }, 'NATS reported an error');
      }
    }
    end();
    const failure = await connection.closed();
    if (failure) logger.error({ event: 'nats.closed', err: failure }, 'NATS closed the connection');
  }

  /** Waits until the operator has made the streams: on a new server, and after a restart with empty storage. */
  async function prepare(connection: NatsConnection, lost: AbortSignal): Promise<void> {
    for (let failures = 0; !lost.aborted && !connection.isClosed();) {
      try {
        const manager = await jetstreamManager(connection, { checkAPI: false });
        await manager.streams.info(EVENT_STREAM);
        if (isAborted(lost)) return;
        session = { connection, manager, client: jetstream(connection, { timeout: 5_000 }), lost };
        changes.emit('change');
        return;
      } catch (error) {
        failures += 1;
        if (failures === 1)
          logger.warn(
            { event: 'nats.streams_unavailable', err: error },
            'the event streams are not available yet, trying again',
          );
        await pause(backoffMs(failures, 50, 2_000), lost);
      }
    }
  }

  return {
    get isConnected() {
      return session !== undefined;
    },
    async ready(signal) {
      const either = AbortSignal.any([signal, closing.signal]);
      while (!session && !either.aborted) {
        await once(changes, 'change', { signal: either }).catch(() => undefined);
      }
      return either.aborted ? undefined : session;
    },
    async ping() {
      if (!session) throw new Error('NATS cannot be reached');
      await session.manager.streams.info(EVENT_STREAM);
    },
    async close() {
      closing.abort();
      // Draining waits for an answer that a broken connection cannot give.
      if (session) await current?.drain().catch(() => undefined);
      await current?.close();
      await done;
    },
  };
}

/** For an operator's commands: they wait for NATS like everything else, but not for ever. */
export async function sessionOf(bus: EventBus): Promise<Session> {
  const session = await bus.ready(AbortSignal.timeout(5_000));
  if (!session) throw new Error('NATS cannot be reached');
  return session;
}
