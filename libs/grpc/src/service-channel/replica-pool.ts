import { DomainError, unavailable } from '@platform-backend/core';
import { promises as dns } from 'node:dns';
import type { Endpoint, ReplicaAddresses } from '../replicas.ts';
import { Connection, type Security } from './connection.ts';
import type { Deadlines, Expiring } from './deadlines.ts';

/** Between attempts at a connection: sooner than a call gives up waiting for one. It doubles up to the second. */
const FIRST_BACKOFF_MS = 100;
const MAX_BACKOFF_MS = 500;

/** How often a name is looked up again: while all is well, and when a connection was lost. */
const LOOK_UP_MS = 5_000;
const LOOK_UP_AT_ONCE_MS = 1_000;

/** How often it is looked whether replicas that have calls say anything, and how long they have to answer when asked. */
const WATCH_MS = 200;
const ANSWER_MS = 400;

/** So many failures one after the other, of a kind that tells of the replica and not of the call, and it is left alone. */
const FAILURES = 5;
const LEFT_ALONE_MS = 1_000;
const MAX_LEFT_ALONE_MS = 10_000;

export interface PoolOptions {
  readonly addresses: ReplicaAddresses;
  readonly security: Security | undefined;
  /** How long a call waits for a connection, in milliseconds. */
  readonly connectLimitMs: number;
  readonly deadlines: Deadlines;
}

/** Told of a connection, or why there is none. */
type Found = (found: PooledConnection | DomainError) => void;

/** A connection that a call may be begun on. */
export interface PooledConnection {
  readonly connection: Connection;
  /** To be told how a call on it ended. */
  settled(isFault: boolean): void;
}

/**
 * Connections to the replicas of one service. Nothing is opened before the first call; from then on every replica is
 * connected, or tried again. A call goes where the fewest are on their way; a replica that is silent while others answer, or
 * fails one call after the other, gets none as long as there is another.
 */
export class ReplicaPool {
  readonly #options: PoolOptions;
  #replicas: Replica[] = [];
  /** Those that are no replicas any more, while they have calls. */
  readonly #gone = new Set<Replica>();
  #turn = 0;
  readonly #waiting = new Set<Waiting>();
  #isStarted = false;
  #isClosed = false;
  #watch: NodeJS.Timeout | undefined;
  #lookUp: NodeJS.Timeout | undefined;
  #lookedUpAt = -Infinity;

  constructor(options: PoolOptions) {
    this.#options = options;
  }

