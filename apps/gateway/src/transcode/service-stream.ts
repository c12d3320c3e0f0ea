import type { ServiceStream } from '@platform-backend/grpc';
import type { Writable } from 'node:stream';
import type { OpenStream } from './open-streams.ts';

/** What becomes of the messages that a service streams. */
export interface Sink {
  message(bytes: Buffer): void;
  /** The service has said everything, and all went well. */
  end(): void;
}

/** Ends a stream of requests as a whole one, which says so by an empty message; see `servedCall` in libs/grpc. */
export function endRequests(call: ServiceStream): void {
  call.write(Buffer.alloc(0));
  call.end();
}

/** Holds the service back while there is no room where its messages go; those that have come already follow all the same. */
export function backpressure(call: ServiceStream, open: OpenStream): (full: Writable) => void {
  let isHeldBack = false;
  return (full) => {
    if (isHeldBack) return;
    isHeldBack = true;
    call.pause();
    full.once('drain', () => {
      isHeldBack = false;
      open.moved();
      call.resume();
    });
  };
}
