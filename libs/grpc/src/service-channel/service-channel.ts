import { status, type StatusObject } from '@grpc/grpc-js';
import { DomainError, unavailable } from '@platform-backend/core';
import { EventEmitter } from 'node:events';
import type { CallDone, ChannelSettings } from '../channel.ts';
import { errorFromStatus } from '../error-status.ts';
import { MAX_MESSAGE_BYTES } from '../message-size.ts';
import { ERROR_KIND } from '../metadata-names.ts';
import { replicaAddressesOf } from '../replicas.ts';
import { secureContextOf } from '../tls.ts';
import { Attempt, type AttemptEvents, type CallHeaders } from './attempt.ts';
import { ownStatus } from './call-status.ts';
import { Deadlines, type Expiring } from './deadlines.ts';
import { ReplicaPool, type PooledConnection } from './replica-pool.ts';

/** A service that does not accept a connection in this time counts as down: below the promised 2 s. */
const CONNECT_LIMIT_MS = 1_500;
/** Finds a connection that died without a word within 15 s. */
const KEEP_ALIVE_MS = 10_000;
/** Attempts at an idempotent call: enough for two replicas that are lost one after the other. */
const MAX_ATTEMPTS = 3;
/** How often a call that reached nobody is begun again. */
const MAX_REFUSALS = 5;
/** So many bytes of a stream's requests are kept until its first answer, so that it may be begun again if they reached nobody. */
const MAX_KEPT_BYTES = 64 * 1024;

const NOTHING = Buffer.alloc(0);

/** The standard health service, asked about the server as a whole with an empty message. */
const HEALTH_CHECK = '/grpc.health.v1.Health/Check';
/** `HealthCheckResponse { status: SERVING }`: field 1, value 1. */
const SERVING = Buffer.from([0x08, 0x01]);

/**
 * The connections of the gateway to the replicas of one service, over HTTP/2 itself: what passes is bytes that nobody looks
 * into. Of gRPC it has what the gateway uses; see decision 0094.
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

export interface ServiceChannelSettings extends ChannelSettings {
  /** How often a replica is asked whether it is there, in milliseconds; it has half of that to answer. 10 s unless given. */
  readonly keepAliveMs?: number;
}

export type BeginStream = (path: string, headers: CallHeaders) => ServiceStream;

