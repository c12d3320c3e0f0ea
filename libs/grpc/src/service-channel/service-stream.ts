import { status, type StatusObject } from '@grpc/grpc-js';
import { DomainError } from '@platform-backend/core';
import { EventEmitter } from 'node:events';
import { MAX_MESSAGE_BYTES } from '../message-size.ts';
import { Attempt, type AttemptEvents, type CallHeaders, type SentMessage } from './attempt.ts';
import { isFaultOfReplica, MAX_REFUSALS, ownStatus } from './call-status.ts';
import type { Deadlines, Expiring } from './deadlines.ts';
import type { PooledConnection, ReplicaPool } from './replica-pool.ts';

/** So many bytes of a stream's requests are kept until its first answer, so that it may be begun again if they reached nobody. */
const MAX_KEPT_BYTES = 64 * 1024;

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
  #kept: SentMessage[] | undefined = [];
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

  /**
   * Whether there is room for more; otherwise `drain` tells when there is, unless the stream ends before: then nobody waits for more.
   * `content` ends the message without being copied: nobody may change it afterwards.
   */
  write(message: Buffer, content?: Buffer): boolean {
    if (this.#isOver) return true;
    const length = message.length + (content?.length ?? 0);
    if (length > MAX_MESSAGE_BYTES) {
      this.#giveUp(ownStatus(status.RESOURCE_EXHAUSTED, 'Attempted to send a message that is too large'));
      return true;
    }
    const sent = { message, content };
    this.#keep(sent, length);
    return this.#attempt ? this.#attempt.send(sent) : this.#keptBytes < MAX_KEPT_BYTES;
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

  #keep(sent: SentMessage, length: number): void {
    if (!this.#kept) return;
    this.#keptBytes += length;
    // While there is no connection, all of it is still to be sent.
    if (this.#keptBytes > MAX_KEPT_BYTES && this.#attempt) this.#kept = undefined;
    else this.#kept.push(sent);
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
