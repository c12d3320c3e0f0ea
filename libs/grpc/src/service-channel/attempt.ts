import { status, type StatusObject } from '@grpc/grpc-js';
import { constants, type ClientHttp2Stream, type IncomingHttpHeaders } from 'node:http2';
import { MAX_MESSAGE_BYTES } from '../message-size.ts';
import { ownStatus, statusOfReset, statusOfTrailers } from './call-status.ts';
import type { Connection } from './connection.ts';
import { framed, MessageReader, UnreadableFrame } from './message-frames.ts';

const { NGHTTP2_CANCEL, NGHTTP2_REFUSED_STREAM, NGHTTP2_FLAG_END_STREAM } = constants;

/** Metadata of a call, flat: name, value, name, value. Names are in lower case. */
export type CallHeaders = readonly string[];

/** A message of a stream; what `content` has ends it, and is sent as it is. */
export interface SentMessage {
  readonly message: Buffer;
  readonly content: Buffer | undefined;
}

export interface AttemptEvents {
  message(bytes: Buffer): void;
  /** The service has said how it ended; messages may follow that came before it. */
  ended?(status: StatusObject): void;
  /** The end of everything. `hasReached`: a handler may have seen the call. */
  over(status: StatusObject, hasReached: boolean): void;
  /** There is room for further requests. Absent for a call with one request and one answer. */
  drained?(): void;
}

/** One call on one connection. */
export class Attempt {
  readonly #connection: Connection;
  readonly #events: AttemptEvents;
  readonly #stream: ClientHttp2Stream;
  readonly #reader = new MessageReader(MAX_MESSAGE_BYTES);
  #messages = 0;
  #httpStatus: number | undefined;
  #status: StatusObject | undefined;
  #isOver = false;
  #fault: (Error & { code?: string }) | undefined;

