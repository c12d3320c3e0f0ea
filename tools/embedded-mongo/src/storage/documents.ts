import { decode, encode, MAX_DOCUMENT_BYTES } from '../bson/codec.ts';
import { shown } from '../bson/text.ts';
import { isDocument, type Document, type Value } from '../bson/values.ts';
import { ServerError } from '../errors.ts';
import { keysOf } from '../query/sort-keys.ts';
import { markMulti, namespace, tableOf, tableOfIndex, type Collection, type Index } from './catalogue.ts';
import { validate } from './validation.ts';
import type { StoredDocument, View } from './view.ts';

/** The collection as it is now: an index may have changed since a command began. */
const present = (view: View, collection: Collection): Collection =>
  view.catalogue.get(namespace(collection.database, collection.name)) ?? collection;

/** Behind the key of an entry, so that several documents may have the same. */
function recordBytes(record: number): Buffer {
  const bytes = Buffer.allocUnsafe(6);
  bytes.writeUIntBE(record, 0, 6);
  return bytes;
}

/** Above all that begins with these bytes. */
export function endOf(prefix: Buffer): Buffer {
  for (let at = prefix.length - 1; at >= 0; at -= 1) {
    if (prefix[at] === 0xff) continue;
    const end = Buffer.from(prefix.subarray(0, at + 1));
    end[at] = (end[at] ?? 0) + 1;
    return end;
  }
  // Nothing begins so.
  return Buffer.alloc(16, 0xff);
}

/** The entries of a document in an index. */
function entriesOf(index: Index, document: Document): { keys: readonly Buffer[]; multi: readonly boolean[] } {
  const none = { keys: [], multi: [] };
  if (index.partial && !index.partial.test(document)) return none;
  if (index.sparse && !index.parts.some(({ path }) => has(document, path, 0))) return none;
  return keysOf(document, index.parts);
}

function has(value: Value | undefined, path: readonly string[], at: number): boolean {
  const name = path[at];
  if (name === undefined) return value !== undefined;
  if (isDocument(value)) return has(value.get(name), path, at + 1);
  return Array.isArray(value) && value.some((element) => isDocument(element) && has(element, path, at));
}

function encoded(document: Document): Buffer {
  const bytes = encode(document);
  if (bytes.length > MAX_DOCUMENT_BYTES)
    throw new ServerError(10334, `BSONObj size: ${bytes.length} is invalid. Size must be between 0 and 16793600(16MB)`);
  return bytes;
}

/** `unchecked`: whatever its collection says that documents have to be. */
export function insertDocument(view: View, given: Collection, document: Document, unchecked = false): void {
  const collection = present(view, given);
  if (!unchecked) validate(collection.validation, document);
  const bytes = encoded(document);
  const entries = collection.indexes.map((index) => ({ index, ...entriesOf(index, document) }));
  for (const { index, keys } of entries) refuseDuplicates(view, collection, index, keys, document);
  const { lastInsertRowid } = view.statement(`INSERT INTO ${tableOf(collection)} (document) VALUES (?)`).run(bytes);
  const record = Number(lastInsertRowid);
  for (const { index, keys, multi } of entries) {
    for (const key of keys) addEntry(view, index, key, record);
    noteArrays(view, collection, index, multi);
  }
}

/** False where the document is the same as before. */
export function replaceDocument(
  view: View,
  given: Collection,
  stored: StoredDocument,
  document: Document,
  unchecked = false,
): boolean {
  const collection = present(view, given);
  const bytes = encoded(document);
  if (bytes.equals(stored.bytes)) return false;
  // Read anew: an update may have changed the fields in place.
  const before = decode(stored.bytes);
  if (!unchecked) validate(collection.validation, document, before);
  const changes = collection.indexes.map((index) => {
    const old = new Map(entriesOf(index, before).keys.map((key) => [key.toString('latin1'), key]));
    const { keys, multi } = entriesOf(index, document);
    const added = keys.filter((key) => !old.delete(key.toString('latin1')));
    return { index, added, removed: [...old.values()], multi };
  });
  for (const { index, added } of changes) refuseDuplicates(view, collection, index, added, document);
  view.statement(`UPDATE ${tableOf(collection)} SET document = ? WHERE record = ?`).run(bytes, stored.record);
  for (const { index, added, removed, multi } of changes) {
    for (const key of removed) removeEntry(view, index, key, stored.record);
    for (const key of added) addEntry(view, index, key, stored.record);
    noteArrays(view, collection, index, multi);
  }
  return true;
}

export function deleteDocument(view: View, given: Collection, stored: StoredDocument): void {
  const collection = present(view, given);
  const document = decode(stored.bytes);
  for (const index of collection.indexes)
    for (const key of entriesOf(index, document).keys) removeEntry(view, index, key, stored.record);
  view.statement(`DELETE FROM ${tableOf(collection)} WHERE record = ?`).run(stored.record);
}

/** Adds the entries of a document that was there before the index. */
export function indexDocument(view: View, collection: Collection, index: Index, stored: StoredDocument): void {
  const { keys, multi } = entriesOf(index, stored.fields);
  refuseDuplicates(view, collection, index, keys, stored.fields);
  for (const key of keys) addEntry(view, index, key, stored.record);
  noteArrays(view, collection, index, multi);
}

const addEntry = (view: View, index: Index, key: Buffer, record: number): void =>
  void view
    .statement(`INSERT INTO ${tableOfIndex(index)} (key, record) VALUES (?, ?)`)
    .run(Buffer.concat([key, recordBytes(record)]), record);

const removeEntry = (view: View, index: Index, key: Buffer, record: number): void =>
  void view
    .statement(`DELETE FROM ${tableOfIndex(index)} WHERE key = ?`)
    .run(Buffer.concat([key, recordBytes(record)]));

function noteArrays(view: View, collection: Collection, index: Index, multi: readonly boolean[]): void {
  if (!multi.some((flag, at) => flag && !index.multi[at])) return;
  const known = present(view, collection).indexes.find(({ id }) => id === index.id);
  if (known && multi.some((flag, at) => flag && !known.multi[at]))
    view.catalogue = markMulti(view.handle, view.catalogue, collection, known, multi);
}

function refuseDuplicates(
  view: View,
  collection: Collection,
  index: Index,
  keys: readonly Buffer[],
  document: Document,
): void {
  if (!index.unique) return;
  for (const key of keys) {
    if (view.recordIn(index, { from: key, to: endOf(key) }) === undefined) continue;
    const keyPattern = index.spec.get('key');
    const keyValue = new Map(
      index.parts.map(({ name, path }): [string, Value] => [name, valueAt(document, path) ?? null]),
    );
    throw new ServerError(
      11000,
      `E11000 duplicate key error collection: ${namespace(collection.database, collection.name)} index: ${index.name} dup key: { ${[...keyValue].map(([name, value]) => `${name}: ${shown(value)}`).join(', ')} }`,
      { details: { keyPattern, keyValue } },
    );
  }
}

const valueAt = (document: Document, path: readonly string[]): Value | undefined =>
  path.reduce<Value | undefined>((value, name) => (isDocument(value) ? value.get(name) : undefined), document);
