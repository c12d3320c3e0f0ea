import { status, type StatusObject } from '@grpc/grpc-js';
import { DomainError, unavailable } from '@platform-backend/core';
import type { CallDone } from '../channel.ts';
import { errorFromStatus } from '../error-status.ts';
import { MAX_MESSAGE_BYTES } from '../message-size.ts';
import { Attempt, type CallHeaders } from './attempt.ts';
import { isFaultOfReplica, MAX_REFUSALS, ownStatus } from './call-status.ts';
import type { Deadlines, Expiring } from './deadlines.ts';
import type { PooledConnection, ReplicaPool } from './replica-pool.ts';

/** Attempts at an idempotent call: enough for two replicas that are lost one after the other. */
const MAX_ATTEMPTS = 3;

const NOTHING = Buffer.alloc(0);

interface Request {
  readonly path: string;
  readonly message: Buffer;
  readonly headers: CallHeaders;
  readonly deadline: number;
  readonly isIdempotent: boolean;
}

/** A call with one request and one answer, over all attempts at it. */
export class SingleCall implements Expiring {
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
