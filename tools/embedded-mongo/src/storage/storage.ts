import { closeSync, fdatasync, mkdirSync, openSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import { createTables, readCatalogue, type Catalogue } from './catalogue.ts';
import { View } from './view.ts';

/** A transaction of several commands. No other write happens until it ends. */
export interface OpenTransaction {
  readonly view: View;
  /** Resolves when it is on disk. */
  commit(): Promise<void>;
  rollback(): void;
}

interface Write {
  run(): Promise<void>;
  settle(error?: Error): void;
}

interface Waiting {
  readonly write?: Write;
  readonly begin?: (transaction: OpenTransaction) => Promise<void>;
  readonly refuse: (error: Error) => void;
}

/** Writes that are committed together, at most. */
const BATCH = 256;

/**
 * Documents and indexes in an SQLite file. There is one connection that writes, one command after the other, and one that
 * reads what is committed. Commands that come together are committed together; their callers hear of it when the
 * write-ahead log is on disk, for which nobody else waits.
 */
export class Storage {
  /** What is committed. */
  readonly committed: View;
  readonly #writer: View;
  readonly #guard: DatabaseSync;
  readonly #log: number;
  readonly #queue: Waiting[] = [];
  #working: Promise<void> | undefined;
  #synced: Promise<void> | undefined;
  #next: Promise<void> | undefined;

  constructor(directory: string) {
    mkdirSync(directory, { recursive: true, mode: 0o700 });
    this.#guard = onlyOne(directory);
    const path = join(directory, 'documents.sqlite');
    const write = new DatabaseSync(path);
    write.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; PRAGMA cache_size = -65536');
    createTables(write);
    // Makes the log, which is flushed by a descriptor of our own: SQLite would hold the loop while the disk is at work.
    write.exec('PRAGMA user_version = 1');
    this.#log = openSync(`${path}-wal`, 'r+');
    const read = new DatabaseSync(path);
    read.exec('PRAGMA query_only = ON; PRAGMA cache_size = -65536');
    const catalogue = readCatalogue(write);
    this.#writer = new View(write, catalogue);
    this.committed = new View(read, catalogue);
  }

  /** Resolves when what `run` has written is on disk. Where `run` throws nothing of it is left. */
  write<T>(run: (view: View) => Promise<T> | T): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      let result: T;
      this.#add({
        refuse: reject,
        write: {
          run: async () => {
            result = await run(this.#writer);
          },
          settle: (error) => {
            if (error === undefined) resolve(result);
            else reject(error);
          },
        },
      });
    });
  }

  /** Waits for its turn; `signal` ends the waiting. */
  begin(signal: AbortSignal): Promise<OpenTransaction> {
    return new Promise((resolve, reject) => {
      const waiting: Waiting = {
        refuse: reject,
        begin: (transaction) => {
          signal.removeEventListener('abort', giveUp);
          const ended = Promise.withResolvers<undefined>();
          resolve({
            view: transaction.view,
            commit: async () => {
              try {
                await transaction.commit();
              } finally {
                ended.resolve(undefined);
              }
            },
            rollback: () => {
              try {
                transaction.rollback();
              } finally {
                ended.resolve(undefined);
              }
            },
          });
          return ended.promise;
        },
      };
      const giveUp = (): void => {
        const at = this.#queue.indexOf(waiting);
        if (at < 0) return;
        this.#queue.splice(at, 1);
        reject(asError(signal.reason));
      };
      signal.addEventListener('abort', giveUp);
      this.#add(waiting);
    });
  }

  /** Whether others wait for what is going on. */
  get isWanted(): boolean {
    return this.#queue.length > 0;
  }

  async close(): Promise<void> {
    await this.#working;
    await this.#next;
    await this.#synced;
    this.committed.close();
    this.#writer.close();
    closeSync(this.#log);
    this.#guard.close();
  }

  #add(waiting: Waiting): void {
    this.#queue.push(waiting);
    this.#working ??= this.#work();
  }

  async #work(): Promise<void> {
    // What comes in the same turn of the loop is committed together.
    await yieldToEventLoop();
    for (let next = this.#queue.shift(); next; next = this.#queue.shift()) {
      try {
        // What could not be rolled back before is still there.
        this.#writer.rollBack();
        this.#writer.execute('BEGIN IMMEDIATE');
      } catch (error) {
        // A full disk, say: the next one may have more luck.
        next.refuse(asError(error));
        continue;
      }
      if (next.begin) await this.#runTransaction(next.begin);
      else if (next.write) await this.#runWrites(next.write);
    }
    this.#working = undefined;
  }

  async #runTransaction(begin: (transaction: OpenTransaction) => Promise<void>): Promise<void> {
    const view = this.#writer;
    const before = view.catalogue;
    await begin({
      view,
      commit: () => {
        this.#commit(before);
        return this.#flush();
      },
      rollback: () => {
        view.catalogue = before;
        try {
          view.rollBack();
        } catch {
          // It is tried again before the next one begins. Nothing of it is committed in between.
        }
      },
    });
  }

  async #runWrites(first: Write): Promise<void> {
    const view = this.#writer;
    const before = view.catalogue;
    const done: Write[] = [];
    for (let write: Write | undefined = first; write; write = done.length < BATCH ? this.#nextWrite() : undefined) {
      const known = view.catalogue;
      view.execute('SAVEPOINT command');
      try {
        await write.run();
        view.execute('RELEASE command');
        done.push(write);
      } catch (error) {
        view.catalogue = known;
        if (!undone(view)) {
          // With a full disk, say, SQLite rolls back everything by itself: what went before in this batch is lost as well.
          view.catalogue = before;
          for (const one of [...done, write]) one.settle(asError(error));
          return;
        }
        write.settle(asError(error));
      }
    }
    try {
      this.#commit(before);
    } catch (error) {
      for (const write of done) write.settle(asError(error));
      return;
    }
    this.#flush().then(
      () => {
        for (const write of done) write.settle();
      },
      (error: unknown) => {
        for (const write of done) write.settle(asError(error));
      },
    );
  }

  #nextWrite(): Write | undefined {
    return this.#queue[0]?.write && this.#queue.shift()?.write;
  }

  #commit(before: Catalogue): void {
    try {
      this.#writer.execute('COMMIT');
    } catch (error) {
      this.#writer.rollBack();
      this.#writer.catalogue = before;
      throw error;
    }
    this.committed.catalogue = this.#writer.catalogue;
  }

  /** One flush at a time; those who come meanwhile share the next one. */
  #flush(): Promise<void> {
    if (!this.#synced) {
      this.#synced = synchronise(this.#log).finally(() => {
        this.#synced = undefined;
      });
      return this.#synced;
    }
    this.#next ??= this.#synced
      .catch(() => undefined)
      .then(() => {
        this.#next = undefined;
        return this.#flush();
      });
    return this.#next;
  }
}

/** Undoes a command alone. False: that is not possible any more. */
function undone(view: View): boolean {
  try {
    view.execute('ROLLBACK TO command');
    view.execute('RELEASE command');
    return true;
  } catch {
    return false;
  }
}

const asError = (error: unknown): Error => (error instanceof Error ? error : new Error(String(error)));

const synchronise = (descriptor: number): Promise<void> =>
  new Promise((resolve, reject) => {
    fdatasync(descriptor, (error) => {
      if (error) reject(error);
      else resolve();
    });
  });

/** A lock that ends with the process, however it ends. */
function onlyOne(directory: string): DatabaseSync {
  const guard = new DatabaseSync(join(directory, 'guard.sqlite'), { timeout: 0 });
  try {
    guard.exec('PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE; COMMIT');
    return guard;
  } catch {
    guard.close();
    throw new Error(`another process uses ${directory}`);
  }
}
