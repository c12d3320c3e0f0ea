import { randomBytes } from 'node:crypto';
import { ServerError } from '../errors.ts';

/** The batches of a result, each document as its bytes. */
export type Results = AsyncGenerator<Buffer[]>;

interface Cursor {
  readonly id: bigint;
  readonly namespace: string;
  readonly results: Results;
  /** Ended with its session or transaction. */
  readonly owner: string | undefined;
  rest: Buffer[];
  usedAt: number;
}

export interface Batch {
  readonly id: bigint;
  readonly documents: readonly Buffer[];
}

/** Bytes of the documents in one reply. */
const REPLY_BYTES = 15 * 1024 * 1024;
const IDLE_MS = 10 * 60_000;
const MAX_OPEN = 5_000;

/** Results that were not read to their end. */
export class Cursors {
  readonly #open = new Map<bigint, Cursor>();

  async start(
    namespace: string,
    results: Results,
    size: number,
    { owner, single }: { owner: string | undefined; single: boolean },
  ): Promise<Batch> {
    const cursor: Cursor = {
      id: randomBytes(8).readBigInt64LE() & 0x7fffffffffffffffn,
      namespace,
      results,
      owner,
      rest: [],
      usedAt: Date.now(),
    };
    const { documents, ended } = await fill(cursor, size);
    if (ended || single) {
      await results.return(undefined);
      return { id: 0n, documents };
    }
    if (this.#open.size >= MAX_OPEN) throw new ServerError(1, 'too many open cursors');
    this.#open.set(cursor.id, cursor);
    return { id: cursor.id, documents };
  }

  async next(namespace: string, id: bigint, size: number): Promise<Batch> {
    const cursor = this.#open.get(id);
    if (!cursor || cursor.namespace !== namespace) throw new ServerError(43, `cursor id ${id} not found`);
    // Not to be read by two, and gone when reading it fails.
    this.#open.delete(id);
    const { documents, ended } = await fill(cursor, size);
    if (ended) return { id: 0n, documents };
    cursor.usedAt = Date.now();
    this.#open.set(id, cursor);
    return { id, documents };
  }

  async kill(id: bigint): Promise<boolean> {
    const cursor = this.#open.get(id);
    this.#open.delete(id);
    await cursor?.results.return(undefined);
    return cursor !== undefined;
  }

  async killOf(owner: string): Promise<void> {
    for (const cursor of [...this.#open.values()]) if (cursor.owner === owner) await this.kill(cursor.id);
  }

  async killIdle(): Promise<void> {
    const old = Date.now() - IDLE_MS;
    for (const cursor of [...this.#open.values()]) if (cursor.usedAt < old) await this.kill(cursor.id);
  }
}

async function fill(cursor: Cursor, size: number): Promise<{ documents: Buffer[]; ended: boolean }> {
  const documents: Buffer[] = [];
  let bytes = 0;
  for (;;) {
    for (const [at, document] of cursor.rest.entries()) {
      const isFull = documents.length >= size || (documents.length > 0 && bytes + document.length > REPLY_BYTES);
      if (isFull) {
        cursor.rest = cursor.rest.slice(at);
        return { documents, ended: false };
      }
      documents.push(document);
      bytes += document.length;
    }
    cursor.rest = [];
    if (documents.length >= size && size === 0) return { documents, ended: false };
    const next = await cursor.results.next();
    if (next.done === true) return { documents, ended: true };
    cursor.rest = next.value;
  }
}
