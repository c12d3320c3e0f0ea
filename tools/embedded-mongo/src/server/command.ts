import type { Document } from '../bson/values.ts';
import { ServerError } from '../errors.ts';
import type { Collection } from '../storage/catalogue.ts';
import { namespace } from '../storage/catalogue.ts';
import type { Storage } from '../storage/storage.ts';
import type { View } from '../storage/view.ts';
import type { Authentication } from './authentication.ts';
import type { Cursors } from './cursors.ts';
import type { Pace } from './pace.ts';

/** What a command is run with. */
export interface Context {
  readonly command: Document;
  readonly name: string;
  readonly database: string;
  readonly view: View;
  readonly pace: Pace;
  readonly cursors: Cursors;
  readonly storage: Storage;
  /** Whose cursors are made: a transaction's, or a session's. */
  readonly owner: string | undefined;
  /** `127.0.0.1:27017` */
  readonly address: string;
  readonly connectionId: number;
  readonly authentication: Authentication;
}

/** Fields of a reply; `ok` is added. */
export type Reply = Record<string, unknown>;

export interface Handler {
  /** Whether it is run with the view that writes. */
  readonly writes: boolean;
  /** Whether it may be part of a transaction. */
  readonly inTransaction: boolean;
  readonly run: (context: Context) => Promise<Reply> | Reply;
}

export const reading = (run: Handler['run'], inTransaction = false): Handler => ({ writes: false, inTransaction, run });
export const writing = (run: Handler['run'], inTransaction = false): Handler => ({ writes: true, inTransaction, run });

/** The collection that a command names with its first field. */
export function collectionName({ command, name }: Context): string {
  const collection = command.get(name);
  if (typeof collection !== 'string') throw new ServerError(73, 'collection name has invalid type');
  requireName(collection);
  return collection;
}

export function requireName(collection: string): void {
  if (
    collection === '' ||
    collection.includes('\0') ||
    collection.includes('$') ||
    collection.startsWith('.') ||
    collection.startsWith('system.')
  )
    throw new ServerError(73, `Invalid namespace specified '${collection}'`);
  if (Buffer.byteLength(collection) > 235) throw new ServerError(73, 'the name of the collection is too long');
}

export const collectionOf = (context: Context, name: string): Collection | undefined =>
  context.view.catalogue.get(namespace(context.database, name));
