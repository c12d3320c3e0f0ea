import { connect, type ClientHttp2Session } from 'node:http2';
import { connect as connectPlainly, isIP, type Socket } from 'node:net';
import { connect as connectSecurely, type PeerCertificate, type SecureContext } from 'node:tls';
import type { Endpoint } from '../replicas.ts';

/** What may be on its way of one stream, in bytes, before it is read here. */
const STREAM_WINDOW = 256 * 1024;
/** The same of all streams together; it never holds one back for another, as it is given back as soon as bytes are here. */
const CONNECTION_WINDOW = 1024 * 1024;

/** An attempt at a connection is given up after this, so that the next one may find a way. */
const ATTEMPT_LIMIT_MS = 5_000;

/**
 * How often the other side is asked whether it is there: while it has calls, and at rest, where asking wakes both sides; the first
 * call after a rest asks at once. It has `ANSWER_MS` to answer, which a process keeps that loads what it uses for the first time on a busy
 * machine; so a connection that died without a word is lost within 6 s. Where there are several replicas it is left long before.
 */
const ASK_MS = 500;
const ASK_AT_REST_MS = 30_000;
const ANSWER_MS = 5_000;
/** A timer that rings later than this says that the process stood still, and has not read what came meanwhile. */
const LATE_MS = 100;
const READING_MS = 300;

/** Streams have numbers, of which a connection has 2^31: it makes place for another one before they are used up. */
const LAST_STREAM_ID = 2 ** 30;

export interface Security {
  readonly context: SecureContext;
  readonly checkIdentity: (host: string, certificate: PeerCertificate) => Error | undefined;
}

export interface ConnectionOptions {
  /** Absent for plain connections. */
  readonly security: Security | undefined;
}

export interface ConnectionEvents {
  /** It takes calls. */
  ready(connection: Connection): void;
  /** It takes no calls any more; those that are on their way may still end well. `reason` where there is a fault. */
  left(connection: Connection, reason: Error | undefined): void;
}

/** One connection of HTTP/2 to a replica, from the attempt at it until the last of its calls is over. */
export class Connection {
  readonly authority: string;
  readonly scheme: 'http' | 'https';
  readonly session: ClientHttp2Session;
  /** It broke off: whatever was on its way has no answer. */
  isLost = false;
  /** The last stream that the other side has looked at; those after it reached nobody. */
  lastStreamTaken: number | undefined;
  /** Calls that are on their way. */
  outstanding = 0;
  /** Grows whenever something of a call arrives. */
  heard = 0;

  readonly #socket: Socket;
  readonly #events: ConnectionEvents;
  #hasLeft = false;
  #isReady = false;
  #isAtRest = false;
  #timer: NodeJS.Timeout;

