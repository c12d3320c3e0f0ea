import { Int32 } from 'bson';
import { compileMatch } from '../aggregation/document-stages.ts';
import { encode } from '../bson/codec.ts';
import { toNumber } from '../bson/numbers.ts';
import { orderBytes } from '../bson/order.ts';
import { shown } from '../bson/text.ts';
import { isDocument, isNumeric, toDocument, toValue, type Document, type Value } from '../bson/values.ts';
import { notImplemented, ServerError } from '../errors.ts';
import { collectionName, collectionOf, reading, writing, type Context, type Handler } from '../server/command.ts';
import { Fields } from '../server/fields.ts';
import {
  addIndex,
  nameOf,
  namespace,
  removeCollection,
  removeIndex,
  setOptions,
  type Collection,
  type Index,
} from '../storage/catalogue.ts';
import { ensureCollection } from '../storage/collections.ts';
import { indexDocument } from '../storage/documents.ts';
import { VALIDATION_OPTIONS } from '../storage/validation.ts';
import type { View } from '../storage/view.ts';

const create = writing((context) => {
  new Fields(context.command, 'create').only(
    'create validator validationLevel validationAction',
    `capped size max viewOn pipeline timeseries expireAfterSeconds clusteredIndex
    changeStreamPreAndPostImages storageEngine indexOptionDefaults encryptedFields autoIndexId`.replaceAll(/\s+/g, ' '),
  );
  const name = collectionName(context);
  if (collectionOf(context, name))
    throw new ServerError(48, `Collection ${namespace(context.database, name)} already exists.`);
  configure(context, ensureCollection(context.view, context.database, name));
  return {};
}, true);

/** Notes what the command says of the documents of a collection; what it does not name stays. */
function configure({ view, command }: Context, collection: Collection): void {
  const given = [...command].filter(([name]) => VALIDATION_OPTIONS.includes(name));
  if (given.length === 0) return;
  const options = new Map([...collection.options, ...given]);
  if (isDocument(options.get('validator')) && (options.get('validator') as Document).size === 0)
    for (const name of VALIDATION_OPTIONS) options.delete(name);
  view.catalogue = setOptions(view.handle, view.catalogue, collection, options);
}

const collMod = writing((context) => {
  new Fields(context.command, 'collMod').only(
    'collMod validator validationLevel validationAction',
    'index viewOn pipeline expireAfterSeconds timeseries changeStreamPreAndPostImages cappedSize cappedMax',
  );
  const name = collectionName(context);
  const collection = collectionOf(context, name);
  if (!collection) throw missing(context, name);
  configure(context, collection);
  return {};
});

const missing = (context: Context, name: string): ServerError =>
  new ServerError(26, `ns does not exist: ${namespace(context.database, name)}`);

const drop = writing((context) => {
  new Fields(context.command, 'drop').only('drop');
  const name = collectionName(context);
  const collection = collectionOf(context, name);
  if (!collection) return {};
  const { view } = context;
  view.catalogue = removeCollection(view.handle, view.catalogue, collection);
  return { nIndexesWas: collection.indexes.length, ns: namespace(context.database, name) };
});

const dropDatabase = writing(({ view, database }) => {
  for (const collection of [...view.catalogue.values()])
    if (collection.database === database) view.catalogue = removeCollection(view.handle, view.catalogue, collection);
  return { dropped: database };
});

const OPTIONS = 'v key name unique sparse partialFilterExpression background ns';
const WITHOUT =
  'expireAfterSeconds hidden collation weights default_language language_override textIndexVersion 2dsphereIndexVersion bits min max bucketSize wildcardProjection storageEngine prepareUnique clustered';

