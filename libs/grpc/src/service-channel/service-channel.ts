import { DomainError } from '@platform-backend/core';
import type { CallDone, ChannelSettings } from '../channel.ts';
import { replicaAddressesOf } from '../replicas.ts';
import { secureContextOf } from '../tls.ts';
import type { CallHeaders } from './attempt.ts';
import { Deadlines } from './deadlines.ts';
import { ReplicaPool } from './replica-pool.ts';
import { ServiceStream } from './service-stream.ts';
import { SingleCall } from './single-call.ts';

/** A service that does not accept a connection in this time counts as down: below the promised 2 s. */
const CONNECT_LIMIT_MS = 1_500;

const NOTHING = Buffer.alloc(0);

/** The standard health service, asked about the server as a whole with an empty message. */
const HEALTH_CHECK = '/grpc.health.v1.Health/Check';
/** `HealthCheckResponse { status: SERVING }`: field 1, value 1. */
const SERVING = Buffer.from([0x08, 0x01]);

/**
 * The connections to the replicas of one service, over HTTP/2 itself: what passes is bytes that nobody looks
 * into. Of gRPC it has what this platform uses; see decision 0094.
 */
export interface ServiceChannel {
  /**
   * Makes one call until `deadline`, in milliseconds since 1970. `done` is called once: with the answer's bytes, or with
   * a `DomainError`. The function returned gives the call up; then `done` may still be called. A call that no handler can have
   * seen goes to another replica; one whose connection was lost is made again if it is idempotent.
   */
  call(path: string, message: Buffer, headers: CallHeaders, deadline: number, done: CallDone): () => void;
  /**
   * Resolves, once a replica is connected, with what begins a call with streams on it. One that no handler can have seen goes
   * to another replica while its first requests are still kept, and is never made again otherwise.
   */
  streams(deadline: number): Promise<BeginStream>;
  /** Whether the service says that it can serve now; false as well when it does not answer in time. */
  healthy(timeoutMs: number): Promise<boolean>;
  /** Ends the connections; calls in flight end as `unavailable`. */
  close(): void;
}

export type BeginStream = (path: string, headers: CallHeaders) => ServiceStream;

export function openServiceChannel(address: string, options: ChannelSettings = {}): ServiceChannel {
  const { tls, operations = [], connectLimitMs = CONNECT_LIMIT_MS } = options;
  const addresses = replicaAddressesOf(address);
  const idempotent = new Set(operations.filter((each) => each.idempotent).map(({ grpcPath }) => grpcPath));
  idempotent.add(HEALTH_CHECK);
  const security = tls && { context: secureContextOf(tls), checkIdentity: addresses.checkIdentity };
  const deadlines = new Deadlines();
  const pool = { addresses, security, connectLimitMs, deadlines };
  const calls = new ReplicaPool(pool);
  // On connections of their own: large bodies would stand between short calls.
  const streams = new ReplicaPool(pool);

  const call: ServiceChannel['call'] = (path, message, headers, deadline, done) => {
    const request = { path, message, headers, deadline, isIdempotent: idempotent.has(path) };
    const begun = new SingleCall(calls, deadlines, request, done);
    return () => begun.cancel();
  };

  return {
    call,
    streams: (deadline) =>
      new Promise((resolve, reject) => {
        streams.find(deadline, (found) => {
          if (found instanceof DomainError) reject(found);
          else resolve((...stream) => new ServiceStream(streams, deadlines, found, deadline, ...stream));
        });
      }),
    healthy: (timeoutMs) =>
      new Promise((resolve) => {
        call(HEALTH_CHECK, NOTHING, [], Date.now() + timeoutMs, (error, answer) =>
          resolve(!error && answer.equals(SERVING)),
        );
      }),
    close: () => {
      calls.close();
      streams.close();
      deadlines.close();
    },
  };
}
