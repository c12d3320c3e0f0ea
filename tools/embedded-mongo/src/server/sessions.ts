import { Binary } from 'bson';
import { decode, encode } from '../bson/codec.ts';
import { toInteger } from '../bson/numbers.ts';
import { isDocument, isNumeric, type Document } from '../bson/values.ts';
import { noSuchTransaction, ServerError, writeConflict } from '../errors.ts';
import type { OpenTransaction, Storage } from '../storage/storage.ts';
import type { View } from '../storage/view.ts';

/** How long a transaction waits for the one before it. */
const TIMEOUT_MS = 5_000;
/** How long a transaction may keep others waiting while nothing is asked of it. */
const IDLE_MS = 5_000;
const LIFE_MS = 60_000;
/** As in MongoDB: a write that is repeated later than this may be a new one. */
const REMEMBER_MS = 30 * 60_000;

/** Which session and which of its transactions or writes a command is about. */
export interface SessionNumber {
  readonly session: string;
  readonly number: bigint;
}

export function sessionOf(command: Document): string | undefined {
  const lsid = command.get('lsid');
  const id = isDocument(lsid) ? lsid.get('id') : undefined;
  return id instanceof Binary ? id.toString('hex') : undefined;
}

export function numberOf(command: Document): SessionNumber | undefined {
  const session = sessionOf(command);
  const number = command.get('txnNumber');
  const whole = number !== undefined && isNumeric(number) ? toInteger(number) : undefined;
  if (whole === undefined) return undefined;
  if (session === undefined) throw new ServerError(72, 'Transaction number requires a session ID to also be specified');
  return { session, number: whole };
}

interface Transaction {
  readonly number: bigint;
  readonly connectionId: number;
  readonly open: OpenTransaction;
  readonly startedAt: number;
  usedAt: number;
  running: boolean;
}

/** Transactions that are under way, and what writes with a number have answered. */
export class Sessions {
  readonly #storage: Storage;
  readonly #open = new Map<string, Transaction>();
  readonly #ended: (session: string) => void;

  /** `ended` is called with the owner of cursors that end with their transaction. */
  constructor(storage: Storage, ended: (owner: string) => void) {
    this.#storage = storage;
    this.#ended = ended;
  }

  /** Runs a command of a transaction. Whatever fails ends it, also where only some of its writes did. */
  async inTransaction<T>(
    { session, number }: SessionNumber,
    starts: boolean,
    connectionId: number,
    run: (view: View) => Promise<T>,
    hasFailed: (result: T) => boolean,
  ): Promise<T> {
    const transaction = starts ? await this.#start(session, number, connectionId) : this.#find(session, number);
    if (transaction.running) throw new ServerError(117, 'another command of the same transaction is running');
    transaction.running = true;
    try {
      const result = await run(transaction.open.view);
      if (hasFailed(result)) this.#rollback(session, transaction);
      return result;
    } catch (error) {
      this.#rollback(session, transaction);
      throw error;
    } finally {
      transaction.running = false;
      transaction.usedAt = Date.now();
    }
  }

  async #start(session: string, number: bigint, connectionId: number): Promise<Transaction> {
    const present = this.#open.get(session);
    if (present && present.number >= number)
      throw new ServerError(225, `Cannot start transaction ${number} on a session with transaction ${present.number}`);
    if (present) this.#rollback(session, present);
    const known = this.#remembered(this.#storage.committed, session);
    if (known && known.number >= number) throw tooOld(number, known.number);
    const limit = new AbortController();
    const timer = setTimeout(() => {
      limit.abort(writeConflict());
    }, TIMEOUT_MS);
    try {
      const open = await this.#storage.begin(limit.signal);
      const now = Date.now();
      const transaction: Transaction = { number, connectionId, open, startedAt: now, usedAt: now, running: false };
      this.#open.set(session, transaction);
      return transaction;
    } finally {
      clearTimeout(timer);
    }
  }

  #find(session: string, number: bigint): Transaction {
    const transaction = this.#open.get(session);
    if (transaction?.number === number) return transaction;
    throw noSuchTransaction(number);
  }

  async commit({ session, number }: SessionNumber): Promise<void> {
    const transaction = this.#open.get(session);
    if (transaction?.number !== number) {
      const known = this.#remembered(this.#storage.committed, session);
      if (known?.number === number) return;
      throw noSuchTransaction(number);
    }
    this.#open.delete(session);
    this.#remember(transaction.open.view, { session, number }, new Map());
    await transaction.open.commit();
    this.#ended(session);
  }

  abort({ session, number }: SessionNumber): void {
    const transaction = this.#open.get(session);
    if (transaction?.number === number) {
      this.#rollback(session, transaction);
      return;
    }
    if (this.#remembered(this.#storage.committed, session)?.number === number)
      throw new ServerError(256, `Transaction ${number} has been committed.`);
    throw noSuchTransaction(number);
  }

  #rollback(session: string, transaction: Transaction): void {
    if (this.#open.get(session) !== transaction) return;
    this.#open.delete(session);
    transaction.open.rollback();
    this.#ended(session);
  }

  /** Of a client that is gone. */
  abortOfConnection(connectionId: number): void {
    for (const [session, transaction] of [...this.#open])
      if (transaction.connectionId === connectionId && !transaction.running) this.#rollback(session, transaction);
  }

  abortOfSession(session: string): void {
    const transaction = this.#open.get(session);
    if (transaction && !transaction.running) this.#rollback(session, transaction);
  }

  abortAll(): void {
    for (const [session, transaction] of [...this.#open]) this.#rollback(session, transaction);
  }

  /** Ends those that keep others waiting, or have lived too long. */
  abortExpired(): void {
    const now = Date.now();
    for (const [session, transaction] of [...this.#open]) {
      if (transaction.running) continue;
      const isIdle = now - transaction.usedAt > IDLE_MS && this.#storage.isWanted;
      if (isIdle || now - transaction.startedAt > LIFE_MS) this.#rollback(session, transaction);
    }
  }

  /** Does a write once, however often it is sent: what it answered is kept with what it wrote. */
  async once(view: View, given: SessionNumber, run: () => Promise<Document>): Promise<Document> {
    const known = this.#remembered(view, given.session);
    if (known?.number === given.number) return known.reply;
    if (known && known.number > given.number) throw tooOld(given.number, known.number);
    const reply = await run();
    this.#remember(view, given, reply);
    return reply;
  }

  #remembered(view: View, session: string): { number: bigint; reply: Document } | undefined {
    const row = view.statement('SELECT number, reply FROM retryable_writes WHERE session = ?').get(session);
    if (!row) return undefined;
    return { number: BigInt(row['number'] as string), reply: decode(Buffer.from(row['reply'] as Uint8Array)) };
  }

  #remember(view: View, { session, number }: SessionNumber, reply: Document): void {
    view
      .statement('INSERT OR REPLACE INTO retryable_writes (session, number, reply, written_at) VALUES (?, ?, ?, ?)')
      .run(session, String(number), encode(reply), Date.now());
  }

  forgetOld(): Promise<void> {
    return this.#storage.write((view) => {
      view.statement('DELETE FROM retryable_writes WHERE written_at < ?').run(Date.now() - REMEMBER_MS);
    });
  }
}

const tooOld = (number: bigint, last: bigint): ServerError =>
  new ServerError(225, `Cannot run a command with transaction number ${number}: the session has come to ${last}`);