/** As it is kept and listed; MongoDB's defaults are not. */
function specOf(given: Document): Document {
  const fields = new Fields(given, 'createIndexes.indexes').only(OPTIONS, WITHOUT);
  const key = fields.document('key');
  if (key.size === 0) throw new ServerError(67, 'Index keys cannot be an empty object.');
  for (const [name, direction] of key) {
    if (typeof direction === 'string') throw notImplemented(`an index of the kind ${direction}`);
    if (name.includes('$**')) throw notImplemented('a wildcard index');
    if (!isNumeric(direction) || toNumber(direction) === 0 || Number.isNaN(toNumber(direction)))
      throw new ServerError(67, `Values in the index key pattern cannot be 0 or no numbers: ${name}`);
    if (name === '' || name.startsWith('$') || name.split('.').includes(''))
      throw new ServerError(67, `Index key contains an illegal field name: '${name}'`);
  }
  const spec: Document = new Map<string, Value>([
    ['v', new Int32(2)],
    ['key', key],
    ['name', fields.text('name')],
  ]);
  for (const flag of ['unique', 'sparse']) if (fields.flag(flag)) spec.set(flag, true);
  const partial = given.get('partialFilterExpression');
  if (partial !== undefined) {
    if (spec.has('sparse')) throw new ServerError(67, 'cannot mix "partialFilterExpression" and "sparse" options');
    compileMatch(fields.document('partialFilterExpression'));
    spec.set('partialFilterExpression', partial);
  }
  return spec;
}

const sameBytes = (one: Value, other: Value): boolean => orderBytes(one).equals(orderBytes(other));

/** Whether the index is there already; throws where another one has its name or its key. */
function isPresent(collection: Collection, spec: Document): boolean {
  const name = nameOf(spec);
  const key = spec.get('key') ?? null;
  if (sameBytes(key, toDocument({ _id: 1 }))) return true;
  for (const index of collection.indexes) {
    if (sameBytes(index.spec, spec)) return true;
    const sameKey = sameBytes(index.spec.get('key') ?? null, key);
    if (index.name === name && !sameKey)
      throw new ServerError(86, `An existing index has the same name as the requested index. Requested index: ${name}`);
    const samePartial = sameBytes(
      index.spec.get('partialFilterExpression') ?? null,
      spec.get('partialFilterExpression') ?? null,
    );
    if (index.name === name)
      throw new ServerError(
        sameKey && samePartial ? 85 : 86,
        `An equivalent index already exists with the same name but different options: ${name}`,
      );
    if (sameKey && samePartial && sameOptions(index, spec))
      throw new ServerError(85, `Index already exists with a different name: ${index.name}`);
  }
  return false;
}

const sameOptions = (index: Index, spec: Document): boolean =>
  ['unique', 'sparse'].every((flag) => (index.spec.get(flag) === true) === (spec.get(flag) === true));

async function build({ view, pace }: Context, collection: Collection, spec: Document): Promise<void> {
  const { catalogue, index } = addIndex(view.handle, view.catalogue, collection, spec);
  view.catalogue = catalogue;
  let after: number | undefined;
  for (;;) {
    const documents = view.documents(collection, after, 256, false);
    for (const stored of documents) indexDocument(view, collection, index, stored);
    after = documents.at(-1)?.record;
    if (documents.length < 256) return;
    await pace.pause();
  }
}

const createIndexes = writing(async (context) => {
  const fields = new Fields(context.command, 'createIndexes').only(
    'createIndexes indexes ignoreUnknownIndexOptions',
    'commitQuorum',
  );
  const name = collectionName(context);
  const isNew = !collectionOf(context, name);
  const specs = fields.documents('indexes').map(specOf);
  if (specs.length === 0) throw new ServerError(2, 'Must specify at least one index to create');
  ensureCollection(context.view, context.database, name);
  const present = (): Collection => {
    const collection = collectionOf(context, name);
    if (!collection) throw missing(context, name);
    return collection;
  };
  const before = present().indexes.length;
  for (const spec of specs) if (!isPresent(present(), spec)) await build(context, present(), spec);
  const after = present().indexes.length;
  return {
    numIndexesBefore: before,
    numIndexesAfter: after,
    createdCollectionAutomatically: isNew,
    ...(before === after && { note: 'all indexes already exist' }),
  };
}, true);

