import { Binary } from 'bson';
import { toDocument, type Document, type Value } from '../bson/values.ts';
import { administration } from '../commands/administration.ts';
import { collections } from '../commands/collections.ts';
import { queries } from '../commands/queries.ts';
import { writes } from '../commands/writes.ts';
import { codeName, failureOfStorage, ServerError } from '../errors.ts';
import type { Storage } from '../storage/storage.ts';
import type { View } from '../storage/view.ts';
import type { Authentication } from './authentication.ts';
import type { Context, Handler, Reply } from './command.ts';
import { Cursors } from './cursors.ts';
import { Fields } from './fields.ts';
import { Pace } from './pace.ts';
import { numberOf, sessionOf, Sessions } from './sessions.ts';

const handlers = new Map<string, Handler>(Object.entries({ ...administration, ...collections, ...queries, ...writes }));

/** Where a command came from. */
export interface Origin {
  readonly address: string;
  readonly connectionId: number;
  /** Ends what was begun for a connection that is gone. */
  readonly signal: AbortSignal;
}

export class Dispatcher {
  readonly #storage: Storage;
  readonly #cursors = new Cursors();
  readonly #sessions: Sessions;
  readonly #authentication: Authentication;

  constructor(storage: Storage, authentication: Authentication) {
    this.#storage = storage;
    this.#authentication = authentication;
    this.#sessions = new Sessions(storage, (owner) => void this.#cursors.killOf(owner));
  }

  /** Never throws: what goes wrong is a reply. */
  async answer(command: Document, origin: Origin): Promise<ReadonlyMap<string, Value | Buffer>> {
    try {
      return await this.#run(command, origin);
    } catch (error) {
      return failure(error);
    }
  }

  async #run(command: Document, origin: Origin): Promise<Document> {
    const [name = ''] = command.keys();
    if (name === 'saslStart') return document(this.#authentication.start(origin.connectionId, command));
    if (name === 'saslContinue') return document(this.#authentication.continue(origin.connectionId, command));
    this.#authentication.require(origin.connectionId, name);
    if (name === 'commitTransaction' || name === 'abortTransaction') return this.#end(name, command);
    const handler = handlers.get(name);
    if (!handler) throw new ServerError(59, `no such command: '${name}'`);
    const database = command.get('$db');
    if (typeof database !== 'string' || !/^[^/\\. "$\0]{1,63}$/.test(database))
      throw new ServerError(73, 'Invalid database name');
    if (name === 'endSessions') await this.#endSessions(command);
    const pace = new Pace(new Fields(command, name).number('maxTimeMS'), origin.signal);
    const context = (view: View, owner: string | undefined): Context => ({
      command,
      name,
      database,
      view,
      pace,
      cursors: this.#cursors,
      storage: this.#storage,
      owner,
      address: origin.address,
      connectionId: origin.connectionId,
      authentication: this.#authentication,
    });
    const session = sessionOf(command);
    const number = numberOf(command);
    if (number && command.get('autocommit') === false) {
      if (!handler.inTransaction) throw new ServerError(263, `Cannot run '${name}' in a multi-document transaction.`);
      const starts = command.get('startTransaction') === true;
      const run = async (view: View): Promise<Document> => document(await handler.run(context(view, number.session)));
      return this.#sessions.inTransaction(number, starts, origin.connectionId, run, (reply) =>
        reply.has('writeErrors'),
      );
    }
    if (!handler.writes) return document(await handler.run(context(this.#storage.committed, session)));
    return this.#storage.write(async (view) => {
      const run = async (): Promise<Document> => document(await handler.run(context(view, session)));
      return number ? this.#sessions.once(view, number, run) : run();
    });
  }

  async #end(name: string, command: Document): Promise<Document> {
    const number = numberOf(command);
    if (!number || command.get('autocommit') !== false)
      throw new ServerError(72, `${name} must be run within a transaction`);
    if (name === 'commitTransaction') await this.#sessions.commit(number);
    else this.#sessions.abort(number);
    return document({});
  }

  async #endSessions(command: Document): Promise<void> {
    for (const session of new Fields(command, 'endSessions').documents('endSessions')) {
      const id = session.get('id');
      if (!(id instanceof Binary)) continue;
      this.#sessions.abortOfSession(id.toString('hex'));
      await this.#cursors.killOf(id.toString('hex'));
    }
  }

  /** The client is gone. */
  disconnected(connectionId: number): void {
    this.#authentication.forget(connectionId);
    this.#sessions.abortOfConnection(connectionId);
  }

  /** From time to time. */
  tidyTransactions(): void {
    this.#sessions.abortExpired();
  }

  async tidy(): Promise<void> {
    await this.#cursors.killIdle();
    await this.#sessions.forgetOld();
  }

  abortAll(): void {
    this.#sessions.abortAll();
  }
}

/** `ok` is a double, as in MongoDB. */
const document = (reply: Reply): Document => toDocument(reply).set('ok', 1);

function failure(error: unknown): Document {
  const known = error instanceof ServerError ? error : failureOfStorage(error);
  if (known !== error) process.stderr.write(`${error instanceof Error ? String(error.stack) : String(error)}\n`);
  const reply = toDocument({
    errmsg: known.message,
    code: known.code,
    codeName: codeName(known.code),
    ...known.details,
    ...(known.labels.length > 0 && { errorLabels: known.labels }),
  });
  return new Map<string, Value>([['ok', 0], ...reply]);
}
