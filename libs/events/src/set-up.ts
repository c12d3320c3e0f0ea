/**
 * What prepares a NATS server for the platform: its users and its streams. Apart from the rest of the library, so that
 * whoever only prepares loads nothing of databases.
 */
import { jetstreamManager } from '@nats-io/jetstream';
import { integer, optional } from '@platform-backend/core';
import { connect } from 'nats';
import { inboxPrefix, OPERATOR } from './nats/event-access.ts';
import { serverAddresses } from './nats/server-addresses.ts';
import { ensureStreams, type StreamLimits } from './nats/streams.ts';
import { backoffMs, pause } from './pause.ts';

export { watchJetStream, type JetStreamWatch } from './nats/watch-jetstream.ts';
export { natsAuthorization, OPERATOR, otherUser, type EventAccess, type NatsUser } from './nats/event-access.ts';

/** What whoever makes the streams reads from the environment. */
export const streamSettings = {
  NATS_STREAM_REPLICAS: optional(
    integer({
      min: 1,
      max: 5,
      defaultDescription: 'as they are',
      description: 'copies of every event in a NATS cluster',
    }),
  ),
} as const;

export interface StreamSetUp {
  /** As `openEventBus` takes them, with the operator's password. */
  readonly servers: string;
  readonly limits?: StreamLimits;
  /** Until then it is tried again: a cluster that has just started has no leader yet. */
  readonly signal: AbortSignal;
}

/**
 * Creates the streams, or brings existing ones to these limits. Services wait for them and make none.
 *
 * @throws Error with the last reason once `signal` is aborted.
 */
export async function setUpStreams({ servers, limits = {}, signal }: StreamSetUp): Promise<void> {
  for (let failures = 1; ; failures += 1) {
    try {
      await makeStreams(servers, limits);
      return;
    } catch (error) {
      if (signal.aborted) {
        const reason = error instanceof Error ? error.message : String(error);
        throw new Error(`The event streams could not be made: ${reason}.`, { cause: error });
      }
      await pause(backoffMs(failures, 50, 2_000), signal);
    }
  }
}

async function makeStreams(servers: string, limits: StreamLimits): Promise<void> {
  const addresses = serverAddresses(servers);
  const connection = await connect({
    ...addresses,
    name: 'set-up',
    inboxPrefix: inboxPrefix(addresses.user ?? OPERATOR),
    timeout: 2_000,
    reconnect: false,
  });
  try {
    await ensureStreams(await jetstreamManager(connection, { checkAPI: false }), limits);
  } finally {
    await connection.close();
  }
}
