import {
  Client,
  connectivityState,
  status,
  type ChannelInterface,
  type ChannelOptions,
  type ClientUnaryCall,
  type Metadata,
  type ServiceError,
} from '@grpc/grpc-js';
import { unavailable } from '@platform-backend/core';
import type { ServedOperation } from './contract.ts';
import { errorFromStatus } from './error-status.ts';
import { cancelled } from './errors.ts';
import { MAX_MESSAGE_BYTES } from './message-size.ts';
import { ERROR_KIND } from './metadata-names.ts';
import { replicasOf } from './replicas.ts';
import { channelCredentials, type TlsFiles } from './tls.ts';

/** A service that does not accept a connection in this time counts as down: below the promised 2 s. */
const CONNECT_LIMIT_MS = 1_500;

const OPTIONS: ChannelOptions = {
  'grpc.max_receive_message_length': MAX_MESSAGE_BYTES,
  'grpc.max_send_message_length': MAX_MESSAGE_BYTES,
  // grpc-js makes a call again that no handler can have seen, as long as it still has its message. It is not copied.
  'grpc.per_rpc_retry_buffer_size': MAX_MESSAGE_BYTES,
  'grpc.retry_buffer_size': 8 * MAX_MESSAGE_BYTES,
  // Finds a connection that died without a word, busy or not, within 15 s.
  'grpc.keepalive_time_ms': 10_000,
  'grpc.keepalive_timeout_ms': 5_000,
  'grpc.keepalive_permit_without_calls': 1,
  // A replica that is back is connected within this: sooner than a call gives up waiting for one.
  'grpc.initial_reconnect_backoff_ms': 100,
  'grpc.max_reconnect_backoff_ms': 500,
  // The default of 30 s would keep calling the addresses of replicas that are gone.
  'grpc.dns_min_time_between_resolutions_ms': 1_000,
  // Every replica gets calls, not only the one that answered first.
  'grpc.service_config': JSON.stringify({ loadBalancingConfig: [{ round_robin: {} }], methodConfig: [] }),
  'grpc.service_config_disable_resolution': 1,
};

/** What is sent in a stream is kept nowhere: grpc-js keeps it even where it will make no call again. */
const STREAM_OPTIONS: ChannelOptions = {
  ...OPTIONS,
  'grpc.enable_retries': 0,
  // What may be on its way of one stream. By default it is less than one large message, which waits for leave in its middle.
  'grpc-node.flow_control_window': 256 * 1024,
  'grpc.per_rpc_retry_buffer_size': 0,
};

/** Attempts at an idempotent call: enough for two replicas that are lost one after the other. */
const MAX_ATTEMPTS = 3;

const NOTHING = Buffer.alloc(0);
const asItIs = (bytes: Buffer): Buffer => bytes;

export interface ChannelSettings {
  tls?: TlsFiles | undefined;
  /** What will be called. Of these, idempotent ones are called again when a connection is lost on the way. */
  operations?: readonly ServedOperation[];
  /** How long a connection may take to be made before the service counts as down; 1.5 s unless given. */
  connectLimitMs?: number | undefined;
}

/** The connections to the replicas of one service. Messages pass as bytes; nothing here knows what they mean. */
export interface Channel {
  /**
   * Makes one call until `deadline`, in milliseconds since 1970. `done` is called once: with the answer's bytes, or with
   * a `DomainError`. The function returned gives the call up; then `done` may still be called.
   */
  call(path: string, message: Buffer, metadata: Metadata, deadline: number, done: CallDone): () => void;
  /**
   * The library's own client for streams, once it is connected. These are never made again: what is sent would be kept for
   * that until their answer begins, with no back-pressure meanwhile, and the memory of uploads would be that of their bodies.
   */
  streams(deadline: number): Promise<Client>;
  /** Takes no calls any more; those in flight come to their end. */
  close(): void;
  /** The library's own for everything else. */
  readonly client: Client;
}