export function openServiceChannel(address: string, options: ServiceChannelSettings = {}): ServiceChannel {
  const { tls, operations = [], connectLimitMs = CONNECT_LIMIT_MS, keepAliveMs = KEEP_ALIVE_MS } = options;
  const addresses = replicaAddressesOf(address);
  const idempotent = new Set(operations.filter((each) => each.idempotent).map(({ grpcPath }) => grpcPath));
  idempotent.add(HEALTH_CHECK);
  const security = tls && { context: secureContextOf(tls), checkIdentity: addresses.checkIdentity };
  const deadlines = new Deadlines();
  const pool = { addresses, security, connectLimitMs, keepAliveMs, deadlines };
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

interface Request {
  readonly path: string;
  readonly message: Buffer;
  readonly headers: CallHeaders;
  readonly deadline: number;
  readonly isIdempotent: boolean;
}

/** A call with one request and one answer, over all attempts at it. */
class SingleCall implements Expiring {
  readonly #pool: ReplicaPool;
  readonly #deadlines: Deadlines;
  readonly #request: Request;
  readonly #done: CallDone;
  #attempt: Attempt | undefined;
  #on: PooledConnection | undefined;
  #stopWaiting: (() => void) | undefined;
  #isOver = false;
  #attempts = 0;
  #refusals = 0;
  #answer: Buffer | undefined;
  #hasTooMany = false;

  constructor(pool: ReplicaPool, deadlines: Deadlines, request: Request, done: CallDone) {
    this.#pool = pool;
    this.#deadlines = deadlines;
    this.#request = request;
    this.#done = done;
    deadlines.add(this);
    if (request.message.length > MAX_MESSAGE_BYTES) {
      const { length } = request.message;
      const refusal = ownStatus(
        status.RESOURCE_EXHAUSTED,
        `Attempted to send message with a size larger than ${MAX_MESSAGE_BYTES}: ${length}`,
      );
      process.nextTick(() => this.#end(refusal));
      return;
    }
    const connected = pool.pick();
    if (connected) this.#begin(connected);
    else this.#wait();
  }

  get deadline(): number {
    return this.#request.deadline;
  }

  expire(): void {
    // It was not the service that took too long.
    if (this.#stopWaiting && this.#attempts === 0) {
      this.#stopWaiting();
      this.#fail(unavailable(new Error('There was no connection before the deadline.')));
    } else this.#giveUp(ownStatus(status.DEADLINE_EXCEEDED, 'Deadline exceeded'));
  }

  cancel(): void {
    this.#giveUp(ownStatus(status.CANCELLED, 'Cancelled on client'));
  }

  #giveUp(reason: StatusObject): void {
    if (this.#isOver) return;
    this.#stopWaiting?.();
    // It ends by this as well.
    if (this.#attempt) this.#attempt.abandon(reason);
    else this.#end(reason);
  }

  #wait(): void {
    this.#attempt = undefined;
    this.#stopWaiting = this.#pool.find(
      this.#request.deadline,
      (found) => {
        if (this.#isOver) return;
        this.#stopWaiting = undefined;
        if (found instanceof DomainError) this.#fail(found);
        else this.#begin(found);
      },
      this.#on,
    );
  }

  #begin(on: PooledConnection): void {
    const { path, message, headers, deadline } = this.#request;
    this.#on = on;
    this.#attempts += 1;
    this.#answer = undefined;
    this.#attempt = new Attempt(on.connection, path, headers, deadline, this);
    this.#attempt.sendWhole(message);
  }

  message(bytes: Buffer): void {
    if (this.#answer) this.#hasTooMany = true;
    this.#answer = bytes;
  }

  over(ending: StatusObject, hasReached: boolean): void {
    if (this.#isOver) return;
    const isLost = hasReached && isFaultOfReplica(ending);
    if (ending.code !== status.CANCELLED) this.#on?.settled(isLost);
    if (!hasReached && this.#refusals < MAX_REFUSALS) {
      this.#refusals += 1;
      this.#attempts -= 1;
      this.#wait();
    } else if (
      isLost &&
      ending.code === status.UNAVAILABLE &&
      this.#request.isIdempotent &&
      this.#attempts < MAX_ATTEMPTS
    )
      this.#wait();
    else this.#end(ending);
  }

  #end(ending: StatusObject): void {
    if (ending.code !== status.OK) this.#fail(errorFromStatus(ending));
    else if (!this.#answer) this.#fail(errorFromStatus(ownStatus(status.UNIMPLEMENTED, 'There is no answer')));
    else if (this.#hasTooMany) this.#fail(errorFromStatus(ownStatus(status.INTERNAL, 'There are several answers')));
    else if (this.#close()) this.#done(undefined, this.#answer);
  }

  #fail(error: Error): void {
    if (this.#close()) this.#done(error, NOTHING);
  }

  #close(): boolean {
    if (this.#isOver) return false;
    this.#isOver = true;
    this.#deadlines.delete(this);
    return true;
  }
}

/** Not so when the service itself says that it cannot serve: it has decided, and other attempts would only burden it. */
const isFaultOfReplica = ({ code, metadata }: StatusObject): boolean =>
  (code === status.UNAVAILABLE || code === status.DEADLINE_EXCEEDED) && metadata.get(ERROR_KIND).length === 0;

interface StreamEventMap {
  data: [Buffer];
  drain: [];
  /** How it ended, before the messages that have come are all read. */
  status: [StatusObject];
  /** It did not end well; `end` follows. */
  error: [StatusObject];
  /** All that came was read. */
  end: [];
}

/** A call with messages as bytes, both ways. It always ends with `end`; of one that failed `error` says so before. */
export class ServiceStream extends EventEmitter<StreamEventMap> implements Expiring, AttemptEvents {
  readonly deadline: number;
  readonly #pool: ReplicaPool;
  readonly #deadlines: Deadlines;
  readonly #path: string;
  readonly #headers: CallHeaders;
  #on: PooledConnection;
  #attempt: Attempt | undefined;
  #stopWaiting: (() => void) | undefined;
  #refusals = 0;
  /** All that was sent, unless it is too much or was answered. */
  #kept: Buffer[] | undefined = [];
  #keptBytes = 0;
  #hasAllRequests = false;
  #isPaused = false;
  #hasStatus = false;
  #isOver = false;

  constructor(
    pool: ReplicaPool,
    deadlines: Deadlines,
    on: PooledConnection,
    deadline: number,
    path: string,
    headers: CallHeaders,
  ) {
    super();
    this.deadline = deadline;
    this.#pool = pool;
    this.#deadlines = deadlines;
    this.#path = path;
    this.#headers = headers;
    this.#on = on;
    this.#attempt = new Attempt(on.connection, path, headers, deadline, this);
    // Behind it: what could not begin does not end either.
    deadlines.add(this);
  }

  /** Whether there is room for more; otherwise `drain` tells when there is, unless the stream ends before: then nobody waits for more. */
  write(message: Buffer): boolean {
    if (this.#isOver) return true;
    if (message.length > MAX_MESSAGE_BYTES) {
      this.#giveUp(ownStatus(status.RESOURCE_EXHAUSTED, 'Attempted to send a message that is too large'));
      return true;
    }
    this.#keep(message);
    return this.#attempt ? this.#attempt.send(message) : this.#keptBytes < MAX_KEPT_BYTES;
  }

  /** There are no further requests. */
  end(): void {
    this.#hasAllRequests = true;
    this.#attempt?.endRequests();
  }

  cancel(): void {
    this.#giveUp(ownStatus(status.CANCELLED, 'Cancelled on client'));
  }

  expire(): void {
    this.#giveUp(ownStatus(status.DEADLINE_EXCEEDED, 'Deadline exceeded'));
  }

  /** Reads no further messages; those that came together with the last one follow all the same. */
  pause(): void {
    this.#isPaused = true;
    this.#attempt?.pause();
  }

  resume(): void {
    this.#isPaused = false;
    this.#attempt?.resume();
  }

  /** To be told by the attempt. */
  message(bytes: Buffer): void {
    this.#kept = undefined;
    this.emit('data', bytes);
  }

  /** To be told by the attempt. */
  drained(): void {
    this.emit('drain');
  }

  /** To be told by the attempt. */
  ended(ending: StatusObject): void {
    this.#hasStatus = true;
    this.emit('status', ending);
  }

  /** To be told by the attempt. */
  over(ending: StatusObject, hasReached: boolean): void {
    this.#attempt = undefined;
    if (ending.code !== status.CANCELLED)
      this.#on.settled(hasReached && ending.code === status.UNAVAILABLE && isFaultOfReplica(ending));
    if (hasReached || !this.#kept || this.#refusals === MAX_REFUSALS) {
      this.#end(ending);
      return;
    }
    this.#refusals += 1;
    this.#stopWaiting = this.#pool.find(
      this.deadline,
      (found) => {
        this.#stopWaiting = undefined;
        if (this.#isOver) return;
        if (found instanceof DomainError) this.#end(ending);
        else this.#beginAgain(found);
      },
      this.#on,
    );
  }

  #beginAgain(on: PooledConnection): void {
    this.#on = on;
    const attempt = new Attempt(on.connection, this.#path, this.#headers, this.deadline, this);
    this.#attempt = attempt;
    if (this.#isPaused) attempt.pause();
    let hasRoom = true;
    for (const message of this.#kept ?? []) hasRoom = attempt.send(message);
    if (this.#keptBytes > MAX_KEPT_BYTES) this.#kept = undefined;
    if (this.#hasAllRequests) attempt.endRequests();
    else if (hasRoom) this.emit('drain');
  }

  #keep(message: Buffer): void {
    if (!this.#kept) return;
    this.#keptBytes += message.length;
    // While there is no connection, all of it is still to be sent.
    if (this.#keptBytes > MAX_KEPT_BYTES && this.#attempt) this.#kept = undefined;
    else this.#kept.push(message);
  }

  #giveUp(reason: StatusObject): void {
    if (this.#isOver) return;
    // It ends by this as well.
    if (this.#attempt) {
      this.#attempt.abandon(reason);
      return;
    }
    this.#stopWaiting?.();
    this.#stopWaiting = undefined;
    process.nextTick(() => this.#end(reason));
  }

  #end(ending: StatusObject): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#kept = undefined;
    this.#deadlines.delete(this);
    if (!this.#hasStatus) this.emit('status', ending);
    // Whoever does not listen for it hears of it by `end` all the same, and the process lives.
    if (ending.code !== status.OK && this.listenerCount('error') > 0) this.emit('error', ending);
    this.emit('end');
  }
}