  constructor({ host, port, name = host }: Endpoint, { security }: ConnectionOptions, events: ConnectionEvents) {
    this.#events = events;
    this.scheme = security ? 'https' : 'http';
    this.authority = `${name.includes(':') ? `[${name}]` : name}:${port}`;
    this.#socket = security ? secureSocket({ host, port, name }, security) : connectPlainly({ host, port });
    // Before the session is told, so that whatever it does to its streams is known to be for this.
    this.#socket.on('close', () => this.#lose(new Error('The connection was closed.')));
    this.session = connect(`${this.scheme}://${this.authority}`, {
      createConnection: () => this.#socket,
      settings: { enablePush: false, initialWindowSize: STREAM_WINDOW },
      maxSendHeaderBlockLength: Number.MAX_SAFE_INTEGER,
      // What streams take is bounded by their windows; Node would refuse streams at 10 MB of all of them.
      maxSessionMemory: Number.MAX_SAFE_INTEGER,
    });
    this.session.on('error', (error: Error) => this.#lose(error));
    this.session.on('close', () => this.#lose(new Error('The session was closed.')));
    this.session.on('goaway', (code: number, lastStream: number) => {
      this.lastStreamTaken = lastStream;
      if (code !== 0) this.isLost = true;
      this.#leave(undefined);
    });
    this.session.once('remoteSettings', () => {
      if (this.#hasLeft) return;
      this.#isReady = true;
      this.session.setLocalWindowSize(CONNECTION_WINDOW);
      this.#keepAlive();
      events.ready(this);
    });
    this.#timer = setTimeout(() => this.#lose(new Error('There was no connection in time.')), ATTEMPT_LIMIT_MS).unref();
  }

  /** Whether it broke off, also where nobody was told yet: a session ends its streams before it says that it has ended itself. */
  get isBroken(): boolean {
    return this.isLost || this.session.destroyed || this.#socket.destroyed;
  }

  /** Whether calls may be begun on it. */
  get isOpen(): boolean {
    return this.#isReady && !this.#hasLeft && !this.session.closed && !this.session.destroyed;
  }

  /** Says how soon the other side answers, or why it does not. */
  ping(done: (error: Error | null) => void): void {
    let isSent: boolean;
    try {
      isSent = this.session.ping(done);
    } catch (error) {
      done(error as Error);
      return;
    }
    if (!isSent) done(new Error('There are too many pings without an answer.'));
  }

  /** Begins no calls any more, and ends when those on their way have. */
  retire(): void {
    this.#leave(undefined);
    this.session.close();
  }

  /** To be told of each stream that is begun. */
  hasBegun(streamId: number | undefined): void {
    if (this.#isAtRest) this.#ask();
    if (streamId !== undefined && streamId > LAST_STREAM_ID) this.retire();
  }

  /** Ends at once. */
  destroy(): void {
    this.#lose(new Error('The channel was closed.'));
  }

  #keepAlive(): void {
    clearTimeout(this.#timer);
    this.#isAtRest = false;
    this.#timer = setTimeout(() => {
      if (this.outstanding > 0) this.#ask();
      else {
        this.#isAtRest = true;
        this.#timer = setTimeout(() => this.#ask(), ASK_AT_REST_MS).unref();
      }
    }, ASK_MS).unref();
  }

  #ask(): void {
    clearTimeout(this.#timer);
    this.#isAtRest = false;
    // Node neither sends nor hears pings on a session that takes no streams any more; its calls end by themselves or by their deadlines.
    if (this.session.closed) return;
    let isAnswered = false;
    const lostIn = (ms: number): void => {
      const due = performance.now() + ms;
      this.#timer = setTimeout(() => {
        if (isAnswered || this.session.closed) return;
        if (performance.now() - due > LATE_MS) lostIn(READING_MS);
        else this.#lose(new Error('The other side is silent.'));
      }, ms).unref();
    };
    lostIn(ANSWER_MS);
    this.ping((error) => {
      isAnswered = true;
      if (error) this.#lose(error);
      else if (!this.isLost) this.#keepAlive();
    });
  }

  #leave(reason: Error | undefined): void {
    if (this.#hasLeft) return;
    this.#hasLeft = true;
    this.#events.left(this, reason);
  }

  #lose(reason: Error): void {
    clearTimeout(this.#timer);
    this.isLost = true;
    this.session.destroy();
    this.#socket.destroy();
    this.#leave(reason);
  }
}

function secureSocket({ host, port, name }: Required<Endpoint>, { context, checkIdentity }: Security): Socket {
  const socket = connectSecurely({
    host,
    port,
    secureContext: context,
    ALPNProtocols: ['h2'],
    // An address is no name that a server could be asked for; it is checked all the same.
    servername: isIP(name) === 0 ? name : '',
    checkServerIdentity: (_asked, certificate) => checkIdentity(name, certificate),
  });
  socket.once('secureConnect', () => {
    if (socket.alpnProtocol !== 'h2') socket.destroy(new Error('The other side does not speak HTTP/2.'));
  });
  return socket;
}