const dropIndexes = writing((context) => {
  const fields = new Fields(context.command, 'dropIndexes').only('dropIndexes index');
  const name = collectionName(context);
  const collection = collectionOf(context, name);
  if (!collection) throw missing(context, name);
  const wanted = fields.get('index');
  const all = wanted === '*';
  for (const one of all ? [] : Array.isArray(wanted) ? wanted : [wanted]) dropOne(context.view, collection, one);
  if (all)
    for (const index of collection.indexes) if (index.name !== '_id_') removeOne(context.view, collection, index);
  return { nIndexesWas: collection.indexes.length };
});

function dropOne(view: View, collection: Collection, wanted: Value | undefined): void {
  const index = collection.indexes.find(({ name, spec }) =>
    isDocument(wanted) ? sameBytes(spec.get('key') ?? null, wanted) : name === wanted,
  );
  if (!index) throw new ServerError(27, `index not found with name [${shown(wanted ?? null)}]`);
  if (index.name === '_id_') throw new ServerError(72, 'cannot drop _id index');
  removeOne(view, collection, index);
}

function removeOne(view: View, collection: Collection, index: Index): void {
  const present = view.catalogue.get(namespace(collection.database, collection.name)) ?? collection;
  view.catalogue = removeIndex(view.handle, view.catalogue, present, index);
}

async function* once(documents: readonly Document[]): AsyncGenerator<Buffer[]> {
  yield await Promise.resolve(documents.map((document) => encode(document)));
}

async function listed(context: Context, ns: string, documents: readonly Document[]) {
  const size = new Fields(new Fields(context.command, 'list').document('cursor'), 'cursor').number(
    'batchSize',
    Infinity,
  );
  const batch = await context.cursors.start(ns, once(documents), size, { owner: context.owner, single: false });
  return {
    cursor: new Map<string, unknown>([
      ['id', batch.id],
      ['ns', ns],
      ['firstBatch', batch.documents],
    ]),
  };
}

const listIndexes = reading((context) => {
  new Fields(context.command, 'listIndexes').only('listIndexes cursor');
  const name = collectionName(context);
  const collection = collectionOf(context, name);
  if (!collection) throw missing(context, name);
  return listed(
    context,
    namespace(context.database, name),
    collection.indexes.map(({ spec }) => spec),
  );
});

const listCollections = reading((context) => {
  const { command, database, view } = context;
  const fields = new Fields(command, 'listCollections').only(
    'listCollections filter nameOnly authorizedCollections cursor',
  );
  const matcher = compileMatch(fields.document('filter'));
  const all = [...view.catalogue.values()].filter((collection) => collection.database === database);
  const documents = all.map(({ name, uuid, indexes, options }) => {
    const base = { name, type: 'collection' };
    const info = { readOnly: false, uuid };
    return toDocument(fields.flag('nameOnly') ? base : { ...base, options, info, idIndex: indexes[0]?.spec });
  });
  return listed(
    context,
    `${database}.$cmd.listCollections`,
    documents.filter((document) => matcher.test(document)),
  );
});

const listDatabases = reading(({ command, view }) => {
  const fields = new Fields(command, 'listDatabases').only('listDatabases filter nameOnly authorizedDatabases');
  const matcher = compileMatch(fields.document('filter'));
  const names = [...new Set([...view.catalogue.values()].map(({ database }) => database))].sort();
  const databases = names.map((name) =>
    toDocument(fields.flag('nameOnly') ? { name } : { name, sizeOnDisk: 0, empty: false }),
  );
  return { databases: databases.filter((document) => matcher.test(document)).map(toValue) };
});

export const collections: Readonly<Record<string, Handler>> = {
  create,
  collMod,
  drop,
  dropDatabase,
  createIndexes,
  dropIndexes,
  listIndexes,
  listCollections,
  listDatabases,
};