  /** The connection for the next call, unless there is none at this moment; another one than `tried`, where there is one. */
  pick(tried?: PooledConnection): PooledConnection | undefined {
    const replicas = this.#replicas;
    const { length } = replicas;
    // Nearly always: one replica, and it is well.
    if (length === 1) return replicas[0]?.isOpen === true ? replicas[0] : undefined;
    this.#watchOver();
    this.#turn = (this.#turn + 1) % Math.max(length, 1);
    let best: Replica | undefined;
    let bestBurden = Infinity;
    const now = performance.now();
    for (let n = 0; n < length; n++) {
      const replica = replicas[(this.#turn + n) % length];
      if (!replica?.isOpen) continue;
      // Whoever is silent or fails comes after all others, and whoever has just refused this call last of all.
      const burden = replica.outstanding + (replica.isDoubtful(now) ? 1e9 : 0) + (replica === tried ? 1e12 : 0);
      if (burden < bestBurden) [best, bestBurden] = [replica, burden];
    }
    return best;
  }

  /**
   * Finds a connection as soon as there is one: at most the limit for connections, and the call's deadline. Where there is only
   * one replica and it is down, nobody knows when it will be back, and the answer is no at once.
   */
  find(deadline: number, found: Found, tried?: PooledConnection): () => void {
    this.#start();
    const now = this.pick(tried);
    if (now) {
      found(now);
      return ignore;
    }
    const refusal = this.#refusal();
    if (refusal) {
      found(refusal);
      return ignore;
    }
    const { connectLimitMs, deadlines } = this.#options;
    const waiting: Waiting = {
      deadline: Math.min(Date.now() + connectLimitMs, deadline),
      expire: () => {
        this.#waiting.delete(waiting);
        found(unavailable(new Error('There was no connection in time.', { cause: this.#lastFault() })));
      },
      found,
    };
    this.#waiting.add(waiting);
    deadlines.add(waiting);
    return () => {
      this.#waiting.delete(waiting);
      deadlines.delete(waiting);
    };
  }

  close(): void {
    this.#isClosed = true;
    clearInterval(this.#watch);
    clearTimeout(this.#lookUp);
    for (const replica of [...this.#replicas, ...this.#gone]) replica.close();
    this.#replicas = [];
    this.#tell();
  }

  #start(): void {
    if (this.#isStarted || this.#isClosed) return;
    this.#isStarted = true;
    const { listed, named } = this.#options.addresses;
    this.#replicas = listed.map((endpoint) => this.#replica(endpoint));
    if (named) this.#look(named);
  }

  #replica(endpoint: Endpoint): Replica {
    return new Replica(endpoint, this.#options, {
      changed: () => this.#tell(),
      lost: () => {
        const { named } = this.#options.addresses;
        if (named && performance.now() - this.#lookedUpAt >= LOOK_UP_AT_ONCE_MS) this.#look(named);
      },
    });
  }

  /** Those who wait are told what they wait for, or that it is in vain. */
  #tell(): void {
    if (this.#waiting.size === 0) return;
    const refusal = this.#refusal();
    for (const waiting of [...this.#waiting]) {
      const found = this.pick() ?? refusal;
      if (!found) return;
      this.#waiting.delete(waiting);
      this.#options.deadlines.delete(waiting);
      waiting.found(found);
    }
  }

  #refusal(): DomainError | undefined {
    if (this.#isClosed) return unavailable(new Error('The channel is closed.'));
    if (this.#options.addresses.several || !this.#replicas.every(({ isDown }) => isDown)) return undefined;
    return unavailable(this.#lastFault());
  }

  #lastFault(): Error | undefined {
    return this.#replicas.find(({ fault }) => fault)?.fault;
  }

  /** While there are calls; one replica alone is left for no other, and need not be watched over. */
  #watchOver(): void {
    this.#watch ??= setInterval(() => {
      for (const replica of this.#replicas) replica.watchOver();
      if (this.#replicas.some(({ outstanding }) => outstanding > 0)) return;
      clearInterval(this.#watch);
      this.#watch = undefined;
    }, WATCH_MS).unref();
  }

  #look({ host, port }: Endpoint): void {
    this.#lookedUpAt = performance.now();
    clearTimeout(this.#lookUp);
    dns
      .lookup(host, { all: true })
      .then(
        (known) => this.#follow(known.map(({ address }) => ({ host: address, port, name: host }))),
        // Those that are known stay; a name server that is down takes nobody away.
        () => undefined,
      )
      .finally(() => {
        if (this.#isClosed) return;
        const wait = this.#replicas.some(({ isOpen }) => isOpen) ? LOOK_UP_MS : LOOK_UP_AT_ONCE_MS;
        clearTimeout(this.#lookUp);
        this.#lookUp = setTimeout(() => this.#look({ host, port }), wait).unref();
      });
  }

  #follow(found: readonly Endpoint[]): void {
    if (this.#isClosed) return;
    const endpoints = new Map(found.map((endpoint) => [endpoint.host, endpoint]));
    const known = new Map(this.#replicas.map((replica) => [replica.endpoint.host, replica]));
    for (const [host, replica] of known) {
      if (endpoints.has(host)) continue;
      this.#gone.add(replica);
      replica.retire(() => this.#gone.delete(replica));
    }
    this.#replicas = [...endpoints].map(([host, endpoint]) => known.get(host) ?? this.#replica(endpoint));
  }
}

interface Waiting extends Expiring {
  readonly found: Found;
}

interface ReplicaEvents {
  /** A connection may be there now, or is known not to be. */
  changed(): void;
  lost(): void;
}

/** One replica, and the connection to it. */
class Replica implements PooledConnection {
  readonly endpoint: Endpoint;
  /** Why there was no connection the last time. */
  fault: Error | undefined;
  readonly #options: PoolOptions;
  readonly #events: ReplicaEvents;
  #connection: Connection;
  /** Those that take no calls any more, and have some. */
  readonly #leaving = new Set<Connection>();
  #backoffMs = FIRST_BACKOFF_MS;
  #retry: NodeJS.Timeout | undefined;
  #isClosed = false;

  #heard = 0;
  /** It was asked for a sign of life, and has not given any. */
  #askedAt: number | undefined;
  #failures = 0;
  #leftAloneMs = LEFT_ALONE_MS;
  #leftAloneUntil = -Infinity;

  constructor(endpoint: Endpoint, options: PoolOptions, events: ReplicaEvents) {
    this.endpoint = endpoint;
    this.#options = options;
    this.#events = events;
    this.#connection = this.#connect();
  }

  get connection(): Connection {
    return this.#connection;
  }

  get isOpen(): boolean {
    return this.#connection.isOpen;
  }

  /** It could not be connected, and is tried again in a while. */
  get isDown(): boolean {
    return this.#retry !== undefined;
  }

  get outstanding(): number {
    return this.#connection.outstanding;
  }

  isDoubtful(now: number): boolean {
    return (this.#askedAt !== undefined && now - this.#askedAt > ANSWER_MS) || now < this.#leftAloneUntil;
  }

  settled(isFault: boolean): void {
    if (!isFault) {
      this.#failures = 0;
      this.#leftAloneMs = LEFT_ALONE_MS;
      return;
    }
    this.#failures += 1;
    if (this.#failures < FAILURES) return;
    this.#failures = 0;
    this.#leftAloneUntil = performance.now() + this.#leftAloneMs;
    this.#leftAloneMs = Math.min(2 * this.#leftAloneMs, MAX_LEFT_ALONE_MS);
  }

  /** Asks for a sign of life where calls wait and nothing has come since the last look. */
  watchOver(): void {
    const connection = this.#connection;
    const isSilent = connection.heard === this.#heard;
    this.#heard = connection.heard;
    if (!isSilent || connection.outstanding === 0 || !connection.isOpen || this.#askedAt !== undefined) return;
    this.#askedAt = performance.now();
    connection.ping(() => {
      if (connection === this.#connection) this.#askedAt = undefined;
    });
  }

  /** It is no replica any more; its calls may end, and with them its connection. */
  retire(closed: () => void): void {
    this.#isClosed = true;
    clearTimeout(this.#retry);
    const { session } = this.#connection;
    if (session.destroyed) closed();
    else session.once('close', closed);
    this.#connection.retire();
  }

  close(): void {
    this.#isClosed = true;
    clearTimeout(this.#retry);
    for (const connection of [this.#connection, ...this.#leaving]) connection.destroy();
  }

  #connect(): Connection {
    this.#retry = undefined;
    this.#askedAt = undefined;
    let readyAt = Infinity;
    return new Connection(this.endpoint, this.#options, {
      ready: () => {
        readyAt = performance.now();
        this.fault = undefined;
        this.#events.changed();
      },
      left: (connection, reason) => {
        if (!connection.session.destroyed) {
          this.#leaving.add(connection);
          connection.session.once('close', () => this.#leaving.delete(connection));
        }
        if (this.#isClosed) return;
        if (performance.now() - readyAt > MAX_BACKOFF_MS) {
          // A replica that restarts is back in a moment, and one that says goodbye still takes connections or refuses them.
          this.#backoffMs = FIRST_BACKOFF_MS;
          this.#connection = this.#connect();
          this.#events.lost();
        } else {
          this.fault = reason ?? new Error('The other side takes no calls.');
          this.#retry = setTimeout(() => (this.#connection = this.#connect()), this.#backoffMs).unref();
          this.#backoffMs = Math.min(2 * this.#backoffMs, MAX_BACKOFF_MS);
          this.#events.lost();
          this.#events.changed();
        }
      },
    });
  }
}

const ignore = (): void => undefined;
