import { DatabaseSync, type StatementSync } from 'node:sqlite';
import { decode } from '../bson/codec.ts';
import type { Document } from '../bson/values.ts';
import { tableOf, tableOfIndex, type Catalogue, type Collection, type Index } from './catalogue.ts';

/** A document as it is stored, read into fields when somebody asks for them. */
export class StoredDocument {
  readonly record: number;
  readonly bytes: Buffer;
  #fields: Document | undefined;

  constructor(record: number, bytes: Uint8Array) {
    this.record = record;
    this.bytes = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  }

  get fields(): Document {
    return (this.#fields ??= decode(this.bytes));
  }
}

/** A part of an index, from the first bytes up to and without the last. */
export interface KeyRange {
  readonly from: Buffer;
  readonly to: Buffer;
}

export interface Entry {
  readonly key: Buffer;
  readonly document: StoredDocument;
}

const STATEMENTS = 512;

/** What one connection sees: committed documents, or those of the command or transaction that writes. */
export class View {
  catalogue: Catalogue;
  readonly handle: DatabaseSync;
  readonly #statements = new Map<string, StatementSync>();

  constructor(handle: DatabaseSync, catalogue: Catalogue) {
    this.handle = handle;
    this.catalogue = catalogue;
  }

  /** Prepared once. */
  statement(sql: string): StatementSync {
    const known = this.#statements.get(sql);
    if (known) return known;
    if (this.#statements.size >= STATEMENTS) this.#statements.clear();
    const prepared = this.handle.prepare(sql);
    this.#statements.set(sql, prepared);
    return prepared;
  }

  execute(sql: string): void {
    this.statement(sql).run();
  }

  /** After a commit that failed, which may have rolled back by itself. */
  rollBack(): void {
    if (this.handle.isTransaction) this.handle.exec('ROLLBACK');
  }

  close(): void {
    this.#statements.clear();
    this.handle.close();
  }

  find(collection: Collection, record: number): StoredDocument | undefined {
    const row = this.statement(`SELECT document FROM ${tableOf(collection)} WHERE record = ?`).get(record);
    return row && new StoredDocument(record, row['document'] as Uint8Array);
  }

  /** Documents in the order in which they came, behind one of them. */
  documents(collection: Collection, after: number | undefined, limit: number, backwards: boolean): StoredDocument[] {
    const [sign, direction] = backwards ? ['<', 'DESC'] : ['>', 'ASC'];
    const start = after ?? (backwards ? Number.MAX_SAFE_INTEGER : -1);
    return this.statement(
      `SELECT record, document FROM ${tableOf(collection)} WHERE record ${sign} ? ORDER BY record ${direction} LIMIT ?`,
    )
      .all(start, limit)
      .map((row) => new StoredDocument(row['record'] as number, row['document'] as Uint8Array));
  }

  entries(collection: Collection, index: Index, { from, to }: KeyRange, limit: number, backwards: boolean): Entry[] {
    return this.statement(
      `SELECT i.key, i.record, d.document FROM ${tableOfIndex(index)} i CROSS JOIN ${tableOf(collection)} d ON d.record = i.record
       WHERE i.key >= ? AND i.key < ? ORDER BY i.key ${backwards ? 'DESC' : 'ASC'} LIMIT ?`,
    )
      .all(from, to, limit)
      .map((row) => ({
        key: Buffer.from(row['key'] as Uint8Array),
        document: new StoredDocument(row['record'] as number, row['document'] as Uint8Array),
      }));
  }

  /** The first record in a part of an index. */
  recordIn(index: Index, { from, to }: KeyRange): number | undefined {
    const row = this.statement(`SELECT record FROM ${tableOfIndex(index)} WHERE key >= ? AND key < ? LIMIT 1`).get(
      from,
      to,
    );
    return row && (row['record'] as number);
  }

  count(collection: Collection): number {
    return this.statement(`SELECT count(*) AS count FROM ${tableOf(collection)}`).get()?.['count'] as number;
  }
}
