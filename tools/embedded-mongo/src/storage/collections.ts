import { Int32 } from 'bson';
import type { Document, Value } from '../bson/values.ts';
import { addCollection, addIndex, namespace, type Collection } from './catalogue.ts';
import type { View } from './view.ts';

/** The collection of this name, which comes to be with its index on `_id`. */
export function ensureCollection(view: View, database: string, name: string): Collection {
  const known = view.catalogue.get(namespace(database, name));
  if (known) return known;
  const catalogue = addCollection(view.handle, view.catalogue, database, name);
  const spec: Document = new Map<string, Value>([
    ['v', new Int32(2)],
    ['key', new Map([['_id', new Int32(1)]])],
    ['name', '_id_'],
  ]);
  const collection = catalogue.get(namespace(database, name));
  if (!collection) throw new Error('a collection that was just made is missing');
  view.catalogue = addIndex(view.handle, catalogue, collection, spec).catalogue;
  return view.catalogue.get(namespace(database, name)) ?? collection;
}
