import { expect } from '@jest/globals';
import type { Model } from 'mongoose';
import { once } from 'node:events';

export interface Book {
  _id: string;
  organisationId: string;
  title: string;
  copies: number;
  authors: string[];
  sequel?: string;
}

const untyped = (model: Model<Book>) => model as unknown as Model<Record<string, unknown>>;

const expectNoScripts = (error: unknown): void => {
  if (!String(error).includes('ScriptEngine')) throw error;
};

type Calls = Readonly<Record<string, (model: Model<Book>) => unknown>>;
export const any = { copies: { $gt: 0 } };

/** Every way of a model to the documents, asking for those of everybody. */
export const calls: Calls = {
  // Not every server has a language for it.
  $where: (model) => model.$where('true').catch(expectNoScripts),
  aggregate: (model) => model.aggregate([{ $group: { _id: '$title', copies: { $sum: '$copies' } } }]),
  bulkSave: async (model) => model.bulkSave(await model.find(any)),
  bulkWrite: (model) =>
    untyped(model).bulkWrite([
      { updateMany: { filter: any, update: { $inc: { copies: 1 } } } },
      { updateOne: { filter: { _id: 'org_b 1' }, update: { $inc: { copies: 1 } } } },
      { replaceOne: { filter: { _id: 'org_b 1' }, replacement: { title: 'mine' } } },
      { deleteOne: { filter: { _id: 'org_b 2' } } },
      { deleteMany: { filter: any } },
      { insertOne: { document: { _id: 'new', title: 'new' } } },
    ]),
  countDocuments: async (model) => {
    expect(await model.countDocuments(any)).toBe(3);
  },
  create: (model) => model.create({ _id: 'new', title: 'new', organisationId: 'org_a' }),
  deleteMany: (model) => model.deleteMany(any),
  deleteOne: (model) => model.deleteOne({ _id: 'org_b 1' }),
  distinct: (model) => model.distinct('title'),
  exists: (model) => model.exists({ _id: 'org_b 1' }),
  find: (model) => model.find(any),
  findById: (model) => model.findById('org_b 1'),
  findByIdAndDelete: (model) => model.findByIdAndDelete('org_b 1'),
  findByIdAndUpdate: (model) => model.findByIdAndUpdate('org_b 1', { title: 'mine' }),
  findOne: (model) => model.findOne({ _id: 'org_b 1' }),
  findOneAndDelete: (model) => model.findOneAndDelete({ _id: 'org_b 1' }),
  findOneAndReplace: (model) => model.findOneAndReplace({ _id: 'org_b 1' }, { title: 'mine' }),
  findOneAndUpdate: (model) => model.findOneAndUpdate({ _id: 'org_b 1' }, { title: 'mine' }),
  insertMany: (model) => model.insertMany([{ _id: 'new', title: 'new' }]),
  insertOne: (model) => model.insertOne({ _id: 'new', title: 'new' }),
  populate: async (model) => {
    // By value, so that what is not there is null and not the id itself.
    const [book] = await model.populate(await model.find(any), { path: 'sequel' });
    expect(book?.sequel).toBeNull();
  },
  replaceOne: (model) => model.replaceOne({ _id: 'org_b 1' }, { title: 'mine' }),
  updateMany: (model) => model.updateMany(any, { $set: { title: 'mine' } }),
  updateOne: (model) => model.updateOne({ _id: 'org_b 1' }, { $set: { title: 'mine' } }),
  where: (model) => model.where('copies').gt(0).find(),
};

/** Refused inside an organisation as well: they see the whole collection. */
export const refused: Calls = {
  cleanIndexes: (model) => model.cleanIndexes(),
  createIndexes: (model) => model.createIndexes(),
  createSearchIndex: (model) => model.createSearchIndex({ name: 'x', definition: {} }),
  diffIndexes: (model) => model.diffIndexes(),
  dropSearchIndex: (model) => model.dropSearchIndex('x'),
  ensureIndexes: (model) => model.ensureIndexes(),
  estimatedDocumentCount: (model) => model.estimatedDocumentCount(),
  listIndexes: (model) => model.listIndexes(),
  listSearchIndexes: (model) => model.listSearchIndexes(),
  syncIndexes: (model) => model.syncIndexes(),
  updateSearchIndex: (model) => model.updateSearchIndex('x', {}),
  watch: async (model) => {
    const changes = model.watch();
    const [error] = (await once(changes, 'error')) as [Error];
    await changes.close();
    throw error;
  },
};

/** What works on objects alone, makes other models of the same collection, or listens to events of the model. */
export const withoutDocuments = new Set(
  `$__updateConnection Query __subclass _applyQueryMiddleware addListener applyDefaults applyTimestamps applyVirtuals
  buildBulkWriteOperations castObject clientEncryption compile createCollection createSearchIndexes discriminator emit eventNames findAndCount
  getMaxListeners hydrate init inspect listenerCount listeners model namespace off on once prependListener
  prependOnceListener rawListeners recompileSchema removeAllListeners removeListener setMaxListeners startSession
  translateAliases useConnection validate`.split(/\s+/),
);

export function staticsOf(model: object): string[] {
  const names = new Set<string>();
  for (let owner = model; owner !== Function.prototype; owner = Object.getPrototypeOf(owner) as object) {
    for (const [name, { value }] of Object.entries(Object.getOwnPropertyDescriptors(owner))) {
      if (typeof value === 'function') names.add(name);
    }
  }
  return [...names];
}
