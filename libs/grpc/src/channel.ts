import { Client, connectivityState, type ChannelInterface, type ChannelOptions } from '@grpc/grpc-js';
import { unavailable } from '@platform/core';
import { LARGEST_MESSAGE } from './message-size.ts';
import { channelCredentials, type TlsFiles } from './tls.ts';

/** A service that does not accept a connection in this time counts as down: below the promised 2 s. */
export const CONNECT_LIMIT_MS = 1_500;

const OPTIONS: ChannelOptions = {
  'grpc.max_receive_message_length': LARGEST_MESSAGE,
  'grpc.max_send_message_length': LARGEST_MESSAGE,
  // Finds a connection that died without a word, busy or not, within 15 s.
  'grpc.keepalive_time_ms': 10_000,
  'grpc.keepalive_timeout_ms': 5_000,
  'grpc.keepalive_permit_without_calls': 1,
  // A restarted service is reached again within 2 s.
  'grpc.initial_reconnect_backoff_ms': 100,
  'grpc.max_reconnect_backoff_ms': 1_000,
  // The default of 30 s would keep calling the addresses of replicas that are gone.
  'grpc.dns_min_time_between_resolutions_ms': 1_000,
  // Every replica behind a name gets calls, not only the one that answered first.
  'grpc.service_config': JSON.stringify({ loadBalancingConfig: [{ round_robin: {} }], methodConfig: [] }),
  'grpc.service_config_disable_resolution': 1,
};

/** A connection to a service; nothing is opened before the first call. */
export const openChannel = (address: string, tls?: TlsFiles): Client =>
  new Client(address, channelCredentials(tls), OPTIONS);

/**
 * Resolves when a call on the channel will be decided at once: it is connected, or known to be down.
 * Without this a call to an address that swallows packets would wait for its whole deadline.
 *
 * @throws DomainError `unavailable` when it is still connecting after `limitMs`.
 */
export async function connectionSettled(channel: ChannelInterface, limitMs = CONNECT_LIMIT_MS): Promise<void> {
  const deadline = Date.now() + limitMs;
  let state = channel.getConnectivityState(true);
  while (state === connectivityState.IDLE || state === connectivityState.CONNECTING) {
    await stateChange(channel, state, deadline);
    state = channel.getConnectivityState(true);
  }
}

/** Whether the channel is connected now, without waiting. */
export const isConnected = (channel: ChannelInterface): boolean =>
  channel.getConnectivityState(false) === connectivityState.READY;

const stateChange = (channel: ChannelInterface, from: connectivityState, deadline: number): Promise<void> =>
  new Promise((resolve, reject) => {
    channel.watchConnectivityState(from, deadline, (error) => {
      if (error) reject(unavailable(new Error(`No connection to ${channel.getTarget()} in time.`, { cause: error })));
      else resolve();
    });
  });
