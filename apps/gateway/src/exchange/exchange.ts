import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Caller } from '@platform/auth';
import type { Target } from '../transcode/target.ts';

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
  /** Stops what is still being done for this request; called when the client goes away unanswered. */
  cancel: (() => void) | undefined;

  constructor(request: IncomingMessage, response: ServerResponse, target: Target) {
    this.request = request;
    this.response = response;
    this.target = target;
  }

  /** Whether there is still somebody to answer, and no answer yet. */
  get open(): boolean {
    return !this.response.writableEnded && !this.response.destroyed;
  }
}
