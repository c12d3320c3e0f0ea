import type { Caller } from '@platform-backend/auth';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import type { Target } from '../transcode/target.ts';
import type { Problem } from './problem.ts';

export interface Upgrade {
  readonly socket: Duplex;
  /** What came behind the request. */
  readonly head: Buffer;
  /** The client got what it wanted. */
  isDone: boolean;
}

/** One request on its way through the pipeline, its answer, and what the policies have learnt about it. */
export class Exchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  /** What the method and path mean here: an operation, or why there is none. */
  readonly target: Target;
  /** Milliseconds on the monotonic clock. */
  readonly startedAt: number = performance.now();

  requestId = '';
  /** Who is calling; known once the request is authenticated. */
  caller: Caller | undefined;
  /** The signed statement about the caller that the service will verify. */
  assertion = '';
  /** Headers of every answer to this request, flat: name, value, name, value, as writeHead takes them. */
  readonly headers: string[] = [];
  /** The code of the problem it was answered with, for the access log. */
  problemCode: string | undefined;
  /** `traceparent` of the running span, when traces are on. */
  traceParent: string | undefined;
  /** Stops what is still being done for this request; called when the client goes away unanswered, and at the end of a stream. */
  cancel: (() => void) | undefined;
  /** The connection of a client that wants to speak another protocol on it. */
  upgrade: Upgrade | undefined;
  /** Counts it no longer among the calls that are under way, where it is or has become a stream. */
  leaveCalls: (() => void) | undefined;
  /** How long it may take is bounded by `OpenStreams`, and not by what goes for other requests. */
  isStream = false;
  /** Ends an answer that has begun, as well as its form lets it, when something goes wrong. */
  interrupt: ((problem: Problem) => void) | undefined;

  constructor(request: IncomingMessage, response: ServerResponse, target: Target) {
    this.request = request;
    this.response = response;
    this.target = target;
  }

  /** Nothing more can be said to the client, although its answer, or its connection, goes on for a moment. */
  isOver = false;

  /** Whether there is still somebody to answer, and no whole answer yet. */
  get open(): boolean {
    return !this.isOver && !this.response.writableEnded && !this.response.destroyed;
  }
}
