import type { ClientDuplexStream } from '@grpc/grpc-js';
import type { Writable } from 'node:stream';
import type { OpenStream } from './open-streams.ts';

/** A call with messages as bytes, both ways. It ends when the service has said everything; an `error` comes before that. */
export type ServiceStream = ClientDuplexStream<Buffer, Buffer>;

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