  constructor(connection: Connection, path: string, headers: CallHeaders, deadline: number, events: AttemptEvents) {
    this.#connection = connection;
    this.#events = events;
    const stream = connection.session.request(
      [
        ':method',
        'POST',
        ':scheme',
        connection.scheme,
        ':authority',
        connection.authority,
        ':path',
        path,
        'te',
        'trailers',
        'content-type',
        'application/grpc',
        'grpc-timeout',
        timeoutOf(deadline),
        ...headers,
      ],
      OPEN,
    );
    connection.outstanding += 1;
    this.#stream = stream;
    stream.on('response', (answered, flags) => {
      this.#connection.heard += 1;
      this.#httpStatus = answered[':status'];
      if ((flags & NGHTTP2_FLAG_END_STREAM) !== 0) this.#said(answered);
    });
    stream.on('trailers', (trailers: IncomingHttpHeaders) => this.#said(trailers));
    stream.on('data', (bytes: Buffer) => this.#receive(bytes));
    stream.on('error', (error: Error) => (this.#fault = error));
    stream.on('close', () => this.#closed());
    if (events.drained) {
      stream.on('drain', () => events.drained?.());
      stream.on('end', () => this.#readAll());
    }
    connection.hasBegun(stream.id);
  }

  /** Sends the only request. */
  sendWhole(message: Buffer): void {
    this.#stream.end(framed(message));
  }

  /** Answers whether there is room for more; otherwise `drained` tells when there is. */
  send({ message, content }: SentMessage): boolean {
    const stream = this.#stream;
    if (stream.writableEnded || stream.destroyed) return true;
    if (!content) return stream.write(framed(message));
    stream.cork();
    stream.write(framed(message, content.length));
    const hasRoom = stream.write(content);
    stream.uncork();
    return hasRoom;
  }

  endRequests(): void {
    if (!this.#stream.writableEnded && !this.#stream.destroyed) this.#stream.end();
  }

  pause(): void {
    // What is over is read to its end, or it would never close.
    if (!this.#isOver) this.#stream.pause();
  }

  resume(): void {
    this.#stream.resume();
  }

  /** Ends it with a status of this side; whoever waits hears of it in a moment, and of nothing else. */
  abandon(reason: StatusObject): void {
    if (this.#isOver) return;
    this.#leave();
    process.nextTick(() => this.#tell(reason, true));
  }

  #said(trailers: IncomingHttpHeaders): void {
    if (this.#status || this.#isOver) return;
    this.#connection.heard += 1;
    this.#status = statusOfTrailers(trailers, this.#httpStatus);
    this.#events.ended?.(this.#status);
    // Nobody is told more of a single call than its one answer, which has come before; otherwise its stream closes soon.
    if (
      !this.#events.drained &&
      (this.#status.code !== status.OK || (this.#messages > 0 && this.#reader.isBetweenMessages))
    ) {
      this.#finish(this.#status, true);
    }
  }

  #receive(bytes: Buffer): void {
    if (this.#isOver) return;
    this.#connection.heard += 1;
    try {
      this.#reader.read(bytes, (message) => {
        this.#messages += 1;
        if (!this.#isOver) this.#events.message(message);
      });
    } catch (error) {
      if (!(error instanceof UnreadableFrame)) throw error;
      this.abandon(this.#statusOfUnreadable(error));
    }
  }

  #statusOfUnreadable({ reason, message }: UnreadableFrame): StatusObject {
    // A page of a proxy, and no frames at all.
    if (this.#httpStatus !== undefined && this.#httpStatus !== 200) return statusOfTrailers({}, this.#httpStatus);
    return ownStatus(reason === 'too_large' ? status.RESOURCE_EXHAUSTED : status.INTERNAL, message);
  }

  /** Everything that came was read; how it ended may have been said just before, or nobody says it. */
  #readAll(): void {
    if (this.#status && !this.#isOver) this.#finish(this.#status, true);
  }

  #closed(): void {
    if (this.#isOver) return;
    if (this.#status) {
      // Nothing comes behind the status: the rest is here, though a server that goes may not wait until it is read.
      for (let rest: Buffer | null; (rest = this.#stream.read() as Buffer | null);) this.#receive(rest);
      this.#readAll();
      return;
    }
    const { rstCode, id } = this.#stream;
    const { isBroken, lastStreamTaken } = this.#connection;
    const hasReached =
      this.#httpStatus !== undefined ||
      !(
        id === undefined ||
        rstCode === NGHTTP2_REFUSED_STREAM ||
        (lastStreamTaken !== undefined && id > lastStreamTaken)
      );
    if (!hasReached) this.#finish(ownStatus(status.UNAVAILABLE, 'The call reached nobody'), false);
    else if (isBroken) this.#finish(ownStatus(status.UNAVAILABLE, 'Connection dropped'), true);
    else if (this.#fault && this.#fault.code !== 'ERR_HTTP2_STREAM_ERROR')
      this.#finish(ownStatus(status.INTERNAL, this.#fault.message), true);
    else this.#finish(statusOfReset(rstCode, this.#httpStatus), true);
  }

  #finish(ending: StatusObject, hasReached: boolean): void {
    this.#leave();
    this.#tell(ending, hasReached);
  }

  #leave(): void {
    this.#isOver = true;
    this.#connection.outstanding -= 1;
    const stream = this.#stream;
    // A call that was given up, or answered before all of its requests were read, which nobody will read now.
    if (!stream.destroyed && !(this.#status && stream.writableFinished)) stream.close(NGHTTP2_CANCEL);
    // A stream that is not read to its end would never close.
    if (stream.isPaused()) stream.resume();
  }

  #tell(ending: StatusObject, hasReached: boolean): void {
    const isCutOff = ending.code === status.OK && !this.#reader.isBetweenMessages;
    this.#events.over(
      isCutOff ? ownStatus(status.INTERNAL, 'The answer ends in the middle of a message') : ending,
      hasReached,
    );
  }
}

/** The request goes on behind its headers. */
const OPEN = { endStream: false } as const;

/** A deadline as `grpc-timeout`, which has room for eight digits; rounded up, so that the other side gives up no earlier. */
function timeoutOf(deadline: number): string {
  const ms = Math.max(Math.ceil(deadline - Date.now()), 0);
  return ms < 1e8 ? `${ms}m` : `${Math.min(Math.ceil(ms / 1000), 99_999_999)}S`;
}