/** `answer` is empty when there is an error. */
export type CallDone = (error: Error | undefined, answer: Buffer) => void;

/**
 * A channel to a service by its address: see `Replicas` for what that may be. Nothing is opened before the first call.
 * Calls take turns on the replicas that are connected, and whichever comes or comes back is found by itself.
 */
export function openChannel(address: string, options: ChannelSettings = {}): Channel {
  const { tls, operations = [], connectLimitMs = CONNECT_LIMIT_MS } = options;
  const { target, several, checkIdentity } = replicasOf(address);
  const idempotent = new Set(operations.filter((each) => each.idempotent).map(({ grpcPath }) => grpcPath));
  const credentials = channelCredentials(tls, checkIdentity);
  const client = new Client(target, credentials, OPTIONS);
  const streams = new Client(target, credentials, STREAM_OPTIONS);

  const isConnected = (to: Client) => to.getChannel().getConnectivityState(false) === connectivityState.READY;
  /** Nobody knows when a single address that is down will be back; of several another one may be there at any moment. */
  const mayConnect = (state: connectivityState): boolean => state !== connectivityState.TRANSIENT_FAILURE || several;

  /**
   * Resolves when a call will be decided at once: a replica is connected, or the only one is known to be down. Where
   * packets disappear, grpc-js would wait for the whole deadline.
   */
  const settled = async (to: Client, deadline: number): Promise<void> => {
    const channel = to.getChannel();
    const until = Math.min(Date.now() + connectLimitMs, deadline);
    let state = channel.getConnectivityState(true);
    while (state !== connectivityState.READY && mayConnect(state)) {
      await stateChange(channel, state, until);
      state = channel.getConnectivityState(true);
    }
  };

  const call: Channel['call'] = (path, message, metadata, deadline, done) => {
    let running: ClientUnaryCall | undefined;
    let givenUp = false;
    let attempts = 0;
    // A call that a draining replica refuses is queued for the next one, even while that is still being connected.
    if (several) metadata.setOptions({ waitForReady: true });

    const attempt = (): void => {
      attempts++;
      running = client.makeUnaryRequest(path, asItIs, asItIs, message, metadata, { deadline }, ended);
    };
    const attemptOnceConnected = (): void => {
      settled(client, deadline)
        .then(() => {
          if (givenUp) throw cancelled();
          attempt();
        })
        .catch((error: unknown) => done(error as Error, NOTHING));
    };
    const ended = (error: ServiceError | null, answer: Buffer = NOTHING): void => {
      if (!error) done(undefined, answer);
      else if (
        connectionLost(error) &&
        idempotent.has(path) &&
        attempts < MAX_ATTEMPTS &&
        mayConnect(client.getChannel().getConnectivityState(false)) &&
        !givenUp
      )
        attemptOnceConnected();
      else done(errorFromStatus(error), NOTHING);
    };

    if (isConnected(client)) attempt();
    else attemptOnceConnected();
    return () => {
      givenUp = true;
      running?.cancel();
    };
  };

  return {
    call,
    streams: async (deadline) => {
      if (!isConnected(streams)) await settled(streams, deadline);
      return streams;
    },
    close: () => {
      client.close();
      streams.close();
    },
    client,
  };
}

/** Not so when the service itself says that it cannot serve: it has decided, and other attempts would only burden it. */
const connectionLost = ({ code, metadata }: ServiceError): boolean =>
  code === status.UNAVAILABLE && metadata.get(ERROR_KIND).length === 0;

const stateChange = (channel: ChannelInterface, from: connectivityState, deadline: number): Promise<void> =>
  new Promise((resolve, reject) => {
    channel.watchConnectivityState(from, deadline, (error) => {
      if (error) reject(unavailable(new Error(`No connection to ${channel.getTarget()} in time.`, { cause: error })));
      else resolve();
    });
  });
